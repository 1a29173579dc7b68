//! Advice on the next action for every problem code. A `Problem` with more specific advice overrides it.

use super::advice_flows::FLOWS;
use super::advice_goals::GOALS;
use super::advice_models::MODELS;
use crate::lang::Lang;

/// Returns the advice for a problem code, or `None` for an unknown code.
pub(super) fn advice(code: &str, lang: Lang) -> Option<&'static str> {
    let of_code = |list: &[(&str, &'static str, &'static str)]| {
        let (_, en, zh) = list.iter().find(|(known, _, _)| *known == code)?;
        Some(match lang {
            Lang::En => *en,
            Lang::Zh => *zh,
        })
    };
    let lists = [INPUTS, COMMANDS, FOLDER, TEXTS, MODELS, GOALS, FLOWS];
    lists.into_iter().find_map(of_code)
}

/// Advice for plans, manifests, files, values and settings, as `(code, English, Chinese)`.
const INPUTS: &[(&str, &str, &str)] = &[
    (
        "bad_command",
        "name a program, as in `command: {argv: [python3, tool.py]}`",
        "写明程序，如 `command: {argv: [python3, tool.py]}`",
    ),
    (
        "bad_http",
        "correct this part of `http`; docs/guide/tools.md tells what each takes",
        "请修正 `http` 的这一部分；各字段见 docs/guide/tools.md",
    ),
    (
        "bad_id",
        "rename it: letters, digits, `_`, `-` and `.` are fine",
        "请改名：可用字母、数字、`_`、`-` 和 `.`",
    ),
    ("bad_limit", "correct the number", "请修正该数字"),
    (
        "bad_not_empty",
        "correct `not_empty`, or leave it out: an empty output is an answer then",
        "请修正 `not_empty`；或去掉它，空输出即为结果",
    ),
    (
        "bad_parameter",
        "correct the value, or the tool's input_schema",
        "修正该值，或工具的 input_schema",
    ),
    ("bad_placeholder", "write `\\{{` for literal braces", "字面花括号请写作 `\\{{`"),
    (
        "bad_schema",
        "correct the schema; references to other documents are not followed",
        "修正 schema；不会读取其他文档的引用",
    ),
    (
        "bad_setting",
        "correct the value; `praxis config show` lists all settings",
        "修正该值；`praxis config show` 列出全部设置",
    ),
    (
        "no_description",
        "say in a sentence what it does: models choose tools by that",
        "用一句话说明它做什么：模型据此选择工具",
    ),
    (
        "own_name",
        "give the tool another id; `praxis flow calls` lists the names that are taken",
        "为工具换一个 id；`praxis flow calls` 列出已占用的名称",
    ),
    (
        "bad_span",
        "write a time such as `500ms`, `30s`, `10m`, `2h` or `1d`",
        "写成时间，如 `500ms`、`30s`、`10m`、`2h` 或 `1d`",
    ),
    ("bad_sql", "write a query, or leave the field out", "写一条查询，或去掉该字段"),
    (
        "bad_url",
        "write the whole address, as in `https://example.org/{id}`",
        "写完整地址，如 `https://example.org/{id}`",
    ),
    ("cycle", "remove one of these dependencies or references", "去掉其中一个依赖或引用"),
    ("duplicate_step", "rename one of them", "请重命名其中一个"),
    ("duplicate_tool", "remove or rename one of them", "请删除或重命名其中一个"),
    ("file_too_large", "give the tool a path instead of the content", "请向工具提供路径而非内容"),
    ("file_unreadable", "check the path and its rights", "请检查路径及其权限"),
    ("malformed", "correct it at this place", "请修正此处"),
    (
        "manifest_shape",
        "see docs/guide/tools.md for the fields of a manifest",
        "清单的字段见 docs/guide/tools.md",
    ),
    (
        "open_password",
        "write `secret:NAME` in its place and set PRAXIS_SECRET_NAME",
        "请改写为 `secret:NAME`，并设置 PRAXIS_SECRET_NAME",
    ),
    ("metadata_is_step", "rename the key or the step", "请重命名该键或步骤"),
    ("missing_parameter", "add it to the parameters of the step", "请在步骤的参数中补上"),
    ("not_utf8", "save the file as UTF-8", "请将文件保存为 UTF-8"),
    ("number_inexact", "write it in quotes if it is an identifier", "若是标识符，请加引号书写"),
    ("parameter_too_large", "give the large value with --params", "用 --params 提供大的值"),
    (
        "params_not_json",
        "write the parameters as an object of names and values",
        "将参数写成由名称和值组成的对象",
    ),
    ("params_shape", "write KEY=VALUE, or an object in a file", "写成 KEY=VALUE，或文件中的对象"),
    ("plan_empty", "add a step", "请添加步骤"),
    (
        "plan_shape",
        "see docs/guide/plans.md for the form of a plan",
        "计划的格式见 docs/guide/plans.md",
    ),
    ("plan_too_large", "split the plan", "请拆分计划"),
    ("self_dependency", "remove the dependency or the placeholder", "请去掉该依赖或占位符"),
    ("self_reference", "name another tool, or none", "请写另一个工具，或不写"),
    ("settings_file", "correct the file, or move it away", "请修正或移走该文件"),
    (
        "step_shape",
        "see docs/guide/plans.md for the fields of a step",
        "步骤的字段见 docs/guide/plans.md",
    ),
    ("tool_unusable", "mend the tool's manifest", "请修正工具的清单"),
    ("unknown_dependency", "correct the id, or add the step", "修正 id，或添加该步骤"),
    ("unknown_field", "correct the name, or remove the field", "修正名称，或删除该字段"),
    (
        "unknown_output_field",
        "correct the name, or the tool's output_schema",
        "修正名称，或工具的 output_schema",
    ),
    ("unknown_parameter", "correct the name, or remove the parameter", "修正名称，或删除该参数"),
    (
        "unknown_setting",
        "correct the name; `praxis config show` lists all settings",
        "修正名称；`praxis config show` 列出全部设置",
    ),
    (
        "unknown_step",
        "correct the id: the plan has the steps, and `praxis show` lists those of a task",
        "修正 id：步骤见计划，任务的步骤由 `praxis show` 列出",
    ),
    (
        "unknown_tool",
        "correct the name, or give its manifest with --tools",
        "修正名称，或用 --tools 提供其清单文件",
    ),
];

