//! Advice on the next action for the problem codes of flows.

/// Advice for flow files and their inputs, as `(code, English, Chinese)`.
pub(super) const FLOWS: &[(&str, &str, &str)] = &[
    (
        "flow_agent",
        "list the agent's tools under `tools`; `max` limits its turns",
        "在 `tools` 下列出智能体的工具；`max` 是轮数上限",
    ),
    (
        "flow_branch",
        "give every branch an id, conditions and an edge, and give the choice an `otherwise`",
        "每个分支都要有 id、条件和边，选择节点要有 `otherwise`",
    ),
    (
        "flow_call",
        "pass its manifest with `--tools`; `praxis flow calls` lists the built-in node types",
        "用 `--tools` 提供其清单；`praxis flow calls` 列出内置节点类型",
    ),
    (
        "flow_changed",
        "`praxis retry TASK --with original` continues with the version that the task started with",
        "`praxis retry TASK --with original` 会按任务开始时的版本继续",
    ),
    (
        "flow_condition",
        "see docs/guide/choice-and-loop.md for what each operator compares",
        "各运算符比较什么，见 docs/guide/choice-and-loop.md",
    ),
    (
        "flow_cycle",
        "use a `Loop` to repeat nodes, or remove an edge",
        "重复执行的节点请用 `Loop`，或去掉一条边",
    ),
    (
        "flow_edge",
        "write `from -> to` with two nodes of the same level",
        "写成 `from -> to`，两端须为同一层的节点",
    ),
    ("flow_id", "give the node a short, unique `id`", "给节点一个简短且唯一的 `id`"),
    ("flow_input", "pass it with `-p NAME=VALUE`", "用 `-p 名称=值` 传入"),
    (
        "flow_loop",
        "add `until`, `over` or `max`; see docs/guide/choice-and-loop.md",
        "加上 `until`、`over` 或 `max`；见 docs/guide/choice-and-loop.md",
    ),
    ("flow_order", "add an edge so that it runs first", "加一条边使其先执行"),
    ("flow_params", "`praxis tool show` lists the parameters", "`praxis tool show` 列出参数"),
    (
        "flow_reference",
        "use an existing node, field, input or variable",
        "请引用已有的节点、字段、输入或变量",
    ),
    ("flow_shape", "see docs/guide/flows.md for the format", "格式见 docs/guide/flows.md"),
    ("flow_size", "move a part into a separate flow", "把一部分移到单独的流程中"),
    (
        "flow_sub",
        "put it in a file in the same folder; use a `Loop` to repeat nodes",
        "写在同一文件夹的文件中；重复执行的节点请用 `Loop`",
    ),
    ("flow_type", "pass a value of the right type", "给出类型正确的值"),
    (
        "flow_unreachable",
        "add an edge to the node, or list it in `start`",
        "加一条指向该节点的边，或将它写进 `start`",
    ),
];
