use super::*;
use crate::model::card::JsonMode;
use praxis_core::ask::reply::TokenUsage;

fn read(text: &str) -> Result<Catalogue, Vec<Problem>> {
    Catalogue::read(&[CatalogueFile { path: "models.toml", text }])
}

/// Each problem as its code and place, and whether it knows what was meant.
fn told(text: &str) -> Vec<String> {
    let tell = |problem: &Problem| {
        let next = problem.next.as_ref().map(|next| format!(" | {}", next.en)).unwrap_or_default();
        format!("{} @ {} {}{next}", problem.code, problem.at, problem.message.en)
    };
    read(text).unwrap_err().iter().map(tell).collect()
}

#[test]
fn a_model_has_everything_that_was_written_and_the_rest_from_its_preset() {
    let text = r#"
        [models.chat]
        preset = "deepseek"
        model = "deepseek-chat"
        context = 65536
        max_output = 8192
        retries = 2
        timeouts = { first = "30s", total = "5m" }
        price = { currency = "CNY", input = 2, output = 8, cached = 0.5 }
        limits = { requests_per_minute = 60, in_flight = 4 }
        extra = { top_p = 0.9, thinking = { type = "disabled" } }
        [models.own]
        endpoints = ["http://10.0.0.1:8000/v1/", "grpc://10.0.0.2:50051"]
        model = "qwen3"
        vocabulary = "cl100k"
        [roles]
        default = "chat"
        plan = "own"
        report = "offline"
    "#;
    let catalogue = read(text).unwrap();
    let chat = &catalogue.models["chat"];
    let place = |url: &str, key: Option<&str>| ModelEndpoint {
        base_url: url.to_owned(),
        key: key.map(str::to_owned),
    };
    assert_eq!(chat.endpoints, [place("https://api.deepseek.com/v1", Some("DEEPSEEK"))]);
    assert_eq!((chat.card.rung, chat.bounds.tries), (JsonMode::Object, 3));
    assert_eq!((chat.bounds.first_ms, chat.bounds.silence_ms), (30_000, 60_000));
    let usage = TokenUsage { prompt: 1_000_000, completion: 0, cached: 500_000, estimated: false };
    assert_eq!(chat.price.as_ref().unwrap().cost(&usage).to_string(), "CNY 1.25");
    assert_eq!(chat.extra["thinking"]["type"], "disabled");
    assert_eq!((chat.limits.requests_per_minute, chat.limits.tokens_per_minute), (Some(60), None));
    assert_eq!(chat.at, "models.toml line 2");
    let own = &catalogue.models["own"];
    let expected = [place("http://10.0.0.1:8000/v1", None), place("grpc://10.0.0.2:50051", None)];
    assert_eq!((own.endpoints.as_slice(), own.vocabulary), (&expected[..], Vocabulary::Cl100k));
    let roles = ["plan", "learn", "report"].map(|role| catalogue.role(role).unwrap());
    assert_eq!(roles, ["own", "chat", "offline"]);
}

#[test]
fn the_project_replaces_single_models_and_roles_of_the_user() {
    let user = "[models.a]\npreset = 'ollama'\nmodel = 'one'\ncontext = 8192\n\
                [models.b]\npreset = 'vllm'\nmodel = 'two'\n[roles]\ndefault = 'a'\nplan = 'b'\n";
    let project = "[models.a]\npreset = 'llamacpp'\n[roles]\nplan = 'a'\n";
    let files = [
        CatalogueFile { path: "user", text: user },
        CatalogueFile { path: "project", text: project },
    ];
    let catalogue = Catalogue::read(&files).unwrap();
    let a = &catalogue.models["a"];
    assert_eq!((a.model.as_str(), a.context), ("default", None), "nothing of the user's is left");
    assert_eq!(catalogue.models["b"].model, "two");
    assert_eq!((catalogue.role("plan"), catalogue.role("learn")), (Some("a"), Some("a")));
}

#[test]
fn a_key_in_plain_text_is_refused_and_not_repeated() {
    let text = "[models.a]\npreset = 'openai'\nmodel = 'm'\nkey = 'sk-canary'\n";
    let problems = read(text).unwrap_err();
    assert_eq!((problems.len(), problems[0].code.as_str()), (1, "plain_key"));
    assert_eq!(problems[0].at, "models.toml line 4");
    let said = format!("{problems:?}");
    assert!(!said.contains("canary"), "{said}");
    let in_address = "[models.a]\nmodel = 'm'\nbase_url = 'https://user:pass@host/v1'\n";
    assert_eq!(read(in_address).unwrap_err()[0].code, "bad_model");
}

