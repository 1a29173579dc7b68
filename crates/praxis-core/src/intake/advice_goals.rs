//! What to do next when something is wrong with a goal, with what a model answered to it, with a rehearsal, or with a test.

/// Codes with their advice in both languages.
pub(super) const GOALS: &[(&str, &str, &str)] = &[
    (
        "answer_cut",
        "let the model answer more: raise `max_output` in models.toml",
        "让模型回答更长：调大 models.toml 中的 `max_output`",
    ),
    ("answer_field", "it is asked for once more, with this reason", "将附上此原因再问一次"),
    ("answer_no_json", "it is asked for once more, with this reason", "将附上此原因再问一次"),
    (
        "answer_schema",
        "correct the schema that the answer is to fit",
        "请修正回答所须符合的 schema",
    ),
    (
        "bad_amount",
        "write a number such as `500`, `20k` or `CNY0.5`",
        "写成数量，如 `500`、`20k` 或 `CNY0.5`",
    ),
    ("bad_cassette", "record it again, or remove the line", "请重新录制，或删除这一行"),
    (
        "bad_script",
        "correct it; docs/guide/rehearsal.md shows a script",
        "请修正；脚本的写法见 docs/guide/rehearsal.md",
    ),
    ("cannot_listen", "choose another port", "请换一个端口"),
    (
        "unknown_fault",
        "docs/guide/rehearsal.md lists the faults",
        "故障的名称见 docs/guide/rehearsal.md",
    ),
    (
        "bad_budget",
        "write limits such as `tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`",
        "写成限额，如 `tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`",
    ),
    (
        "duplicate_test",
        "choose another name, or remove it with `praxis test rm`",
        "请换一个名称，或用 `praxis test rm` 删除",
    ),
    ("goal_empty", "say what is wanted", "请说明要做什么"),
    (
        "no_editor",
        "set EDITOR, or use `praxis answer --plan FILE`",
        "请设置 EDITOR，或用 `praxis answer --plan FILE`",
    ),
    ("no_history", "name a task that did something", "请给出做过工作的任务"),
    ("plan_mended", "nothing: the plan runs with this change", "无需处理：计划按此改动执行"),
    ("plan_put_right", "nothing: the plan runs with this change", "无需处理：计划按此改动执行"),
    ("test_unusable", "correct the file, or make the test anew", "请修正该文件，或重新建立测试"),
];
