use super::*;
use crate::settings::keys::DEFAULTS;
use praxis_core::budget::limit::Budget;
use praxis_core::goal::spec::{
    GoalOptions, JudgingMode, PlanApproval, ProgressMessages, RecoveryMode, TwoStage,
    ValueInference,
};
use std::collections::BTreeMap;

fn environment(vars: &[(&str, &str)]) -> Environment {
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Environment { vars: vars.collect::<BTreeMap<_, _>>(), cwd: PathBuf::from("/") }
}

fn all_allowed() -> ApprovalSettings {
    let (read, write, irreversible) = (CallPolicy::Allow, CallPolicy::Allow, CallPolicy::Allow);
    ApprovalSettings { read, write, irreversible, loosen: BTreeSet::new() }
}

fn goals() -> GoalSettings {
    GoalSettings {
        two_stage: TwoStage::Auto,
        two_stage_tool_threshold: 10,
        approval: PlanApproval::Writes,
        recovery: RecoveryMode::Full,
        inference: ValueInference::Missing,
        judging: JudgingMode::Auto,
        messages: ProgressMessages::Rules,
        output_tokens: 64_000,
        success_threshold: 80,
        learn: true,
        experience: true,
        plan_cache: true,
    }
}

/// No field has a default in Rust and none is optional, so a field that is missing from the
/// embedded file fails here, and so does a key that no field has.
#[test]
fn the_embedded_file_has_every_field_and_no_other_key() {
    let settings: Settings = toml::from_str(DEFAULTS).expect("the embedded file is settings");
    assert_eq!(
        settings,
        Settings {
            data: DataSettings { dir: PathBuf::new() },
            ui: UiSettings { lang: LangChoice::Auto, color: Color::Auto },
            log: LogSettings { level: LogLevel::Off, format: LogFormat::Text },
            intake: IntakeSettings { tasks: 0, requests: 0, within_ms: 15_000 },
            run: RunSettings {
                parallel: true,
                parallel_max_concurrent: 8,
                parallel_min_steps: 1,
                task_timeout_ms: 3_600_000,
                on_wall: OnLimitSetting::Auto,
                answer_within_ms: None,
                unanswered: UnansweredAction::Deny,
                on_unresolved: OnUnresolved::Ask,
                max_step_retries: 3,
                max_single_step_repairs: 1,
                max_task_replanning_attempts: 1,
                max_consecutive_failures: 3,
                limits: LimitsSetting::Advisory,
            },
            approval: all_allowed(),
            goal: goals(),
            budget: Spending {
                tokens: 1_000_000,
                money: None,
                calls: 0,
                model_calls: 200,
                tool_calls: 1000,
                replans: 10,
                same_calls: 3,
            },
            tools: ToolSettings {
                paths: Vec::new(),
                folders: vec![PathBuf::from(".")],
                hosts: Hosts::default(),
                timeout_ms: 300_000,
            },
            http: HttpSettings { allow_hosts: Vec::new(), max_response_bytes: 16_777_216 },
            journal: JournalSettings {
                group_commit_max: 1024,
                lone_commits: true,
                snapshot_after: 10_000,
                full_disk_wait_ms: 1000,
            },
        }
    );
}

#[test]
fn the_defaults_of_goals_are_those_of_the_core_and_the_old_limits_cap_them() {
    let settings: Settings = toml::from_str(DEFAULTS).expect("the embedded file is settings");
    assert_eq!(settings.goal.manner(&settings.run), GoalOptions::default());
    assert_eq!(settings.budget.budget(), Budget::default());
    assert_eq!(settings.approval.policy(ByRisk::default()), Policy::default());
    let seed = RunSettings { limits: LimitsSetting::SeedV1_0, ..settings.run };
    let goal_options = settings.goal.manner(&seed);
    assert_eq!(
        (goal_options.max_single_step_repairs, goal_options.max_task_replans),
        (Some(1), Some(1))
    );
}

#[test]
fn a_key_missing_from_the_embedded_file_would_be_noticed() {
    for line in DEFAULTS.lines().filter(|line| !line.starts_with(['#', '[']) && !line.is_empty()) {
        let without = DEFAULTS.replacen(&format!("\n{line}\n"), "\n", 1);
        let error = toml::from_str::<Settings>(&without).expect_err(line).to_string();
        assert!(error.contains("missing field"), "{line}: {error}");
    }
}

#[test]
fn the_first_locale_variable_that_is_set_decides_the_language() {
    let auto = |vars: &[(&str, &str)]| LangChoice::Auto.resolve(&environment(vars));
    assert_eq!(auto(&[]), Lang::En);
    assert_eq!(auto(&[("LANG", "zh_CN.UTF-8")]), Lang::Zh);
    assert_eq!(auto(&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "")]), Lang::Zh);
    assert_eq!(auto(&[("LANG", "zh_CN.UTF-8"), ("LC_MESSAGES", "C")]), Lang::En);
    assert_eq!(auto(&[("LC_MESSAGES", "C"), ("LC_ALL", "zh")]), Lang::Zh);
    let set = LangChoice::Set(Lang::En).resolve(&environment(&[("LANG", "zh_CN.UTF-8")]));
    assert_eq!(set, Lang::En);
}

#[test]
fn no_color_turns_colors_off_unless_they_are_always_wanted() {
    let (plain, asked) = (environment(&[("NO_COLOR", "")]), environment(&[("NO_COLOR", "1")]));
    assert!(Color::Auto.paints(&plain, true));
    assert!(!Color::Auto.paints(&plain, false));
    assert!(!Color::Auto.paints(&asked, true));
    assert!(Color::Always.paints(&asked, false));
    assert!(!Color::Never.paints(&plain, true));
}

#[test]
fn at_a_wall_a_person_is_asked_only_where_one_can_answer() {
    assert_eq!(OnLimitSetting::Auto.resolve(true), OnLimit::Ask);
    assert_eq!(OnLimitSetting::Auto.resolve(false), OnLimit::Wait);
    assert_eq!(OnLimitSetting::Set(OnLimit::Ask).resolve(false), OnLimit::Ask);
}
