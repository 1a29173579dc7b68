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
        "name the program to run, as in `command: {argv: [python3, tool.py]}`",
        "写明要运行的程序，如 `command: {argv: [python3, tool.py]}`",
    ),
    (
        "bad_http",
        "correct this field of `http`; docs/guide/tools.md describes all fields",
        "请修正 `http` 的这个字段；各字段的说明见 docs/guide/tools.md",
    ),
    (
        "bad_id",
        "rename it: letters, digits, `_`, `-` and `.` are allowed",
        "请改名：可用字母、数字、`_`、`-` 和 `.`",
    ),
    ("bad_limit", "correct the number", "请改为允许范围内的数字"),
    (
        "bad_not_empty",
        "correct `not_empty`, or remove it to accept an empty output",
        "请修正 `not_empty`，或去掉它以允许空输出",
    ),
    (
        "bad_parameter",
        "correct the value, or the tool's input_schema",
        "修正该值，或修正工具的 input_schema",
    ),
    ("bad_placeholder", "write `\\{{` for literal braces", "字面花括号请写作 `\\{{`"),
    (
        "bad_schema",
        "correct the schema; references to other documents are not supported",
        "请修正 schema；不支持引用其他文档",
    ),
    (
        "bad_setting",
        "correct the value; `praxis config show` lists all settings",
        "修正该值；`praxis config show` 列出全部设置项",
    ),
    (
        "no_description",
        "describe the tool in one sentence: models choose tools by their description",
        "用一句话说明工具的作用：模型根据描述选择工具",
    ),
    (
        "own_name",
        "give the tool another id; `praxis flow calls` lists the built-in node types",
        "请为工具换一个 id；`praxis flow calls` 列出内置节点类型",
    ),
    (
        "bad_span",
        "write a duration such as `500ms`, `30s`, `10m`, `2h` or `1d`",
        "写成时长，如 `500ms`、`30s`、`10m`、`2h` 或 `1d`",
    ),
    ("bad_sql", "write an SQL query, or remove the field", "写一条 SQL 查询，或去掉该字段"),
    (
        "bad_url",
        "write the full URL, as in `https://example.org/{id}`",
        "写完整的 URL，如 `https://example.org/{id}`",
    ),
    ("cycle", "remove one of these dependencies or references", "去掉其中一个依赖或引用"),
    ("duplicate_step", "rename one of them", "请重命名其中一个"),
    ("duplicate_tool", "remove or rename one of them", "请删除或重命名其中一个"),
    (
        "file_too_large",
        "pass a path to the tool instead of the content",
        "请向工具传路径，而不是内容",
    ),
    ("file_unreadable", "check the path and its permissions", "请检查路径及其权限"),
    ("malformed", "fix the document at this position", "请按上述提示修改文档的该处"),
    (
        "manifest_shape",
        "see docs/guide/tools.md for the fields of a manifest",
        "清单的字段见 docs/guide/tools.md",
    ),
    (
        "open_password",
        "replace it with `secret:NAME` and set PRAXIS_SECRET_NAME",
        "请改写为 `secret:NAME`，并设置 PRAXIS_SECRET_NAME",
    ),
    ("metadata_is_step", "rename the key or the step", "请重命名该键或步骤"),
    ("missing_parameter", "add it to the parameters of the step", "请在步骤的参数中补上"),
    ("not_utf8", "save the file as UTF-8", "请将文件保存为 UTF-8"),
    ("number_inexact", "put it in quotes if it is an identifier", "若是标识符，请加引号"),
    ("parameter_too_large", "pass the large value with --params", "请用 --params 传入较大的值"),
    (
        "params_not_json",
        "write the parameters as an object of names and values",
        "将参数写成由名称和值组成的对象",
    ),
    (
        "params_shape",
        "write KEY=VALUE, or pass a file that contains an object",
        "写成 KEY=VALUE，或提供内容为对象的文件",
    ),
    ("plan_empty", "add at least one step", "请至少添加一个步骤"),
    (
        "plan_shape",
        "see docs/guide/plans.md for the format of a plan",
        "计划的格式见 docs/guide/plans.md",
    ),
    ("plan_too_large", "split the plan", "请拆分计划"),
    ("self_dependency", "remove the dependency or the placeholder", "请去掉该依赖或占位符"),
    ("self_reference", "name another tool, or remove this entry", "请改为另一个工具，或删除此项"),
    ("settings_file", "fix the file, or move it elsewhere", "请修正或移走该文件"),
    (
        "step_shape",
        "see docs/guide/plans.md for the fields of a step",
        "步骤的字段见 docs/guide/plans.md",
    ),
    ("tool_unusable", "correct the tool's manifest", "请修正工具的清单"),
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
        "修正名称；`praxis config show` 列出全部设置项",
    ),
    (
        "unknown_step",
        "correct the id; `praxis show` lists the steps of a task",
        "修正 id；`praxis show` 列出任务的步骤",
    ),
    (
        "unknown_tool",
        "correct the name, or pass its manifest with --tools",
        "修正名称，或用 --tools 提供其清单",
    ),
];

