//! Advice on the next action for the problem codes of flows.

/// Advice for flow files and their inputs, as `(code, English, Chinese)`.
pub(super) const FLOWS: &[(&str, &str, &str)] = &[
    (
        "flow_agent",
        "list the tools of the agent under `tools`; `max` says how often it is asked",
        "在 `tools` 下列出智能体的工具；`max` 是询问次数上限",
    ),
    (
        "flow_branch",
        "give every branch its id, conditions and an edge, and the choice an `otherwise`",
        "每个分支都要有 id、条件和边，Choice 要有 `otherwise`",
    ),
    (
        "flow_call",
        "give its manifest with `--tools`, or see `praxis flow calls`",
        "用 `--tools` 提供其清单，或查看 `praxis flow calls`",
    ),
    (
        "flow_changed",
        "`praxis retry TASK --with original` goes on with the version that the task began with",
        "`praxis retry TASK --with original` 会按任务开始时的版本继续",
    ),
    (
        "flow_condition",
        "see docs/guide/choice-and-loop.md for what each operator compares",
        "各运算符比较什么，见 docs/guide/choice-and-loop.md",
    ),
    (
        "flow_cycle",
        "use a `Loop` for what is done again, or remove an edge",
        "重复的部分请用 `Loop`，或去掉一条边",
    ),
    (
        "flow_edge",
        "write `from -> to` with nodes that stand beside each other",
        "写成 `from -> to`，两端为同一层的节点",
    ),
    ("flow_id", "give the node a short `id` of its own", "给节点一个独有的简短 `id`"),
    ("flow_input", "give it with `-p NAME=VALUE`", "用 `-p 名称=值` 给出"),
    (
        "flow_loop",
        "add `until`, `over` or `max`; see docs/guide/choice-and-loop.md",
        "加上 `until`、`over` 或 `max`；见 docs/guide/choice-and-loop.md",
    ),
    ("flow_order", "add an edge so that it does", "加一条边使其先执行"),
    ("flow_params", "see the parameters with `praxis tool show`", "用 `praxis tool show` 查看参数"),
    (
        "flow_reference",
        "name a node, a field, an input or a variable that is there",
        "写存在的节点、字段、输入或变量",
    ),
    ("flow_shape", "see docs/guide/flows.md for the form", "格式见 docs/guide/flows.md"),
    ("flow_size", "move a part into a flow of its own", "把一部分移到单独的流程"),
    (
        "flow_sub",
        "write it in a file beside this one; use a `Loop` for what is done again",
        "写在同一文件夹的文件中；重复的部分请用 `Loop`",
    ),
    ("flow_type", "give a value of the right kind", "给出类型正确的值"),
    ("flow_unreachable", "add an edge, or name the node in `start`", "加一条边，或写进 `start`"),
];
