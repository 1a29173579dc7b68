#[expect(dead_code, unused_imports, reason = "wired by the commands")]
mod settings;

fn main() {}
