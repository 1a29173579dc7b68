//! The reasons for which a plan, a manifest or a document is rejected, as data.

use crate::dataflow::lex::Malformed;
use crate::dataflow::template::BadParameters;
use crate::document::DocumentBreach;
use crate::ids::{BadName, ToolId};
use crate::problem::http_flaw::HttpFlaw;

/// A reason for a `Problem`. The messages are in `reason_words.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemReason {
    /// The bytes are not a valid document.
    Document(DocumentBreach),
    /// The plan is not an object.
    PlanNoObject,
    /// `steps` is not a list.
    PlanNoSteps,
    /// `metadata` is not an object.
    PlanMetadata,
    /// `steps` is empty.
    PlanEmpty,
    /// The plan has more steps than allowed.
    PlanTooLarge {
        /// The maximum number of steps.
        most: usize,
    },
    /// A field that plans do not have.
    UnknownField {
        /// The name of the field.
        field: String,
    },
    /// A step or action is not an object.
    StepNoObject,
    /// A step has no id, or an id that is not a string.
    StepNoId {
        /// The name of the id field.
        key: String,
        /// The value found instead of a string.
        found: Option<String>,
    },
    /// A step without a `tool`.
    StepNoTool,
    /// A step with both a `tool` and `actions`.
    StepToolAndActions,
    /// A step with both `actions` and `parameters`.
    StepActionsAndParameters,
    /// `actions` is not a list, or is empty.
    StepActions,
    /// `depends_on` is not a list of step ids.
    StepDependencies,
    /// `expected_duration_sec` is not a number of seconds.
    StepDuration,
    /// `parameters` is not an object.
    Parameters(BadParameters),
    /// An invalid id.
    BadId {
        /// The name of the id field.
        key: String,
        /// The rule that the id breaks.
        why: BadName,
    },
    /// Two steps or actions have the same id.
    DuplicateStep,
    /// A metadata key has the name of a step.
    MetadataIsStep,
    /// The parameters are too long for an event.
    ParameterTooLarge {
        /// The maximum number of bytes.
        limit: usize,
    },
    /// An unknown tool.
    UnknownTool {
        /// The name of the tool.
        tool: String,
    },
    /// A step depends on itself.
    SelfDependency,
    /// A step reads its own output.
    ReadsItself {
        /// The placeholder.
        source: String,
    },
    /// A step depends on a step that does not exist.
    UnknownDependency {
        /// The name of the missing step.
        step: String,
    },
    /// Braces that are not a valid placeholder.
    BadPlaceholder {
        /// The text as written.
        source: String,
        /// The syntax error.
        why: Malformed,
    },
    /// A placeholder names a step that does not exist.
    UnknownStep {
        /// The placeholder.
        source: String,
        /// The name of the missing step.
        name: String,
    },
    /// A placeholder names a field that the output schema excludes.
    UnknownOutputField {
        /// The placeholder.
        source: String,
        /// The step whose output is read.
        step: String,
        /// The part of the path that exists.
        reached: String,
        /// The missing field.
        field: String,
    },
    /// A required parameter is missing.
    MissingParameter {
        /// The tool that requires it.
        tool: String,
        /// The name of the parameter.
        name: String,
    },
    /// A parameter that the tool does not have.
    UnknownParameter {
        /// The tool.
        tool: String,
        /// The name of the parameter.
        name: String,
    },
    /// A literal value that does not match the tool's schema.
    BadParameter {
        /// The message of the schema validation.
        detail: String,
    },
    /// Steps that depend on each other in a cycle.
    Cycle {
        /// The ids of the steps, with the first one repeated at the end.
        steps: Vec<String>,
    },
    /// The document is neither a tool nor a list of tools.
    ManifestNoTool,
    /// A manifest without a transport.
    ManifestNoTransport {
        /// The fields that name a transport.
        fields: Vec<&'static str>,
    },
    /// A manifest with more than one transport.
    ManifestTransports {
        /// The fields that name a transport.
        fields: Vec<&'static str>,
    },
    /// A field is missing, unknown or of the wrong type.
    ManifestField {
        /// The message of the deserializer.
        said: String,
    },
    /// An invalid JSON Schema.
    BadSchema {
        /// The message of the schema compiler.
        why: String,
    },
    /// An invalid duration.
    BadSpan,
    /// More retries than allowed.
    TooManyRetries {
        /// The maximum number of retries.
        most: u32,
    },
    /// A concurrency limit of 0, with which the tool could never run.
    NoConcurrency,
    /// `argv` names no program.
    NoProgram,
    /// An invalid URL.
    BadUrl,
    /// An error in an HTTP request.
    Http(HttpFlaw),
    /// A URL of an unsupported database.
    BadDatabaseUrl,
    /// A plain-text password in a manifest.
    OpenPassword,
    /// An empty SQL query.
    NoQuery,
    /// A limit of 0, or above the maximum.
    BadBound {
        /// The maximum.
        most: u64,
    },
    /// A tool that refers to itself where another tool is required.
    NamesItself,
    /// The name of a built-in call of Praxis.
    OwnName {
        /// The name.
        tool: ToolId,
    },
    /// An input schema that no arguments object can match.
    NoArgumentsFit,
    /// A tool without a description.
    NoDescription,
    /// `not_empty` on a tool whose risk is not `read`.
    NotEmptyWrite,
    /// `not_empty.field` is not a valid path.
    NotEmptyField,
    /// A parameter in `not_empty.widen` that the tool requires or does not have.
    NotOptional {
        /// The name of the parameter.
        name: String,
    },
    /// Two manifests define the same tool id.
    DuplicateTool {
        /// The tool id.
        tool: String,
        /// The file of the other definition.
        other: String,
    },
    /// A program registers two tools with the same id.
    TakenTool {
        /// The tool id.
        tool: String,
    },
    /// A manifest defines the id of a tool in the binary, which cannot be replaced.
    BuiltInTool {
        /// The tool id.
        tool: String,
    },
}

