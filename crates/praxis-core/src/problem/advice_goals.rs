//! Advice on the next action for the problem codes of goals, model answers and rehearsals.

/// Advice for goals and model answers, as `(code, English, Chinese)`.
pub(super) const GOALS: &[(&str, &str, &str)] = &[
    (
        "answer_cut",
        "raise `max_output` of the model, or ask for less",
        "提高模型的 `max_output`，或减少要求",
    ),
    (
        "answer_field",
        "a stronger model may help; see `praxis show TASK --raw`",
        "可换更强的模型；见 `praxis show TASK --raw`",
    ),
    (
        "answer_no_json",
        "a stronger model may help; see `praxis show TASK --raw`",
        "可换更强的模型；见 `praxis show TASK --raw`",
    ),
    ("answer_schema", "correct the schema of the answer", "请修正答案的 schema"),
    (
        "bad_amount",
        "write a number such as `500`, `20k` or `CNY0.5`",
        "写成数量，如 `500`、`20k` 或 `CNY0.5`",
    ),
    (
        "bad_budget",
        "write limits such as `tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`",
        "写成限额，如 `tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`",
    ),
    (
        "bad_history",
        "hand in a list of steps with `step_id`, `tool_id`, `status` and `output`; see docs/guide/goals.md",
        "请给出步骤列表，每步含 `step_id`、`tool_id`、`status` 和 `output`；见 docs/guide/goals.md",
    ),
    (
        "bad_hit",
        "write `hit` like `{\"enabled\": true, \"task_id\": \"task_...\", \"similarity_threshold\": 0.8}`, each part if it is wanted; see docs/guide/experience.md",
        "`hit` 写成如 `{\"enabled\": true, \"task_id\": \"task_...\", \"similarity_threshold\": 0.8}`，各部分可省略；见 docs/guide/experience.md",
    ),
    ("bad_cassette", "record it again, or remove the line", "请重新录制，或删除该行"),
    (
        "bad_script",
        "correct it at the place shown; see docs/guide/rehearsal.md",
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
        "say what is wanted, as in `praxis run \"...\"`",
        "请写明目标，如 `praxis run \"...\"`",
    ),
    (
        "no_editor",
        "set EDITOR, or use `praxis answer --plan FILE`",
        "请设置 EDITOR，或用 `praxis answer --plan FILE`",
    ),
    (
        "no_experience",
        "`praxis experience list` and `praxis cache list` show what is kept",
        "`praxis experience list` 和 `praxis cache list` 列出已保存的经验",
    ),
    (
        "no_plan",
        "say it in the words of the tools (`praxis plan GOAL --explain`), or let a model plan: `praxis model add`",
        "请用工具描述中的词语表述（`praxis plan GOAL --explain`），或用 `praxis model add` 添加模型",
    ),
    (
        "no_history",
        "name a task that has run: `praxis ps` lists them",
        "请指定已运行过的任务：`praxis ps` 可列出",
    ),
    ("not_verbatim", "copy whole passages exactly as they stand there", "请照原文逐字抄写整段"),
    (
        "plan_mended",
        "a stronger model may help; nothing was changed",
        "可换更强的模型；未作任何更改",
    ),
    ("plan_put_right", "nothing: what was meant was clear", "无需处理：含义明确"),
    (
        "task_unfinished",
        "wait for it with `praxis watch`, end it with `praxis cancel`, or take it up with `praxis resume`",
        "用 `praxis watch` 等待，用 `praxis cancel` 结束，或用 `praxis resume` 恢复",
    ),
    ("test_unusable", "correct the file, or make the test anew", "请修正该文件，或重新建立测试"),
    (
        "unknown_fault",
        "name a profile or a fixture; see docs/guide/rehearsal.md",
        "请写出故障名或样例；见 docs/guide/rehearsal.md",
    ),
];