#[test]
fn everything_that_is_wrong_is_told_at_once_and_where() {
    let text = "
[models.a]
preset = 'deepsek'
modle = 'm'
context = 'big'
retries = 99
[models.offline]
model = 'm'
base_url = 'ftp://host'
timeouts = { frist = '1s', total = 'soon' }
price = { currency = 'yuan', input = -1, per = 0 }
limits = { in_flight = 0 }
vocabulary = 'gpt2'
extra = { stream = false }
[roles]
default = 'a'
planner = 'a'
[model.b]
";
    let expected = [
        "unknown_preset @ models.toml line 3 unknown preset `deepsek` | did you mean `deepseek`?",
        "bad_model @ models.toml line 2 `models.a.model`: missing; give the name that the endpoint uses for the model",
        "bad_model @ models.toml line 2 `models.a.base_url`: missing; give the URL of the endpoint",
        "bad_model @ models.toml line 5 `models.a.context`: expected a whole number from 256 to 1000000000, got string",
        "bad_model @ models.toml line 6 `models.a.retries`: expected a whole number from 0 to 20, got integer",
        "unknown_model_key @ models.toml line 4 unknown field `models.a.modle` | did you mean `model`?",
        "bad_model @ models.toml line 7 `models.offline`: a model name may contain only letters, digits, `_`, `-` and `.`, at most 64 characters, and must not be `offline`",
        "bad_model @ models.toml line 9 `models.offline.base_url`: `ftp://host` is not a valid URL; write one such as `https://host/v1` or `grpc://host:port`",
        "bad_model @ models.toml line 10 `models.offline.timeouts.total`: expected a duration above zero such as `30s` or `10m`, got string",
        "unknown_model_key @ models.toml line 10 unknown field `models.offline.timeouts.frist` | did you mean `first`?",
        "bad_model @ models.toml line 11 `models.offline.price.currency`: expected a three-letter currency code such as `CNY`",
        "bad_model @ models.toml line 11 `models.offline.price.output`: missing",
        "bad_model @ models.toml line 11 `models.offline.price.input`: expected a price such as `2` or `0.5`, with at most 12 digits after the point, got integer",
        "bad_model @ models.toml line 11 `models.offline.price.per`: expected a whole number from 1 to 1000000000, got integer",
        "bad_model @ models.toml line 12 `models.offline.limits.in_flight`: expected a whole number from 1 to 1000000000, got integer",
        "bad_model @ models.toml line 13 `models.offline.vocabulary`: expected one of `o200k`, `cl100k`, `none`, got string",
        "bad_model @ models.toml line 14 `models.offline.extra`: `stream` is set by Praxis; remove it here",
        "unknown_model_key @ models.toml line 17 unknown field `roles.planner` | did you mean `plan`?",
        "unknown_model_key @ models.toml line 18 unknown field `model` | did you mean `models`?",
    ];
    assert_eq!(told(text), expected);
}

#[test]
fn a_role_needs_its_model_and_a_file_must_be_toml() {
    let role = "[models.fast]\npreset = 'llamacpp'\n[roles]\nplan = 'fasst'\n";
    let told_role = told(role);
    assert_eq!(
        told_role,
        ["unknown_model @ models.toml line 4 unknown model `fasst` | did you mean `fast`?"]
    );
    let broken = told("[models.a\n");
    assert!(broken[0].starts_with("models_file @ models.toml line 1 "), "{broken:?}");
    assert_eq!(Catalogue::read(&[]).unwrap(), Catalogue::default());
}

#[test]
fn off_peak_hours_are_written_in_their_own_zone() {
    let text = "[models.a]\npreset = 'llamacpp'\n[models.a.price]\ncurrency = 'CNY'\ninput = 2\n\
                output = '8.00'\noff_peak = { from = '00:30', to = '08:30', zone = '+08:00', \
                input = 1, output = 4 }\n";
    let price = read(text).unwrap().models["a"].price.clone().unwrap();
    let off_peak = price.off_peak.unwrap();
    assert_eq!((off_peak.from, off_peak.to), (16 * 60 + 30, 30));
    let bad = text.replace("'00:30'", "'24:00'").replace("'+08:00'", "'Beijing'");
    let codes: Vec<String> = read(&bad).unwrap_err().into_iter().map(|it| it.code).collect();
    assert_eq!(codes, ["bad_model", "bad_model"]);
}
