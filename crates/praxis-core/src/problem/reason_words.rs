//! Messages of `ProblemReason` for people, in English and Chinese, with specific advice where there is any.

use super::Bilingual;
use super::reason::ProblemReason;
use crate::dataflow::lex::Malformed;
use crate::dataflow::template::BadParameters;
use crate::document::{DocumentBreach, UnreadableDocument};
use crate::ids::{BadName, MAX_NAME_LENGTH};
use crate::lang::type_zh;

/// A message without values: English, Chinese.
type FixedMessage = (&'static str, &'static str);

impl ProblemReason {
    /// Returns the message in both languages.
    pub fn words(&self) -> Bilingual {
        match self {
            Self::Document(breach) => (breach.to_string(), breach_zh(breach)).into(),
            Self::PlanNoObject => PLAN_NO_OBJECT.into(),
            Self::PlanNoSteps => PLAN_NO_STEPS.into(),
            Self::PlanMetadata | Self::StepNoObject => NO_OBJECT.into(),
            Self::PlanEmpty => PLAN_EMPTY.into(),
            Self::PlanTooLarge { most } => plan_too_large(*most),
            Self::UnknownField { field } => unknown_field(field),
            Self::StepNoId { key, found } => step_no_id(key, found.as_deref()),
            Self::StepNoTool => STEP_NO_TOOL.into(),
            Self::StepToolAndActions => STEP_TOOL_AND_ACTIONS.into(),
            Self::StepActionsAndParameters => STEP_ACTIONS_AND_PARAMETERS.into(),
            Self::StepActions => STEP_ACTIONS.into(),
            Self::StepDependencies => STEP_DEPENDENCIES.into(),
            Self::StepDuration => STEP_DURATION.into(),
            Self::Parameters(bad) => (bad.to_string(), parameters_zh(bad)).into(),
            Self::BadId { key, why } => bad_id(key, why),
            Self::DuplicateStep => DUPLICATE_STEP.into(),
            Self::MetadataIsStep => METADATA_IS_STEP.into(),
            Self::ParameterTooLarge { limit } => parameter_too_large(*limit),
            Self::UnknownTool { tool } => unknown_tool(tool),
            Self::SelfDependency => SELF_DEPENDENCY.into(),
            Self::ReadsItself { source } => reads_itself(source),
            Self::UnknownDependency { step } => unknown_dependency(step),
            Self::BadPlaceholder { source, why } => bad_placeholder(source, *why),
            Self::UnknownStep { source, name } => unknown_step(source, name),
            Self::UnknownOutputField { source, step, reached, field } => {
                unknown_output_field(source, step, reached, field)
            }
            Self::MissingParameter { tool, name } => missing_parameter(tool, name),
            Self::UnknownParameter { tool, name } => unknown_parameter(tool, name),
            Self::BadParameter { detail } => bad_parameter(detail),
            Self::Cycle { steps } => cycle(steps),
            Self::ManifestNoTool => MANIFEST_NO_TOOL.into(),
            Self::ManifestNoTransport { fields } => manifest_no_transport(fields),
            Self::ManifestTransports { fields } => manifest_transports(fields),
            Self::ManifestField { said } => manifest_field(said),
            Self::BadSchema { why } => bad_schema(why),
            Self::BadSpan => BAD_SPAN.into(),
            Self::TooManyRetries { most } => too_many_retries(*most),
            Self::NoConcurrency => NO_CONCURRENCY.into(),
            Self::NoProgram => NO_PROGRAM.into(),
            Self::Http(flaw) => flaw.words(),
            Self::BadUrl => BAD_URL.into(),
            Self::BadDatabaseUrl => BAD_DATABASE_URL.into(),
            Self::OpenPassword => OPEN_PASSWORD.into(),
            Self::NoQuery => NO_QUERY.into(),
            Self::BadBound { most } => bad_bound(*most),
            Self::NamesItself => NAMES_ITSELF.into(),
            Self::OwnName { tool } => own_name(tool.as_str()),
            Self::NoArgumentsFit => NO_ARGUMENTS_FIT.into(),
            Self::NoDescription => NO_DESCRIPTION.into(),
            Self::NotEmptyWrite => NOT_EMPTY_WRITE.into(),
            Self::NotEmptyField => NOT_EMPTY_FIELD.into(),
            Self::NotOptional { name } => not_optional(name),
            Self::DuplicateTool { tool, other } => duplicate_tool(tool, other),
            Self::TakenTool { tool } => taken_tool(tool),
            Self::BuiltInTool { tool } => built_in_tool(tool),
        }
    }