/// Advice for commands on a task or a question.
const COMMANDS: &[(&str, &str, &str)] = &[
    (
        "ambiguous_question",
        "give more of the id; `praxis inbox` lists the questions",
        "请多写几位 id；`praxis inbox` 列出问题",
    ),
    (
        "ambiguous_task",
        "give more of the id; `praxis ps` lists the tasks",
        "请多写几位 id；`praxis ps` 列出任务",
    ),
    (
        "approval_denied",
        "change the setting where it stands, or leave the flag out",
        "在其所在处修改设置，或去掉该选项",
    ),
    ("bad_answer", "`praxis inbox` shows what is asked", "`praxis inbox` 显示所问内容"),
    (
        "bad_order",
        "the owner may be another version of praxis; try again when it has left",
        "所有者可能是另一版本的 praxis；待其退出后重试",
    ),
    ("bad_sequence", "give the number of one of these events", "请给出其中一个事件的编号"),
    ("bad_status", "use one of these words", "请使用其中一个词"),
    (
        "erased",
        "it is gone for good; `praxis ps` lists the tasks",
        "已永久删除；`praxis ps` 列出任务",
    ),
    (
        "folder_taken",
        "name a folder that is new or empty: `praxis example NAME DIR`",
        "请给出新的或空的文件夹：`praxis example NAME DIR`",
    ),
    ("idempotency_mismatch", "use another key for another request", "不同的请求请使用不同的键"),
    ("no_answer", "`praxis answer --help` shows the forms", "`praxis answer --help` 列出各种写法"),
    ("not_confirmed", "add --yes", "请加上 --yes"),
    ("not_found", "`praxis ps` lists the tasks", "`praxis ps` 列出任务"),
    ("question_not_open", "`praxis inbox` lists the questions", "`praxis inbox` 列出问题"),
    ("task_completed", "`praxis fork` makes a new task of it", "`praxis fork` 可由它产生新任务"),
    (
        "task_ended",
        "`praxis show` shows it; `praxis retry` takes a failed or cancelled task up again",
        "`praxis show` 可查看；`praxis retry` 可继续失败或已取消的任务",
    ),
    (
        "task_undriven",
        "`praxis resume TASK` takes it up and follows it",
        "`praxis resume TASK` 可接着执行并跟踪",
    ),
    (
        "task_running",
        "wait for it, or stop it with `praxis cancel`",
        "请等待，或用 `praxis cancel` 停止",
    ),
    ("task_stopping", "wait until it has stopped", "请等待其停止"),
    ("usage", "see `praxis --help`", "见 `praxis --help`"),
];

