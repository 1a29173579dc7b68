//! Everything that can be wrong with a plan, a manifest or a document, as data.

use crate::dataflow::lex::Malformed;
use crate::dataflow::template::BadParameters;
use crate::document::DocumentBreach;
use crate::ids::{BadName, ToolId};
use crate::problem::http_flaw::HttpFlaw;

/// What is wrong. Its words are in `reason_words.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemReason {
    /// The bytes are no document.
    Document(DocumentBreach),
    /// The document is no object.
    PlanNoObject,
    /// `steps` is no list.
    PlanNoSteps,
    /// `metadata` is no object.
    PlanMetadata,
    /// `steps` is empty.
    PlanEmpty,
    /// More steps than are allowed.
    PlanTooLarge {
        /// So many are.
        most: usize,
    },
    /// A field that plans do not have.
    UnknownField {
        /// Its name.
        field: String,
    },
    /// A step or action is no object.
    StepNoObject,
    /// It has no id, or one that is no text.
    StepNoId {
        /// The field.
        key: String,
        /// What stands there instead.
        found: Option<String>,
    },
    /// It names no tool.
    StepNoTool,
    /// It has a tool and actions.
    StepToolAndActions,
    /// It has actions and parameters.
    StepActionsAndParameters,
    /// `actions` is no list, or an empty one.
    StepActions,
    /// `depends_on` is no list of ids.
    StepDependencies,
    /// `expected_duration_sec` is no time.
    StepDuration,
    /// `parameters` is no object.
    Parameters(BadParameters),
    /// An id that cannot be used.
    BadId {
        /// The field.
        key: String,
        /// Why.
        why: BadName,
    },
    /// Two steps have one id.
    DuplicateStep,
    /// A metadata key has the name of a step.
    MetadataIsStep,
    /// The parameters are too long for an event.
    ParameterTooLarge {
        /// So many bytes are allowed.
        limit: usize,
    },
    /// No such tool.
    UnknownTool {
        /// Its name.
        tool: String,
    },
    /// A step depends on itself.
    SelfDependency,
    /// A step reads itself.
    ReadsItself {
        /// The placeholder.
        source: String,
    },
    /// A step depends on one that is not there.
    UnknownDependency {
        /// Its name.
        step: String,
    },
    /// Braces that are no placeholder.
    BadPlaceholder {
        /// As written.
        source: String,
        /// Why.
        why: Malformed,
    },
    /// A placeholder names a step that is not there.
    UnknownStep {
        /// The placeholder.
        source: String,
        /// The name in it.
        name: String,
    },
    /// A placeholder names a field that the output cannot have.
    UnknownOutputField {
        /// The placeholder.
        source: String,
        /// The step that is read.
        step: String,
        /// The path so far.
        reached: String,
        /// The field.
        field: String,
    },
    /// A required parameter is not given.
    MissingParameter {
        /// The tool that needs it.
        tool: String,
        /// Its name.
        name: String,
    },
    /// A parameter that the tool does not have.
    UnknownParameter {
        /// The tool.
        tool: String,
        /// Its name.
        name: String,
    },
    /// A literal that does not fit.
    BadParameter {
        /// What the schema says.
        detail: String,
    },
    /// Steps that wait for each other.
    Cycle {
        /// Their ids, the first one again at the end.
        steps: Vec<String>,
    },
    /// The document is neither a tool nor a list of tools.
    ManifestNoTool,
    /// A manifest does not say how the tool is reached.
    ManifestNoTransport {
        /// The fields that could.
        fields: Vec<&'static str>,
    },
    /// A manifest says it twice.
    ManifestTransports {
        /// The fields of which it has several.
        fields: Vec<&'static str>,
    },
    /// A field is missing, unknown or of the wrong type.
    ManifestField {
        /// What the reader said.
        said: String,
    },
    /// A schema is none.
    BadSchema {
        /// Why.
        why: String,
    },
    /// A time is none.
    BadSpan,
    /// More retries than are allowed.
    TooManyRetries {
        /// So many are.
        most: u32,
    },
    /// A tool that could never run.
    NoConcurrency,
    /// `argv` names no program.
    NoProgram,
    /// An address that is none.
    BadUrl,
    /// A part of an HTTP request makes no sense.
    Http(HttpFlaw),
    /// An address of no database.
    BadDatabaseUrl,
    /// A password stands in a manifest.
    OpenPassword,
    /// A query without words.
    NoQuery,
    /// A bound of zero, or above what is allowed.
    BadBound {
        /// So much is.
        most: u64,
    },
    /// A tool names itself where another is meant.
    NamesItself,
    /// The name of one of Praxis' own calls.
    OwnName {
        /// Which.
        tool: ToolId,
    },
    /// A schema of arguments that no arguments fit.
    NoArgumentsFit,
    /// Nobody says what the tool does.
    NoDescription,
    /// A tool that changes something is judged by what it gives.
    NotEmptyWrite,
    /// What may not be empty is no place in an output.
    NotEmptyField,
    /// A parameter that a call cannot do without is to be left out.
    NotOptional {
        /// Its name.
        name: String,
    },
    /// Two manifests give one id.
    DuplicateTool {
        /// The id.
        tool: String,
        /// Where else it stands.
        other: String,
    },
    /// A program adds two tools of one id.
    TakenTool {
        /// The id.
        tool: String,
    },
    /// A manifest gives the id of a tool in the binary, which nothing takes the place of.
    BuiltInTool {
        /// The id.
        tool: String,
    },
}

impl ProblemReason {
    /// The stable code.
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