    /// Returns advice that is more specific than that of the code, if there is any.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most need no more")]
    pub fn next(&self) -> Option<Bilingual> {
        match self {
            Self::BuiltInTool { .. } => Some(Bilingual::from((
                "give the tool in this file another id; docs/guide/toolbox.md lists the built-in tools",
                "请为此文件中的工具换一个 id；docs/guide/toolbox.md 列出内置工具",
            ))),
            Self::BadDatabaseUrl => Some(Bilingual::from((
                "write a URL such as `sqlite:data/shop.db`; docs/guide/sql.md lists all forms",
                "写成如 `sqlite:data/shop.db` 的 URL；全部形式见 docs/guide/sql.md",
            ))),
            Self::NoArgumentsFit => Some(Bilingual::from((
                "write `type: object` at the top level and the parameters under `properties`",
                "顶层写 `type: object`，参数写在 `properties` 下",
            ))),
            Self::MetadataIsStep => Some(Bilingual::from((
                "rename the key or the step: `{{name}}` could mean either",
                "请重命名该键或步骤：`{{name}}` 可能指其中任何一个",
            ))),
            Self::ParameterTooLarge { .. } => Some(Bilingual::from((
                "pass the large value with --params and refer to it with a placeholder",
                "请用 --params 传入较大的值，并用占位符引用",
            ))),
            Self::BadPlaceholder { .. } => Some(Bilingual::from((
                "write `\\{{` for literal braces",
                "字面花括号请写作 `\\{{`",
            ))),
            Self::Cycle { .. } => Some(Bilingual::from((
                "remove one of these dependencies or references",
                "去掉其中一个依赖或引用",
            ))),
            Self::StepNoId { found: Some(_), .. } => {
                Some(Bilingual::from(("put it in quotes", "请加引号")))
            }
            Self::Document(DocumentBreach::Documents) => Some(Bilingual::from((
                "keep only one document in the file",
                "文件中只保留一个文档",
            ))),
            _ => None,
        }
    }
}

// Messages on plans.

const PLAN_NO_OBJECT: FixedMessage =
    ("a plan must be an object with `steps`", "计划必须是含有 `steps` 的对象");
const PLAN_NO_STEPS: FixedMessage =
    ("a plan needs `steps`, a list of steps", "计划必须有 `steps`，即步骤列表");
const PLAN_EMPTY: FixedMessage = ("the plan has no steps", "计划中没有步骤");
const NO_OBJECT: FixedMessage = ("must be an object", "必须是对象");

fn plan_too_large(most: usize) -> Bilingual {
    (format!("at most {most} steps are allowed"), format!("最多允许 {most} 个步骤")).into()
}

fn unknown_field(field: &str) -> Bilingual {
    (format!("unknown field `{field}`"), format!("未知字段 `{field}`")).into()
}

// Messages on steps and placeholders.

const STEP_NO_TOOL: FixedMessage =
    ("missing `tool` (the id of a tool)", "缺少 `tool`（工具的 id）");
const STEP_TOOL_AND_ACTIONS: FixedMessage =
    ("use either `tool` or `actions`, not both", "`tool` 和 `actions` 只能写一个");
const STEP_ACTIONS_AND_PARAMETERS: FixedMessage = (
    "a step with `actions` cannot have `parameters`; move them into its actions",
    "含有 `actions` 的步骤不能有 `parameters`；请写到各操作中",
);
const STEP_ACTIONS: FixedMessage =
    ("`actions` must be a list with at least one action", "`actions` 必须是至少含一个操作的列表");
const STEP_DEPENDENCIES: FixedMessage =
    ("`depends_on` must be a list of step ids", "`depends_on` 必须是步骤 id 的列表");
const STEP_DURATION: FixedMessage =
    ("`expected_duration_sec` must be a number of seconds", "`expected_duration_sec` 必须是秒数");
const DUPLICATE_STEP: FixedMessage =
    ("another step or action of the task has the same id", "任务中已有步骤或操作使用相同的 id");
const METADATA_IS_STEP: FixedMessage =
    ("a metadata key has the same name as this step", "有一个元数据键与此步骤同名");
const SELF_DEPENDENCY: FixedMessage = ("the step depends on itself", "步骤依赖自身");

fn step_no_id(key: &str, found: Option<&str>) -> Bilingual {
    let Some(found) = found else {
        let en = format!("`{key}` is required and must be a string");
        return (en, format!("`{key}` 为必填，且必须是字符串")).into();
    };
    let en = format!("`{key}` must be a string, got `{found}`");
    (en, format!("`{key}` 必须是字符串，实际为 `{found}`")).into()
}

