//! Messages of `ProblemReason` for people, in English and Chinese, with specific advice where there is any.

use super::Bilingual;
use super::reason::ProblemReason;
use crate::dataflow::lex::Malformed;
use crate::dataflow::template::BadParameters;
use crate::document::DocumentBreach;
use crate::ids::{BadName, LONGEST_NAME};

impl ProblemReason {
    /// Returns the message in both languages.
    pub fn words(&self) -> Bilingual {
        Bilingual { en: self.en(), zh: self.zh() }
    }

    #[expect(clippy::too_many_lines, reason = "a list")]
    fn en(&self) -> String {
        match self {
            Self::Document(breach) => breach.to_string(),
            Self::PlanNoObject => "a plan is an object with `steps`".to_owned(),
            Self::PlanNoSteps => "a plan needs a list of steps".to_owned(),
            Self::PlanMetadata => "it is an object of names and values".to_owned(),
            Self::PlanEmpty => "the plan has no step".to_owned(),
            Self::PlanTooLarge { most } => format!("at most {most} steps are allowed"),
            Self::UnknownField { field } => format!("`{field}` is not a field of a plan here"),
            Self::StepNoObject => "it is no object".to_owned(),
            Self::StepNoId { key, found: None } => format!("it needs a `{key}` that is a text"),
            Self::StepNoId { key, found: Some(found) } => {
                format!("it needs a `{key}` that is a text, and `{found}` is none")
            }
            Self::StepNoTool => "it names no `tool`".to_owned(),
            Self::StepToolAndActions => "a step has a tool or actions, not both".to_owned(),
            Self::StepActionsAndParameters => {
                "a step with actions has no parameters; its actions have".to_owned()
            }
            Self::StepActions => "`actions` is a list with at least one action".to_owned(),
            Self::StepDependencies => "`depends_on` is a list of step ids".to_owned(),
            Self::StepDuration => "`expected_duration_sec` is a number of seconds".to_owned(),
            Self::Parameters(bad) => bad.to_string(),
            Self::BadId { key, why } => format!("`{key}`: {why}"),
            Self::DuplicateStep => "two steps or actions of the task have this id".to_owned(),
            Self::MetadataIsStep => "a metadata key has the same name as this step".to_owned(),
            Self::ParameterTooLarge { limit } => {
                format!("the parameters are longer than {limit} bytes")
            }
            Self::UnknownTool { tool } => format!("no tool `{tool}` is known"),
            Self::SelfDependency => "it depends on itself".to_owned(),
            Self::ReadsItself { source } => format!("`{source}` reads the step that it is in"),
            Self::UnknownDependency { step } => {
                format!("it depends on `{step}`, which is no step of the plan")
            }
            Self::BadPlaceholder { source, why } => format!("`{source}`: {why}"),
            Self::UnknownStep { source, name } => {
                format!("`{source}` names `{name}`, which is no step of the plan")
            }
            Self::UnknownOutputField { source, step, reached, field } => {
                format!("`{source}`: the output of step `{step}`{reached} has no field `{field}`")
            }
            Self::MissingParameter { tool, name } => {
                format!("tool `{tool}` needs the parameter `{name}`")
            }
            Self::UnknownParameter { tool, name } => {
                format!("tool `{tool}` has no parameter `{name}`")
            }
            Self::BadParameter { detail } => detail.clone(),
            Self::Cycle { steps } => {
                format!("the steps wait for each other: {}", steps.join(" → "))
            }
            Self::ManifestNoTool => {
                "a manifest is a tool, a list of tools, or `tools:` with a list".to_owned()
            }
            Self::ManifestNoTransport { fields } => {
                format!("it needs {} to say how it is reached", one_of(fields, ", ", " or "))
            }
            Self::ManifestTransports { fields } => {
                format!("it is reached in one way: {}", one_of(fields, ", ", " or "))
            }
            Self::ManifestField { said } => said.clone(),
            Self::BadSchema { why } => format!("it is no JSON Schema: {why}"),
            Self::BadSpan => {
                "it is a time above zero like `30s`, `500ms` or a number of seconds".to_owned()
            }
            Self::TooManyRetries { most } => format!("at most {most} retries are allowed"),
            Self::NoConcurrency => "with 0 it could never run".to_owned(),
            Self::NoProgram => "it names no program".to_owned(),
            Self::Http(flaw) => flaw.words().en,
            Self::BadUrl => "it must begin with http:// or https://".to_owned(),
            Self::BadDatabaseUrl => {
                "it must begin with sqlite:, postgres://, mysql://, mariadb:// or secret:"
                    .to_owned()
            }
            Self::OpenPassword => "a password stands in it".to_owned(),
            Self::NoQuery => "it holds no SQL".to_owned(),
            Self::BadBound { most } => format!("it is a whole number from 1 to {most}"),
            Self::NamesItself => "the tool names itself where another one is meant".to_owned(),
            Self::OwnName { tool } => format!("`{tool}` is a call of Praxis' own"),
            Self::NoArgumentsFit => "arguments are an object, and it allows none".to_owned(),
            Self::NoDescription => "nothing says what the tool does".to_owned(),
            Self::NotEmptyWrite => "only for a tool that reads".to_owned(),
            Self::NotEmptyField => "it is no place in an output".to_owned(),
            Self::NotOptional { name } => format!("`{name}` is no optional parameter"),
            Self::DuplicateTool { tool, other } => format!("tool `{tool}` stands in {other} too"),
            Self::TakenTool { tool } => format!("there is a tool `{tool}` already"),
            Self::BuiltInTool { tool } => {
                format!("tool `{tool}` is built into Praxis too, and is not replaced by a manifest")
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "a list")]
    fn zh(&self) -> String {
        match self {
            Self::Document(breach) => breach_zh(breach),
            Self::PlanNoObject => "计划应是含有 `steps` 的对象".to_owned(),
            Self::PlanNoSteps => "计划需要一个步骤列表".to_owned(),
            Self::PlanMetadata => "应是由名称和值组成的对象".to_owned(),
            Self::PlanEmpty => "计划中没有步骤".to_owned(),
            Self::PlanTooLarge { most } => format!("最多允许 {most} 个步骤"),
            Self::UnknownField { field } => format!("`{field}` 不是此处计划的字段"),
            Self::StepNoObject => "不是对象".to_owned(),
            Self::StepNoId { key, found: None } => format!("缺少文本类型的 `{key}`"),
            Self::StepNoId { key, found: Some(found) } => {
                format!("`{key}` 必须是文本，而 `{found}` 不是")
            }
            Self::StepNoTool => "没有写明 `tool`".to_owned(),
            Self::StepToolAndActions => "一个步骤只能有工具或操作之一".to_owned(),
            Self::StepActionsAndParameters => "含有操作的步骤没有参数，参数写在各操作中".to_owned(),
            Self::StepActions => "`actions` 是至少含一个操作的列表".to_owned(),
            Self::StepDependencies => "`depends_on` 是步骤 id 的列表".to_owned(),
            Self::StepDuration => "`expected_duration_sec` 是秒数".to_owned(),
            Self::Parameters(bad) => parameters_zh(bad),
            Self::BadId { key, why } => format!("`{key}`：{}", name_zh(why)),
            Self::DuplicateStep => "任务中有两个步骤或操作使用此 id".to_owned(),
            Self::MetadataIsStep => "有一个元数据键与此步骤同名".to_owned(),
            Self::ParameterTooLarge { limit } => format!("参数超过 {limit} 字节"),
            Self::UnknownTool { tool } => format!("没有名为 `{tool}` 的工具"),
            Self::SelfDependency => "它依赖自己".to_owned(),
            Self::ReadsItself { source } => format!("`{source}` 读取了它所在的步骤"),
            Self::UnknownDependency { step } => format!("它依赖 `{step}`，而计划中没有此步骤"),
            Self::BadPlaceholder { source, why } => {
                format!("`{source}`：{}", placeholder_zh(*why))
            }
            Self::UnknownStep { source, name } => {
                format!("`{source}` 提到 `{name}`，而计划中没有此步骤")
            }
            Self::UnknownOutputField { source, step, reached, field } => {
                format!("`{source}`：步骤 `{step}` 的输出{reached} 没有字段 `{field}`")
            }
            Self::MissingParameter { tool, name } => format!("工具 `{tool}` 需要参数 `{name}`"),
            Self::UnknownParameter { tool, name } => format!("工具 `{tool}` 没有参数 `{name}`"),
            Self::BadParameter { detail } => format!("不符合工具的 schema：{detail}"),
            Self::Cycle { steps } => format!("步骤互相等待：{}", steps.join(" → ")),
            Self::ManifestNoTool => "清单应是一个工具、工具列表，或含列表的 `tools:`".to_owned(),
            Self::ManifestNoTransport { fields } => {
                format!("需要用 {} 说明如何调用", one_of(fields, "、", " 或 "))
            }
            Self::ManifestTransports { fields } => {
                format!("调用方式只能有一种：{}", one_of(fields, "、", " 或 "))
            }
            Self::ManifestField { said } => format!("字段有误：{said}"),
            Self::BadSchema { why } => format!("不是 JSON Schema：{why}"),
            Self::BadSpan => "应是大于零的时间，如 `30s`、`500ms` 或秒数".to_owned(),
            Self::TooManyRetries { most } => format!("最多允许重试 {most} 次"),
            Self::NoConcurrency => "为 0 则永远无法运行".to_owned(),
            Self::NoProgram => "没有写明程序".to_owned(),
            Self::Http(flaw) => flaw.words().zh,
            Self::BadUrl => "必须以 http:// 或 https:// 开头".to_owned(),
            Self::BadDatabaseUrl => {
                "必须以 sqlite:、postgres://、mysql://、mariadb:// 或 secret: 开头".to_owned()
            }
            Self::OpenPassword => "其中写有密码".to_owned(),
            Self::NoQuery => "其中没有 SQL".to_owned(),
            Self::BadBound { most } => format!("应为 1 到 {most} 的整数"),
            Self::NamesItself => "此处应写另一个工具，却写了自己".to_owned(),
            Self::OwnName { tool } => format!("`{tool}` 是 Praxis 自带的调用"),
            Self::NoArgumentsFit => "参数总是对象，而它不允许对象".to_owned(),
            Self::NoDescription => "没有说明工具做什么".to_owned(),
            Self::NotEmptyWrite | Self::NotEmptyField | Self::NotOptional { .. } => empty_zh(self),
            Self::DuplicateTool { tool, other } => format!("工具 `{tool}` 在 {other} 中也有定义"),
            Self::TakenTool { tool } => format!("已有工具 `{tool}`"),
            Self::BuiltInTool { tool } => format!("工具 `{tool}` 已内置于 Praxis，清单不能替换它"),
        }
    }

    /// Returns advice that is more specific than that of the code, if there is any.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most need no more")]
    pub fn next(&self) -> Option<Bilingual> {
        match self {
            Self::BuiltInTool { .. } => Some(Bilingual::from((
                "give the tool of this file another id; docs/guide/toolbox.md lists those that are taken",
                "请为此文件中的工具另取 id；docs/guide/toolbox.md 列出了已占用的 id",
            ))),
            Self::BadDatabaseUrl => Some(Bilingual::from((
                "write the address as in `sqlite:data/shop.db`; docs/guide/sql.md has all forms",
                "按 `sqlite:data/shop.db` 的形式写地址；全部形式见 docs/guide/sql.md",
            ))),
            Self::NoArgumentsFit => Some(Bilingual::from((
                "write `type: object` at its top and the parameters under `properties`",
                "顶层写 `type: object`，参数写在 `properties` 下",
            ))),
            Self::MetadataIsStep => Some(Bilingual::from((
                "rename the key or the step: `{{name}}` could mean either",
                "请重命名该键或步骤：`{{name}}` 含义不明",
            ))),
            Self::ParameterTooLarge { .. } => Some(Bilingual::from((
                "give the large value with --params and name it in a placeholder",
                "用 --params 提供大的值，并在占位符中引用",
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
                Some(Bilingual::from(("write it in quotes", "请加引号书写")))
            }
            Self::Document(DocumentBreach::Documents) => {
                Some(Bilingual::from(("keep one of them in the file", "文件中只保留一个")))
            }
            _ => None,
        }
    }
}

/// Returns the Chinese message for an error in `not_empty`.
fn empty_zh(reason: &ProblemReason) -> String {
    if let ProblemReason::NotOptional { name } = reason {
        return format!("`{name}` 不是可选参数");
    }
    let of_a_write = *reason == ProblemReason::NotEmptyWrite;
    if of_a_write { "仅用于只读的工具" } else { "这不是输出中的位置" }.to_owned()
}

fn breach_zh(breach: &DocumentBreach) -> String {
    match breach {
        DocumentBreach::NotUtf8(byte) => format!("第 {byte} 字节不是有效的 UTF-8"),
        DocumentBreach::Syntax(said) => format!("格式错误：{said}"),
        DocumentBreach::Deep(most) => format!("嵌套超过 {most} 层"),
        DocumentBreach::Many(most) => format!("含有超过 {most} 个值"),
        DocumentBreach::Aliases(most) => format!("其别名代表超过 {most} 个值"),
        DocumentBreach::Twice(key) => format!("键 `{key}` 出现了两次"),
        DocumentBreach::NotFinite => "数字必须是有限的".to_owned(),
        DocumentBreach::Documents => "文件中有多个 YAML 文档".to_owned(),
        DocumentBreach::Inexact(number) => format!("数字 `{number}` 太大，无法精确保存"),
        DocumentBreach::LeadingZero(number) => {
            format!("`{number}` 以零开头：若为文本，请加引号")
        }
    }
}

fn parameters_zh(bad: &BadParameters) -> String {
    match bad {
        BadParameters::NotJson(why) => format!("参数是文本，但不是 JSON：{}", breach_zh(&why.why)),
        BadParameters::NotAnObject(found) => format!("参数应是对象，而不是 {found}"),
    }
}

fn name_zh(bad: &BadName) -> String {
    match bad {
        BadName::Empty => "不能为空".to_owned(),
        BadName::Long(length) => format!("有 {length} 个字符，最多允许 {LONGEST_NAME} 个"),
        BadName::Forbidden(c) => format!("含有 id 中不允许的字符 {c:?}"),
    }
}

fn placeholder_zh(bad: Malformed) -> &'static str {
    match bad {
        Malformed::Empty => "占位符为空",
        Malformed::Unclosed => "占位符没有闭合",
        Malformed::Path => "路径应是名称，后接 `.name`、`[0]` 或 `[\"name\"]`",
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
