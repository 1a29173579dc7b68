use super::model::LimitsSetting;
use super::sources::Layer;
use super::world::SettingsWorld;
use std::path::PathBuf;

/// Sets `parallel_max_concurrent` in one layer to the layer's number.
fn with(world: SettingsWorld, layer: Layer) -> SettingsWorld {
    let number = layer as u32 + 1;
    let toml = format!("[run]\nparallel_max_concurrent = {number}\n");
    let name = "PRAXIS_RUN_PARALLEL_MAX_CONCURRENT";
    match layer {
        Layer::Default => world,
        Layer::User => world.user(&toml),
        Layer::UserEnv => world.user_env(&toml),
        Layer::Project => world.project(&toml),
        Layer::Dotenv => world.dotenv(&format!("{name}={number}\n")),
        Layer::Environment => world.var(name, &number.to_string()),
        Layer::Flags => world.flag("run.parallel_max_concurrent", &number.to_string()),
    }
}

const LAYERS: [Layer; 7] = [
    Layer::Default,
    Layer::User,
    Layer::UserEnv,
    Layer::Project,
    Layer::Dotenv,
    Layer::Environment,
    Layer::Flags,
];

// A-096
#[test]
fn of_any_two_layers_the_later_one_wins() {
    for (position, weak) in LAYERS.into_iter().enumerate() {
        for strong in LAYERS.into_iter().skip(position + 1) {
            let (settings, sources) = with(with(SettingsWorld::new(), strong), weak).load();
            assert_eq!(
                settings.run.parallel_max_concurrent,
                strong as u32 + 1,
                "{weak:?} {strong:?}"
            );
            let key = "run.parallel_max_concurrent";
            let chosen = sources.keys.iter().find(|chosen| chosen.key == key);
            assert_eq!(chosen.map(|chosen| chosen.layer), Some(strong), "over {weak:?}");
        }
    }
}

// A-096
#[test]
fn layers_are_merged_key_by_key() {
    let world = SettingsWorld::new()
        .user("[run]\nlimits = \"hard\"\ntask_timeout = \"2h\"\n")
        .project("run.task_timeout = \"30m\"\n[http]\nallow_hosts = [\"a\"]\n")
        .var("PRAXIS_HTTP__ALLOW_HOSTS", "b, c");
    let (settings, _) = world.load();
    assert_eq!(settings.run.limits, LimitsSetting::Hard);
    assert_eq!(settings.run.task_timeout_ms, 1_800_000);
    assert_eq!(settings.http.allow_hosts, ["b", "c"]);
    assert_eq!(settings.run.max_step_retries, 3);
}

// A-096
#[test]
fn variables_take_one_or_two_underscores_and_two_short_names() {
    let world = SettingsWorld::new()
        .var("PRAXIS_RUN__TASK_TIMEOUT", "10m")
        .var("PRAXIS_TOOLS_TIMEOUT", "7s")
        .var("PRAXIS_RUN_PARALLEL", "false")
        .var("PRAXIS_DATA", "here")
        .var("PRAXIS_LANG", "zh");
    let (settings, sources) = world.load();
    assert_eq!(settings.run.task_timeout_ms, 600_000);
    assert_eq!(settings.tools.timeout_ms, 7000);
    assert!(!settings.run.parallel);
    assert_eq!(settings.data.dir, world.path("project/deep/er/here"));
    let lang = sources.keys.iter().find(|chosen| chosen.key == "ui.lang").expect("ui.lang");
    assert_eq!((lang.value.as_str(), lang.at.as_str()), (Some("zh"), "PRAXIS_LANG"));
}

// A-096
#[test]
fn reserved_variables_and_those_of_other_programs_are_left_alone() {
    let world = SettingsWorld::new()
        .dotenv("TOKEN=x\nPRAXIS_SECRET_CRM=y\nPRAXIS_TEST_A=1\n")
        .var("PRAXIS_SUITES", "slow")
        .var("PRAXIS_TEST_SEED", "7")
        .var("PRAXIS_SECRET_MAIL", "z")
        .var("EDITOR", "vi");
    let (settings, _) = world.load();
    assert_eq!(settings.run.parallel_max_concurrent, 8);
}

// A-096
#[test]
fn the_user_file_of_an_environment_can_be_named_in_the_dotenv_file() {
    let world = SettingsWorld::new()
        .user_env("[ui]\ncolor = \"never\"\n")
        .without_var("PRAXIS_ENV")
        .dotenv("export PRAXIS_ENV='night' # or day\n");
    let (_, sources) = world.load();
    let color = sources.keys.iter().find(|chosen| chosen.key == "ui.color").expect("ui.color");
    assert_eq!(color.layer, Layer::UserEnv);
}

// A-096
#[test]
fn the_nearest_project_file_counts_alone() {
    let world = SettingsWorld::new()
        .project("[run]\nmax_step_retries = 1\nparallel = false\n")
        .file("project/deep/praxis.toml", "[run]\nmax_step_retries = 2\n");
    let (settings, _) = world.load();
    assert_eq!((settings.run.max_step_retries, settings.run.parallel), (2, true));
}