fn bad_id(key: &str, why: &BadName) -> Bilingual {
    (format!("`{key}`: {why}"), format!("`{key}`：{}", name_zh(why))).into()
}

fn parameter_too_large(limit: usize) -> Bilingual {
    (format!("the parameters are longer than {limit} bytes"), format!("参数超过 {limit} 字节"))
        .into()
}

fn unknown_tool(tool: &str) -> Bilingual {
    (format!("unknown tool `{tool}`"), format!("未知工具 `{tool}`")).into()
}

fn reads_itself(source: &str) -> Bilingual {
    let en = format!("`{source}` reads the output of its own step");
    (en, format!("`{source}` 读取了自身步骤的输出")).into()
}

fn unknown_dependency(step: &str) -> Bilingual {
    let en = format!("the step depends on `{step}`, which is not in the plan");
    (en, format!("步骤依赖 `{step}`，但计划中没有此步骤")).into()
}

fn bad_placeholder(source: &str, why: Malformed) -> Bilingual {
    (format!("`{source}`: {why}"), format!("`{source}`：{}", placeholder_zh(why))).into()
}

fn unknown_step(source: &str, name: &str) -> Bilingual {
    let en = format!("`{source}` refers to step `{name}`, which is not in the plan");
    (en, format!("`{source}` 引用了步骤 `{name}`，但计划中没有此步骤")).into()
}

fn unknown_output_field(source: &str, step: &str, reached: &str, field: &str) -> Bilingual {
    let en = format!("`{source}`: the output of step `{step}`{reached} has no field `{field}`");
    (en, format!("`{source}`：步骤 `{step}` 的输出{reached} 没有字段 `{field}`")).into()
}

fn missing_parameter(tool: &str, name: &str) -> Bilingual {
    let en = format!("tool `{tool}` requires the parameter `{name}`");
    (en, format!("工具 `{tool}` 需要参数 `{name}`")).into()
}

fn unknown_parameter(tool: &str, name: &str) -> Bilingual {
    let en = format!("tool `{tool}` has no parameter `{name}`");
    (en, format!("工具 `{tool}` 没有参数 `{name}`")).into()
}

fn bad_parameter(detail: &str) -> Bilingual {
    (detail, format!("不符合工具的 schema：{detail}")).into()
}

fn cycle(steps: &[String]) -> Bilingual {
    let en = format!("the steps depend on each other: {}", steps.join(" → "));
    (en, format!("步骤互相依赖：{}", steps.join(" → "))).into()
}

// Messages on manifests.

const MANIFEST_NO_TOOL: FixedMessage = (
    "a manifest must be a tool, a list of tools, or `tools:` with a list",
    "清单必须是单个工具、工具列表，或 `tools:` 下的工具列表",
);
const BAD_SPAN: FixedMessage = (
    "must be a duration above zero, such as `30s`, `500ms` or a number of seconds",
    "必须是大于零的时长，如 `30s`、`500ms` 或秒数",
);
const NO_CONCURRENCY: FixedMessage = ("must be at least 1, got 0", "至少为 1，实际为 0");
const NO_PROGRAM: FixedMessage = ("missing the program to run", "缺少要运行的程序");
const BAD_URL: FixedMessage =
    ("must start with http:// or https://", "必须以 http:// 或 https:// 开头");
const BAD_DATABASE_URL: FixedMessage = (
    "must start with sqlite:, postgres://, mysql://, mariadb:// or secret:",
    "必须以 sqlite:、postgres://、mysql://、mariadb:// 或 secret: 开头",
);
const OPEN_PASSWORD: FixedMessage = ("contains a plain-text password", "含有明文密码");
const NO_QUERY: FixedMessage = ("the SQL query is empty", "SQL 查询为空");
const NAMES_ITSELF: FixedMessage =
    ("must name another tool, not the tool itself", "必须是另一个工具，不能是工具自身");
const NO_ARGUMENTS_FIT: FixedMessage = (
    "input_schema must allow an object: tool arguments are always an object",
    "input_schema 必须允许对象：工具的参数总是对象",
);
const NO_DESCRIPTION: FixedMessage = ("the tool has no description", "工具没有描述");
const NOT_EMPTY_WRITE: FixedMessage = ("only allowed for read-only tools", "只能用于只读工具");
const NOT_EMPTY_FIELD: FixedMessage =
    ("must be a valid path into the output", "必须是能在输出中定位到字段的路径");

fn manifest_no_transport(fields: &[&str]) -> Bilingual {
    let en = format!("missing transport: add {}", one_of(fields, ", ", " or "));
    (en, format!("缺少调用方式：请加上 {}", one_of(fields, "、", " 或 "))).into()
}

