//! Settings in files, variables and flags.

use super::case::{Case, GOOD_PLAN, RUN, answers};

//
#[test]
fn a_bad_setting_is_refused_with_the_file_the_line_and_what_is_expected() {
    insta::assert_snapshot!(answers(&[files(), variables()]));
}

fn project(name: &'static str, text: impl Into<Vec<u8>>) -> Case {
    Case::new(name, RUN).file("plan.yaml", GOOD_PLAN).file("praxis.toml", text).unsound()
}

fn files() -> Vec<Case> {
    let user = ".config/praxis/config.toml";
    let case = |name, file: &str, text: &[u8]| {
        Case::new(name, RUN).file("plan.yaml", GOOD_PLAN).file(file, text).unsound()
    };
    vec![
        project("an unknown key with a near one", "[run]\ntask_timout = \"1h\"\n"),
        project("an unknown section", "[runs]\nparallel = true\n"),
        project("a key without its section", "parallel = true\n"),
        project("a text where a number is wanted", "[run]\nmax_step_retries = \"three\"\n"),
        project("a number where a time is wanted", "[run]\ntask_timeout = 30\n"),
        project("a negative time", "[run]\ntask_timeout = \"-5s\"\n"),
        project("a time of zero", "[run]\ntask_timeout = \"0s\"\n"),
        project("a time beyond all numbers", "[run]\ntask_timeout = \"99999999999999999999d\"\n"),
        project("a number out of bounds", "[run]\nparallel_max_concurrent = 1000000\n"),
        project("a size in the wrong unit", "[http]\nmax_response_bytes = \"16MB\"\n"),
        project("a section that is a number", "run = 5\n"),
        project("a key twice", "[run]\nparallel = true\nparallel = false\n"),
        project("settings that are no TOML", "[run\n"),
        project("settings in Latin-1", b"# caf\xe9\n".to_vec()),
        project("settings in UTF-16", b"\xff\xfe[\0r\0".to_vec()),
        project("a byte order mark", "\u{feff}[run]\nparallel = true\n").accepted(),
        project("settings nested 100,000 deep", format!("x = {}", "[".repeat(100_000))),
        project("a key that drives the terminal", "[run]\n\"a\\u001b[2J\" = 1\n"),
        project("tools that are not there", "[tools]\npaths = [\"nowhere\"]\n"),
        case("the user's settings are a folder", &format!("{user}/in"), b""),
        case("the user's settings have a wrong word", user, b"[ui]\nlang = \"fr\"\n"),
        case("a line of .env without a sign", ".env", b"PRAXIS_RUN_PARALLEL\n"),
        case("a line of .env that is not closed", ".env", b"PRAXIS_RUN_PARALLEL='true\n"),
        case("an unknown name in .env", ".env", b"PRAXIS_RUN_PARALEL=true\n"),
        case(".env in Latin-1", ".env", b"PRAXIS_DATA=caf\xe9\n"),
    ]
}

fn variables() -> Vec<Case> {
    let with = |name, variable: &str, value: &str| {
        Case::new(name, RUN).file("plan.yaml", GOOD_PLAN).env(variable, value)
    };
    vec![
        with("an unknown variable", "PRAXIS_RUN_TASK_TIMEOUTS", "1h"),
        with("a variable with a wrong value", "PRAXIS_RUN_PARALLEL", "maybe"),
        with("a name that leaves the folder", "PRAXIS_ENV", "../../etc/passwd"),
        with("two names of one key that disagree", "PRAXIS_DATA", "HERE/x")
            .env("PRAXIS_DATA_DIR", "HERE/y"),
        with("a value that drives the terminal", "PRAXIS_UI_COLOR", "\u{1b}[2J"),
        Case::new("a flag with a wrong word", &["--lang", "fr", "ps"]),
        Case::new("a colour that is none", &["--color", "blue", "ps"]),
    ]
}