/// Advice for the data folder and its files.
const FOLDER: &[(&str, &str, &str)] = &[
    (
        "blob_unreadable",
        "restore `blobs` in the data folder from a backup",
        "请从备份恢复数据目录中的 `blobs`",
    ),
    (
        "data_folder_owned",
        "wait until it has left, or give another folder with --data",
        "请等待其退出，或用 --data 指定其他目录",
    ),
    (
        "data_folder_unusable",
        "check its rights, or give another folder with --data",
        "请检查其权限，或用 --data 指定其他目录",
    ),
    ("data_path_too_long", "give a shorter path with --data", "请用 --data 指定较短的路径"),
    (
        "database_unusable",
        "give another folder with --data, or look at it with `praxis doctor`",
        "请用 --data 指定其他目录，或用 `praxis doctor` 检查",
    ),
    (
        "journal_damaged",
        "the file is left as it is; restore it from a backup",
        "文件保持原样；请从备份恢复",
    ),
    (
        "journal_illegal",
        "`praxis show --events` shows the journal; please report it",
        "`praxis show --events` 显示日志；请报告此问题",
    ),
    (
        "journal_stopped",
        "mend the disk, then run `praxis resume`",
        "排除磁盘故障后运行 `praxis resume`",
    ),
    (
        "too_many_requests",
        "try again in a moment; `intake.requests` in the settings says how many may begin",
        "请稍后再试；设置 `intake.requests` 规定可开始多少个",
    ),
    (
        "too_many_tasks",
        "wait until one has ended, or cancel one; `praxis ps` lists them",
        "等一个任务结束，或取消一个；`praxis ps` 可列出任务",
    ),
    ("journal_unreadable", "look at it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    (
        "no_runtime",
        "raise the limits of the system on threads and files",
        "请提高系统对线程和文件的限制",
    ),
    (
        "owner_not_started",
        "mend what the message says, or run without --detach",
        "按提示排除原因，或不使用 --detach 运行",
    ),
    ("owner_silent", "see `praxis doctor`", "见 `praxis doctor`"),
    ("recovery_failed", "look at it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    ("replay_diverged", "compare the two events that are shown", "请比较显示的两个事件"),
    ("replay_impossible", "look at it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    (
        "task_stopped",
        "mend what is wrong and run `praxis resume`",
        "排除原因后运行 `praxis resume`",
    ),
    ("unknown_event", "use the newer praxis that wrote it", "请使用写入它的较新版本"),
];

/// Advice for prompts, scenes and workflows.
const TEXTS: &[(&str, &str, &str)] = &[
    ("given_twice", "keep one of the two files", "两个文件只保留一个"),
    (
        "prompt_bad_stage_line",
        "begin the file with that line: models and recordings know the stage by it",
        "文件应以该行开头：模型和录制靠它识别阶段",
    ),
    (
        "prompt_missing_hole",
        "put it where its value is to stand; `praxis prompt show` shows the original",
        "写在应填入其值的位置；`praxis prompt show` 显示原文",
    ),
    (
        "prompt_unknown_hole",
        "correct the name; `praxis prompt list` lists the holes of every part",
        "修正名称；`praxis prompt list` 列出各部分的填充位",
    ),
    (
        "prompt_unknown_part",
        "rename the file; `praxis prompt list` lists all parts",
        "请重命名文件；`praxis prompt list` 列出全部部分",
    ),
    ("choice_shape", "correct the branch that is named", "修正所指出的分支"),
    (
        "scene_shape",
        "see docs/guide/scenes.md for the fields of a scene",
        "场景的字段见 docs/guide/scenes.md",
    ),
    ("unknown_scene", "`praxis scene list` lists the scenes", "`praxis scene list` 列出场景"),
    (
        "unknown_workflow",
        "`praxis workflow list` lists the workflows",
        "`praxis workflow list` 列出工作流",
    ),
    (
        "workflow_left",
        "keep the number, the order and the tools of its steps; only parameters are free",
        "保持其步骤的数量、顺序和工具；只有参数可变",
    ),
    (
        "workflow_shape",
        "see docs/guide/workflows.md for the fields of a workflow",
        "工作流的字段见 docs/guide/workflows.md",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of `Fault`s, which carry their own advice.
    const FAULTS: &str = "actions_failed agent_out_of_turns answer_unfit budget_used_up call_denied call_refused cancelled choice_failed given_up goal_missed \
        goal_rejected host_not_granted inner_step_failed interrupted model_needed plan_refused plan_repeated output_empty \
        output_invalid output_too_large panicked params_invalid steps_failed task_timeout timeout tool_broke \
        tool_failed tool_not_found tool_unavailable unresolved_placeholder";

    #[test]
    fn every_code_of_the_manual_has_advice_in_both_languages_and_no_other_has() {
        let listed = include_str!("../../../../docs/errors/codes.txt").lines();
        let problems = listed.filter(|code| !FAULTS.split_whitespace().any(|fault| fault == *code));
        let mut known: Vec<&str> = [INPUTS, COMMANDS, FOLDER, TEXTS, MODELS, GOALS, FLOWS]
            .concat()
            .iter()
            .map(|(code, _, _)| *code)
            .collect();
        known.sort_unstable();
        assert_eq!(known, problems.collect::<Vec<_>>());
        for (code, en, zh) in [INPUTS, COMMANDS, FOLDER, TEXTS, MODELS, GOALS, FLOWS].concat() {
            assert!(en.is_ascii() && !en.is_empty(), "{code}");
            assert!(zh.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{code}");
        }
    }
}