fn manifest_transports(fields: &[&str]) -> Bilingual {
    let en = format!("only one transport is allowed: {}", one_of(fields, ", ", " or "));
    (en, format!("只能有一种调用方式：{}", one_of(fields, "、", " 或 "))).into()
}

fn manifest_field(said: &str) -> Bilingual {
    (said, format!("字段有误：{said}")).into()
}

fn bad_schema(why: &str) -> Bilingual {
    (format!("not a valid JSON Schema: {why}"), format!("不是有效的 JSON Schema：{why}")).into()
}

fn too_many_retries(most: u32) -> Bilingual {
    (format!("at most {most} retries are allowed"), format!("最多允许重试 {most} 次")).into()
}

fn bad_bound(most: u64) -> Bilingual {
    let en = format!("must be a whole number from 1 to {most}");
    (en, format!("必须是 1 到 {most} 的整数")).into()
}

fn own_name(tool: &str) -> Bilingual {
    let en = format!("`{tool}` is the name of a built-in node type");
    (en, format!("`{tool}` 是内置节点类型的名称")).into()
}

fn not_optional(name: &str) -> Bilingual {
    let en = format!("`{name}` is not an optional parameter of the tool");
    (en, format!("`{name}` 不是工具的可选参数")).into()
}

fn duplicate_tool(tool: &str, other: &str) -> Bilingual {
    let en = format!("tool `{tool}` is also defined in {other}");
    (en, format!("工具 `{tool}` 在 {other} 中也有定义")).into()
}

fn taken_tool(tool: &str) -> Bilingual {
    (format!("tool `{tool}` already exists"), format!("工具 `{tool}` 已存在")).into()
}

fn built_in_tool(tool: &str) -> Bilingual {
    let en = format!("tool `{tool}` is built into Praxis and cannot be replaced by a manifest");
    (en, format!("工具 `{tool}` 已内置于 Praxis，不能用清单替换")).into()
}

impl UnreadableDocument {
    /// Returns the reason, with its position, in both languages.
    pub fn words(&self) -> Bilingual {
        let place = |(line, column): (u64, u64)| format!("第 {line} 行第 {column} 列：");
        let place = self.at.map(place).unwrap_or_default();
        (self.to_string(), format!("{place}{}", breach_zh(&self.why))).into()
    }
}

fn breach_zh(breach: &DocumentBreach) -> String {
    match breach {
        DocumentBreach::NotUtf8(byte) => format!("第 {byte} 字节不是有效的 UTF-8"),
        DocumentBreach::Syntax(said) => format!("格式错误：{said}"),
        DocumentBreach::Deep(most) => format!("嵌套超过 {most} 层"),
        DocumentBreach::Many(most) => format!("含有超过 {most} 个值"),
        DocumentBreach::Aliases(most) => format!("别名展开后超过 {most} 个值"),
        DocumentBreach::Twice(key) => format!("键 `{key}` 出现了两次"),
        DocumentBreach::NotFinite => "数字必须是有限值".to_owned(),
        DocumentBreach::Documents => "文件中有多个 YAML 文档".to_owned(),
        DocumentBreach::Inexact(number) => format!("数字 `{number}` 太大，无法精确保存"),
        DocumentBreach::LeadingZero(number) => {
            format!("`{number}` 以零开头：若是字符串，请加引号")
        }
    }
}

fn parameters_zh(bad: &BadParameters) -> String {
    match bad {
        BadParameters::NotJson(why) => {
            format!("参数是字符串，但不是有效的 JSON：{}", breach_zh(&why.why))
        }
        BadParameters::NotAnObject(found) => format!("参数必须是对象，实际为{}", type_zh(found)),
    }
}

fn name_zh(bad: &BadName) -> String {
    match bad {
        BadName::Empty => "不能为空".to_owned(),
        BadName::Long(length) => format!("有 {length} 个字符，最多允许 {MAX_NAME_LENGTH} 个"),
        BadName::Forbidden(c) => format!("含有 id 中不允许的字符 {c:?}"),
    }
}

fn placeholder_zh(bad: Malformed) -> &'static str {
    match bad {
        Malformed::Empty => "占位符为空",
        Malformed::Unclosed => "占位符没有闭合",
        Malformed::Path => "路径必须是名称，后接 `.name`、`[0]` 或 `[\"name\"]`",
    }
}

/// Joins field names into a list such as `a`, `b` or `c`.
fn one_of(fields: &[&str], between: &str, last: &str) -> String {
    let named: Vec<String> = fields.iter().map(|field| format!("`{field}:`")).collect();
    match named.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(between)),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
#[path = "reason_tests.rs"]
mod tests;
