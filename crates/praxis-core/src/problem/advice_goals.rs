//! Advice on the next action for the problem codes of goals, model answers and rehearsals.

/// Advice for goals and model answers, as `(code, English, Chinese)`.
pub(super) const GOALS: &[(&str, &str, &str)] = &[
    (
        "answer_cut",
        "raise `max_output` of the model, or ask for less",
        "提高模型的 `max_output`，或缩小要求的范围",
    ),
    (
        "answer_field",
        "try a stronger model; `praxis show TASK --raw` shows its answer",
        "请换更强的模型；`praxis show TASK --raw` 显示其回答",
    ),
    (
        "answer_no_json",
        "try a stronger model; `praxis show TASK --raw` shows its answer",
        "请换更强的模型；`praxis show TASK --raw` 显示其回答",
    ),
    ("answer_schema", "correct the schema of the answer", "请修正答案的 schema"),
    (
        "bad_amount",
        "write an amount such as `500`, `20k` or `CNY0.5`",
        "写成数量，如 `500`、`20k` 或 `CNY0.5`",
    ),
    (
        "bad_budget",
        "write limits such as `tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`",
        "写成限额，如 `tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`",
    ),
    (
        "bad_history",
        "pass a list of steps, each with `step_id`, `tool_id`, `status` and `output`; see docs/guide/goals.md",
        "请给出步骤列表，每步含 `step_id`、`tool_id`、`status` 和 `output`；见 docs/guide/goals.md",
    ),
    (
        "bad_hit",
        "write `hit` like `{\"enabled\": true, \"task_id\": \"task_...\", \"similarity_threshold\": 0.8}`; every field is optional; see docs/guide/experience.md",
        "`hit` 写成如 `{\"enabled\": true, \"task_id\": \"task_...\", \"similarity_threshold\": 0.8}`，每个字段都可省略；见 docs/guide/experience.md",
    ),
    ("bad_cassette", "record it again, or remove the line", "请重新录制，或删除该行"),
    (
        "bad_script",
        "correct it at the position shown; see docs/guide/rehearsal.md",
        "请修正所示位置；见 docs/guide/rehearsal.md",
    ),
    ("cannot_listen", "choose another port", "请换一个端口"),
    (
        "duplicate_test",
        "choose another name, or remove it with `praxis test rm`",
        "请换一个名称，或用 `praxis test rm` 删除",
    ),
    (
        "goal_empty",
        "say what you want, as in `praxis run \"...\"`",
        "请写明目标，如 `praxis run \"...\"`",
    ),
    (
        "no_editor",
        "set EDITOR, or use `praxis answer --plan FILE`",
        "请设置 EDITOR，或用 `praxis answer --plan FILE`",
    ),
    (
        "no_experience",
        "`praxis experience list` and `praxis cache list` list the saved entries",
        "`praxis experience list` 和 `praxis cache list` 列出已保存的条目",
    ),
    (
        "no_plan",
        "use words from the tool descriptions (see `praxis plan GOAL --explain`), or add a model that plans: `praxis model add`",
        "请使用工具描述中的词语（见 `praxis plan GOAL --explain`），或添加模型来规划：`praxis model add`",
    ),
    (
        "no_history",
        "choose a task that has run; `praxis ps` lists the tasks",
        "请选择已运行过的任务；`praxis ps` 列出任务",
    ),
    ("not_verbatim", "copy whole passages word for word", "请逐字照抄整段原文"),
    ("plan_mended", "try a stronger model; nothing was changed", "请换更强的模型；未作任何更改"),
    ("plan_put_right", "no action needed: the meaning was clear", "无需处理：含义明确"),
    (
        "task_unfinished",
        "wait for it with `praxis watch`, stop it with `praxis cancel`, or continue it with `praxis resume`",
        "用 `praxis watch` 等待，用 `praxis cancel` 停止，或用 `praxis resume` 恢复执行",
    ),
    ("test_unusable", "correct the file, or create the test again", "请修正该文件，或重新创建测试"),
    (
        "unknown_fault",
        "use a listed fault name or a recorded answer; see docs/guide/rehearsal.md",
        "请使用列出的故障名或录制的回答；见 docs/guide/rehearsal.md",
    ),
];