impl ProblemReason {
    /// Returns the stable problem code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Document(breach) => breach.code(),
            Self::PlanNoObject | Self::PlanNoSteps | Self::PlanMetadata => "plan_shape",
            Self::PlanEmpty => "plan_empty",
            Self::PlanTooLarge { .. } => "plan_too_large",
            Self::UnknownField { .. } => "unknown_field",
            Self::StepNoObject
            | Self::StepNoId { .. }
            | Self::StepNoTool
            | Self::StepToolAndActions
            | Self::StepActionsAndParameters
            | Self::StepActions
            | Self::StepDependencies
            | Self::StepDuration => "step_shape",
            Self::Parameters(_) => "params_not_json",
            Self::BadId { .. } => "bad_id",
            Self::DuplicateStep => "duplicate_step",
            Self::MetadataIsStep => "metadata_is_step",
            Self::ParameterTooLarge { .. } => "parameter_too_large",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::SelfDependency | Self::ReadsItself { .. } => "self_dependency",
            Self::UnknownDependency { .. } => "unknown_dependency",
            Self::BadPlaceholder { .. } => "bad_placeholder",
            Self::UnknownStep { .. } => "unknown_step",
            Self::UnknownOutputField { .. } => "unknown_output_field",
            Self::MissingParameter { .. } => "missing_parameter",
            Self::UnknownParameter { .. } => "unknown_parameter",
            Self::BadParameter { .. } => "bad_parameter",
            Self::Cycle { .. } => "cycle",
            Self::ManifestNoTool
            | Self::ManifestNoTransport { .. }
            | Self::ManifestTransports { .. }
            | Self::ManifestField { .. } => "manifest_shape",
            Self::BadSchema { .. } | Self::NoArgumentsFit => "bad_schema",
            Self::NoDescription => "no_description",
            Self::BadSpan => "bad_span",
            Self::TooManyRetries { .. } | Self::NoConcurrency => "bad_limit",
            Self::BadBound { .. } => "bad_limit",
            Self::NoProgram => "bad_command",
            Self::BadUrl | Self::BadDatabaseUrl => "bad_url",
            Self::Http(_) => "bad_http",
            Self::OpenPassword => "open_password",
            Self::NoQuery => "bad_sql",
            Self::NamesItself => "self_reference",
            Self::OwnName { .. } => "own_name",
            Self::NotEmptyWrite | Self::NotEmptyField | Self::NotOptional { .. } => "bad_not_empty",
            Self::DuplicateTool { .. } | Self::BuiltInTool { .. } => "duplicate_tool",
            Self::TakenTool { .. } => "duplicate_tool",
        }
    }
}
