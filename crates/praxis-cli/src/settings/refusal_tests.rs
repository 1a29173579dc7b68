use super::world::SettingsWorld;

// A-096
#[test]
fn an_unknown_key_is_refused_in_every_layer_with_its_place_and_a_near_name() {
    let world = SettingsWorld::new()
        .user("[run]\nparalel = true\n")
        .user_env("[runn]\nparallel = true\n")
        .project("task_timeout = \"1h\"\n")
        .dotenv("# ours\nPRAXIS_UI_COLOUR=never\n")
        .var("PRAXIS_RUN__TASK_TIMEOUTS", "hunter2")
        .flag("run.limit", "hard");
    insta::assert_snapshot!(world.told(), @"
    unknown_setting: ~/home/.config/praxis/config.toml line 2: unknown setting `run.paralel` (did you mean `run.parallel` or `run.parallel_min_steps` or `run.parallel_max_concurrent`?)
    unknown_setting: ~/home/.config/praxis/config.night.toml line 1: unknown section `[runn]` (did you mean `[run]`?)
    unknown_setting: ~/project/praxis.toml line 1: unknown setting `task_timeout` (did you mean `run.task_timeout` or `tools.timeout`?)
    unknown_setting: ~/project/deep/er/.env line 2, PRAXIS_UI_COLOUR: variable `PRAXIS_UI_COLOUR` matches no setting (did you mean `PRAXIS_UI_COLOR`?)
    unknown_setting: PRAXIS_RUN__TASK_TIMEOUTS: variable `PRAXIS_RUN__TASK_TIMEOUTS` matches no setting (did you mean `PRAXIS_RUN_TASK_TIMEOUT` or `PRAXIS_RUN_MAX_STEP_RETRIES`?)
    unknown_setting: flag run.limit: unknown setting `run.limit` (did you mean `run.limits`?)
    ");
}

// A-096
#[test]
fn a_name_that_resembles_nothing_is_refused_without_a_guess() {
    let world =
        SettingsWorld::new().var("PRAXIS_QQQ", "1").project("[zzz]\na = 1\n[run]\nxyz = 1\n");
    insta::assert_snapshot!(world.told(), @"
    unknown_setting: ~/project/praxis.toml line 4: unknown setting `run.xyz`
    unknown_setting: ~/project/praxis.toml line 1: unknown section `[zzz]`
    unknown_setting: PRAXIS_QQQ: variable `PRAXIS_QQQ` matches no setting
    ");
}

// A-096
#[test]
fn wrong_types_and_values_are_refused_with_place_found_and_expected() {
    let world = SettingsWorld::new()
        .project(
            r#"
            tools = 5
            [data]
            dir = 7
            [ui]
            lang = "fr"
            color = true
            [run]
            parallel = "yes"
            parallel_max_concurrent = 0
            parallel_min_steps = 1.5
            task_timeout = 30
            max_step_retries = -1
            [http]
            allow_hosts = ["a", 1]
            max_response_bytes = "16MB"
            [journal]
            group_commit_max = 100001
            full_disk_wait = "0s"
            "#,
        )
        .dotenv("PRAXIS_RUN_PARALLEL=maybe\n")
        .var("PRAXIS_RUN_PARALLEL_MAX_CONCURRENT", "many")
        .flag("run.limits", "soft");
    insta::assert_snapshot!(world.told(), @r#"
    bad_setting: ~/project/praxis.toml line 4: `data.dir`: expected a path, got integer `7`
    bad_setting: ~/project/praxis.toml line 15: `http.allow_hosts`: expected a list of non-empty strings such as `["one", "two"]`, got array `["a", 1]`
    bad_setting: ~/project/praxis.toml line 16: `http.max_response_bytes`: expected a size above zero such as `64KiB`, `16MiB`, `1048576`, got string `"16MB"`
    bad_setting: ~/project/praxis.toml line 19: `journal.full_disk_wait`: expected a duration above zero such as `500ms`, `30s`, `10m`, `2h`, `1d`, got string `"0s"`
    bad_setting: ~/project/praxis.toml line 18: `journal.group_commit_max`: expected a whole number from 1 to 100000, got integer `100001`
    bad_setting: ~/project/praxis.toml line 13: `run.max_step_retries`: expected a whole number from 0 to 1000, got integer `-1`
    bad_setting: ~/project/praxis.toml line 9: `run.parallel`: expected `true` or `false`, got string `"yes"`
    bad_setting: ~/project/praxis.toml line 10: `run.parallel_max_concurrent`: expected a whole number from 1 to 1000, got integer `0`
    bad_setting: ~/project/praxis.toml line 11: `run.parallel_min_steps`: expected a whole number from 1 to 1000, got float `1.5`
    bad_setting: ~/project/praxis.toml line 12: `run.task_timeout`: expected a duration above zero such as `500ms`, `30s`, `10m`, `2h`, `1d`, got integer `30`
    bad_setting: ~/project/praxis.toml line 2: `tools`: expected a section `[tools]`, got integer `5`
    bad_setting: ~/project/praxis.toml line 7: `ui.color`: expected one of `auto`, `always`, `never`, got boolean `true`
    bad_setting: ~/project/praxis.toml line 6: `ui.lang`: expected one of `auto`, `zh`, `en`, got string `"fr"`
    bad_setting: ~/project/deep/er/.env line 1, PRAXIS_RUN_PARALLEL: `run.parallel`: expected `true` or `false`, got string `"maybe"`
    bad_setting: PRAXIS_RUN_PARALLEL_MAX_CONCURRENT: `run.parallel_max_concurrent`: expected a whole number from 1 to 1000, got string `"many"`
    bad_setting: flag run.limits: `run.limits`: expected one of `advisory`, `hard`, `seed-v1.0`, got string `"soft"`
    "#);
}

// A-096
#[test]
fn two_variables_of_one_key_must_agree() {
    let agree = SettingsWorld::new().var("PRAXIS_DATA", "/a").var("PRAXIS_DATA__DIR", "/a");
    assert_eq!(agree.load().0.data.dir.to_str(), Some("/a"));
    let differ = agree.var("PRAXIS_DATA_DIR", "/b");
    insta::assert_snapshot!(differ.told(), @"
    bad_setting: PRAXIS_DATA_DIR: `data.dir`: `PRAXIS_DATA` and `PRAXIS_DATA_DIR` have different values (keep one of them)
    bad_setting: PRAXIS_DATA__DIR: `data.dir`: `PRAXIS_DATA_DIR` and `PRAXIS_DATA__DIR` have different values (keep one of them)
    ");
}

// A-096
#[test]
fn files_that_cannot_be_read_are_named_together() {
    let world = SettingsWorld::new()
        .file("home/.config/praxis/config.toml/in", "")
        .user_env("[run]\nparallel = \n")
        .file("project/praxis.toml", b"[run]\n# \xff\n")
        .dotenv("A=1\nPRAXIS_RUN_PARALLEL='true\n");
    insta::assert_snapshot!(world.told(), @"
    settings_file: ~/project/deep/er/.env line 2: missing closing `'`
    settings_file: ~/home/.config/praxis/config.toml: cannot read the file: Is a directory (os error 21)
    settings_file: ~/home/.config/praxis/config.night.toml line 2: invalid TOML: string values must be quoted, expected literal string
    settings_file: ~/project/praxis.toml: the file is not UTF-8: invalid byte at offset 8
    ");
}

// A-096
#[test]
fn a_key_written_twice_in_one_file_is_refused() {
    let world = SettingsWorld::new().project("[run]\nparallel = true\nparallel = false\n");
    insta::assert_snapshot!(world.told(), @"settings_file: ~/project/praxis.toml line 3: invalid TOML: duplicate key");
}

// A-096
#[test]
fn the_name_of_an_environment_cannot_leave_the_folder() {
    insta::assert_snapshot!(SettingsWorld::new().var("PRAXIS_ENV", "../../x").told(), @"bad_setting: PRAXIS_ENV: invalid environment name `../../x`; use only letters, digits, `-` and `_`");
}

// A-096
#[test]
fn without_a_home_folder_the_data_folder_has_to_be_set() {
    let world = SettingsWorld::new().without_var("HOME");
    insta::assert_snapshot!(world.told(), @"bad_setting: built in: `data.dir` is empty, and neither XDG_DATA_HOME nor HOME is set (set `data.dir`)");
    assert_eq!(world.var("PRAXIS_DATA", "/a").load().0.data.dir.to_str(), Some("/a"));
    let tilde = SettingsWorld::new().without_var("HOME").var("PRAXIS_DATA", "~/a");
    insta::assert_snapshot!(tilde.told(), @"bad_setting: PRAXIS_DATA: cannot expand `~` in `~/a`: HOME is not set");
}

#[test]
fn what_is_no_host_name_is_refused_with_what_would_be_one() {
    let world = SettingsWorld::new().project("[tools]\nhosts = [\"a.org\", \"https://b.org/\"]\n");
    insta::assert_snapshot!(world.told(), @r#"bad_setting: ~/project/praxis.toml line 2: `tools.hosts`: expected host names such as `["api.example.org", "*.example.com"]`, without scheme, port and path, got string `"https://b.org/"`"#);
}