// A-096
#[test]
fn a_relative_path_starts_from_the_file_that_it_stands_in() {
    let world = SettingsWorld::new()
        .user("[data]\ndir = \"~/praxis-data\"\n")
        .project("[tools]\npaths = [\"./tools\", \"/opt/tools\", \"~/mine.toml\"]\n");
    let (settings, sources) = world.load();
    assert_eq!(settings.data.dir, world.path("home/praxis-data"));
    let tools = [world.path("project/tools"), PathBuf::from("/opt/tools")];
    assert_eq!(settings.tools.paths.get(..2), Some(&tools[..]));
    assert_eq!(settings.tools.paths.last(), Some(&world.path("home/mine.toml")));
    let paths = sources.keys.iter().find(|chosen| chosen.key == "tools.paths").expect("a key");
    insta::assert_snapshot!(
        world.short(&paths.value.to_string()),
        @r#"["~/project/tools", "/opt/tools", "~/home/mine.toml"]"#
    );
}

#[test]
fn tools_may_use_the_current_folder_unless_others_are_opened() {
    let world = SettingsWorld::new();
    assert_eq!(world.load().0.tools.folders, [world.path("project/deep/er")]);
    let world = SettingsWorld::new().project("[tools]\nfolders = [\"data\", \"/srv/load\"]\n");
    let (settings, _) = world.load();
    assert_eq!(settings.tools.folders, [world.path("project/data"), PathBuf::from("/srv/load")]);
}

// A-096
#[test]
fn data_lies_in_the_data_folder_unless_it_is_put_elsewhere() {
    let (settings, _) = SettingsWorld::new().var("XDG_DATA_HOME", "/srv").load();
    assert_eq!(settings.data.dir, PathBuf::from("/srv/praxis"));
    let world = SettingsWorld::new();
    assert_eq!(world.load().0.data.dir, world.path("home/.local/share/praxis"));
}

// A-096
#[test]
fn the_listing_says_which_files_there_are_and_which_won() {
    let world = SettingsWorld::new()
        .user("[run]\nlimits = \"hard\"\n")
        .project("\n[run]\nlimits = \"seed-v1.0\"\n")
        .var("PRAXIS_ENV", "night");
    let (_, sources) = world.load();
    let lines: Vec<String> = sources
        .files
        .iter()
        .map(|file| format!("{:?} {} {} {}", file.layer, file.path, file.exists, file.used))
        .collect();
    insta::assert_snapshot!(world.short(&lines.join("\n")), @"
    User ~/home/.config/praxis/config.toml true false
    UserEnv ~/home/.config/praxis/config.night.toml false false
    Project ~/project/praxis.toml true true
    Dotenv ~/project/deep/er/.env false false
    ");
    let limits = sources.keys.iter().find(|chosen| chosen.key == "run.limits").expect("a key");
    assert_eq!(world.short(&limits.at), "~/project/praxis.toml line 3");
    assert_eq!(sources.keys.len(), 54);
}

// A-096
#[test]
fn a_folder_named_dotenv_belongs_to_another_program() {
    let world = SettingsWorld::new().file("project/deep/er/.env/bin/run", "");
    assert_eq!(world.load().0.run.parallel_max_concurrent, 8);
}

// A-096
#[test]
fn a_secret_comes_from_the_environment_or_else_from_the_dotenv_file() {
    let world = SettingsWorld::new()
        .dotenv("PRAXIS_SECRET_CRM='one'\nPRAXIS_SECRET_MAIL=two\n")
        .var("PRAXIS_SECRET_MAIL", "three");
    assert_eq!(world.reserved("PRAXIS_SECRET_CRM").as_deref(), Some("one"));
    assert_eq!(world.reserved("PRAXIS_SECRET_MAIL").as_deref(), Some("three"));
    assert_eq!(world.reserved("PRAXIS_SECRET_BANK"), None);
}

// A-096
#[test]
fn a_byte_order_mark_and_windows_line_ends_do_no_harm() {
    let world = SettingsWorld::new().project("\u{feff}[run]\r\nmax_step_retries = 9\r\n");
    assert_eq!(world.load().0.run.max_step_retries, 9);
}

#[test]
fn hosts_are_granted_by_name_and_pattern_and_none_by_default() {
    use praxis_adapters::http::Hosts;
    assert_eq!(SettingsWorld::new().load().0.tools.hosts, Hosts::default());
    let listed = ["api.example.org".to_owned(), "*.data.cn".to_owned()];
    let file =
        SettingsWorld::new().project("[tools]\nhosts = [\"api.example.org\", \"*.data.cn\"]\n");
    let variable = SettingsWorld::new().var("PRAXIS_TOOLS_HOSTS", "api.example.org, *.data.cn");
    for world in [file, variable] {
        assert_eq!(world.load().0.tools.hosts, Hosts::read(&listed).unwrap());
    }
}

// A-069
#[test]
fn a_setting_of_an_earlier_version_is_accepted_and_told_with_its_place() {
    let world = SettingsWorld::new()
        .project("[run]\nmax_rounds = 5\n")
        .var("PRAXIS_RUN_MAX_ROUNDS", "7")
        .var("PRAXIS_RUN__MAX_ROUNDS", "8");
    let (settings, sources) = world.load();
    assert_eq!(settings.run, SettingsWorld::new().load().0.run, "it has no effect");
    let retired = sources.retired.iter().map(|(key, at)| format!("{key} {}", world.short(at)));
    let retired: Vec<String> = retired.collect();
    let project = "run.max_rounds ~/project/praxis.toml line 2";
    let (one, other) =
        ("run.max_rounds PRAXIS_RUN_MAX_ROUNDS", "run.max_rounds PRAXIS_RUN__MAX_ROUNDS");
    assert_eq!(retired, [project, one, other]);
}