/// Advice for commands on a task or a question.
const COMMANDS: &[(&str, &str, &str)] = &[
    (
        "ambiguous_question",
        "type more of the id; `praxis inbox` lists the questions",
        "请多写几位 id；`praxis inbox` 列出问题",
    ),
    (
        "ambiguous_task",
        "type more of the id; `praxis ps` lists the tasks",
        "请多写几位 id；`praxis ps` 列出任务",
    ),
    (
        "approval_denied",
        "change the setting, or leave out the flag",
        "请修改该设置项，或去掉该选项",
    ),
    ("bad_answer", "`praxis inbox` shows the question", "`praxis inbox` 显示该问题"),
    (
        "bad_order",
        "the owner process may be another version of praxis; try again after it exits",
        "占用数据文件夹的进程可能是另一版本的 praxis；请在其退出后重试",
    ),
    ("bad_sequence", "use the number of one of these events", "请使用其中一个事件的编号"),
    ("bad_status", "use one of these statuses", "请使用其中一个状态"),
    (
        "erased",
        "it cannot be restored; `praxis ps` lists the remaining tasks",
        "已删除的任务无法找回；`praxis ps` 列出现有任务",
    ),
    (
        "folder_taken",
        "choose a new or empty folder: `praxis example NAME DIR`",
        "请选择新的或空的文件夹：`praxis example NAME DIR`",
    ),
    (
        "idempotency_mismatch",
        "use a different key for a different request",
        "不同的请求请使用不同的键",
    ),
    (
        "no_answer",
        "`praxis answer --help` shows how to answer",
        "`praxis answer --help` 说明如何回答",
    ),
    ("not_confirmed", "add --yes", "请加上 --yes"),
    ("not_found", "`praxis ps` lists the tasks", "`praxis ps` 列出任务"),
    ("question_not_open", "`praxis inbox` lists the questions", "`praxis inbox` 列出问题"),
    (
        "task_completed",
        "`praxis fork` creates a new task from it",
        "`praxis fork` 可基于它创建新任务",
    ),
    (
        "task_ended",
        "`praxis show` shows the task; `praxis retry` continues a failed or cancelled task",
        "`praxis show` 可查看任务；`praxis retry` 可恢复执行失败或已取消的任务",
    ),
    (
        "task_undriven",
        "run `praxis resume TASK` to continue and follow it",
        "请运行 `praxis resume TASK` 恢复执行并跟踪",
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
        "请从备份恢复数据文件夹中的 `blobs`",
    ),
    (
        "data_folder_owned",
        "wait until the owner process exits, or choose another folder with --data",
        "请等待占用它的进程退出，或用 --data 指定其他文件夹",
    ),
    (
        "data_folder_unusable",
        "check its permissions, or choose another folder with --data",
        "请检查其权限，或用 --data 指定其他文件夹",
    ),
    ("data_path_too_long", "choose a shorter path with --data", "请用 --data 指定较短的路径"),
    (
        "database_unusable",
        "choose another folder with --data, or check this one with `praxis doctor`",
        "请用 --data 指定其他文件夹，或用 `praxis doctor` 检查当前的数据文件夹",
    ),
    (
        "journal_damaged",
        "the file was not changed; restore it from a backup",
        "文件未被改动；请从备份恢复",
    ),
    (
        "journal_illegal",
        "`praxis show --events` shows the journal; please report this problem",
        "`praxis show --events` 显示事件日志；请报告此问题",
    ),
    (
        "journal_stopped",
        "fix the disk problem, then run `praxis resume`",
        "排除磁盘故障后运行 `praxis resume`",
    ),
    (
        "too_many_requests",
        "try again in a moment; the setting `intake.requests` limits how many tasks may start",
        "请稍后再试；可提交的任务数由设置项 `intake.requests` 限制",
    ),
    (
        "too_many_tasks",
        "wait until a task ends, or cancel one; `praxis ps` lists the tasks",
        "请等待一个任务结束，或取消一个；`praxis ps` 列出任务",
    ),
    ("journal_unreadable", "check it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    (
        "no_runtime",
        "raise the system limits on threads and open files",
        "请提高系统对线程数和打开文件数的限制",
    ),
    (
        "owner_not_started",
        "fix the cause named in the message, or run without --detach",
        "请先解决上述原因，或不用 --detach 运行",
    ),
    ("owner_silent", "check it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    ("recovery_failed", "check it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    ("replay_diverged", "compare the two events that are shown", "请对照上面列出的两个事件"),
    ("replay_impossible", "check it with `praxis doctor`", "请用 `praxis doctor` 检查"),
    ("task_stopped", "fix the cause, then run `praxis resume`", "排除原因后运行 `praxis resume`"),
    ("unknown_event", "use the newer version of praxis that wrote it", "请使用写入它的新版 praxis"),
];

/// Advice for prompts, scenes and workflows.
const TEXTS: &[(&str, &str, &str)] = &[
    ("given_twice", "keep one of the two files", "两个文件只保留一个"),
    (
        "prompt_bad_stage_line",
        "make this the first line of the file: recorded calls are matched to prompts by it",
        "请将该行作为文件的第一行：录制的调用靠它与提示词对应",
    ),
    (
        "prompt_missing_hole",
        "add it where its value belongs; `praxis prompt show` shows the original",
        "请在提示词中需要该值的位置加上该占位符；`praxis prompt show` 显示原文",
    ),
    (
        "prompt_unknown_hole",
        "correct the name; `praxis prompt list` lists the placeholders of every part",
        "修正名称；`praxis prompt list` 列出各片段的占位符",
    ),
    (
        "prompt_unknown_part",
        "rename the file; `praxis prompt list` lists all parts",
        "请重命名文件；`praxis prompt list` 列出全部片段",
    ),
    ("choice_shape", "fix the branch named in the message", "请按上述提示修改该分支"),
    (
        "scene_shape",
        "see docs/guide/scenes.md for the fields of a scene",
        "场景的字段见 docs/guide/scenes.md",
    ),
    (
        "unknown_scene",
        "`praxis scene list` lists the scenes (kinds of requests)",
        "`praxis scene list` 列出场景（请求的种类）",
    ),
    (
        "unknown_workflow",
        "`praxis workflow list` lists the workflows",
        "`praxis workflow list` 列出工作流",
    ),
    (
        "workflow_left",
        "keep the number, order and tools of its steps; only parameters may change",
        "保持步骤的数量、顺序和工具不变；只能修改参数",
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
