//! Chores of the project: `cargo xtask bench|suites|features|mutants|tidy`.

fn main() -> anyhow::Result<()> {
    let wanted = std::env::args().nth(2).unwrap_or_default();
    praxis_bench::run(&wanted, &mut |line| {
        println!("{}", serde_json::to_string(&line).unwrap_or_default());
    })
}
