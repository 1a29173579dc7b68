//! Messages of model faults for people, in both languages.

use super::fault::{ModelFault, Parameter};
use crate::lang::Lang;
use std::fmt;

impl ModelFault {
    /// Describes the fault.
    pub fn message(&self, lang: Lang) -> String {
        let (en, zh) = self.words();
        let (words, colon) = match lang {
            Lang::En => (en, ": "),
            Lang::Zh => (zh, "："),
        };
        let words = words.replace("{}", &self.which());
        match self.said() {
            None | Some("") => words,
            Some(said) => format!("{words}{colon}{said}"),
        }
    }

    /// Returns the sentence of each fault, in English and Chinese; `{}` stands for the status, the duration, the
    /// parameter or the tool.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::ModelRateLimited { .. } => {
                ("the model gets too many requests", "模型请求过于频繁")
            }
            Self::ModelQuotaSpent { .. } => ("the quota of the model is used up", "模型额度已用完"),
            Self::ModelOverloaded { .. } => ("the model has too much to do", "模型服务繁忙"),
            Self::ModelLoading { .. } => ("the model is being loaded", "模型正在加载"),
            Self::ModelUnreachable { .. } => ("the model cannot be reached", "无法连接模型"),
            Self::ModelSilent { .. } => ("the model said nothing for {}", "模型在 {} 内没有回应"),
            Self::ModelBroke { .. } => ("the model broke down ({})", "模型服务出错({})"),
            Self::ModelDenied { .. } => ("the model denied access ({})", "模型拒绝访问({})"),
            Self::ModelNotFound { .. } => ("the model is not there", "找不到模型"),
            Self::ModelParameterRefused { .. } => {
                ("the model does not take `{}`", "模型不支持 `{}`")
            }
            Self::ModelReasoningWanted { .. } => {
                ("the model wants its earlier thoughts back", "模型要求回传之前的思考内容")
            }
            Self::ModelReasoningRefused { .. } => {
                ("the model does not take its earlier thoughts", "模型不接受之前的思考内容")
            }
            Self::ModelContextExceeded { .. } => {
                ("the request is too long for the model", "请求超出模型的上下文长度")
            }
            Self::ModelRefused { .. } => {
                ("the model refused the request ({})", "模型拒绝了请求({})")
            }
            Self::ModelNotAnEndpoint { .. } => {
                ("what answered is no model ({})", "应答方不是模型接口({})")
            }
            Self::ModelErrorInAnswer { .. } => ("the model broke off its answer", "模型中断了回答"),
            Self::ModelUnreadable { .. } => {
                ("the model's answer is unreadable", "无法读取模型的回答")
            }
            Self::ModelCut { .. } => ("the model's answer was cut off", "模型的回答不完整"),
            Self::ModelEmpty { .. } => ("the model's answer is empty", "模型的回答为空"),
            Self::ModelDeclined { .. } => ("the model declined to answer", "模型拒绝回答"),
            Self::ModelArgumentsUnreadable { .. } => (
                "the model's arguments for tool `{}` are unreadable",
                "无法读取模型给工具 `{}` 的参数",
            ),
        }
    }

    fn which(&self) -> String {
        match self {
            Self::ModelBroke { status, .. }
            | Self::ModelDenied { status, .. }
            | Self::ModelRefused { status, .. }
            | Self::ModelNotAnEndpoint { status, .. } => status.to_string(),
            Self::ModelSilent { after_ms } => format!("{} s", after_ms.div_ceil(1000)),
            Self::ModelParameterRefused { parameter, .. } => parameter.name().to_owned(),
            Self::ModelArgumentsUnreadable { tool, .. } => tool.clone(),
            Self::ModelRateLimited { .. }
            | Self::ModelQuotaSpent { .. }
            | Self::ModelOverloaded { .. }
            | Self::ModelLoading { .. }
            | Self::ModelUnreachable { .. }
            | Self::ModelNotFound { .. }
            | Self::ModelReasoningWanted { .. }
            | Self::ModelReasoningRefused { .. }
            | Self::ModelContextExceeded { .. }
            | Self::ModelErrorInAnswer { .. }
            | Self::ModelUnreadable { .. }
            | Self::ModelCut { .. }
            | Self::ModelEmpty { .. }
            | Self::ModelDeclined { .. } => String::new(),
        }
    }

    /// Returns the message of the endpoint or the text of the model.
    fn said(&self) -> Option<&str> {
        match self {
            Self::ModelQuotaSpent { message }
            | Self::ModelUnreachable { message }
            | Self::ModelBroke { message, .. }
            | Self::ModelDenied { message, .. }
            | Self::ModelNotFound { message }
            | Self::ModelParameterRefused { message, .. }
            | Self::ModelReasoningWanted { message }
            | Self::ModelReasoningRefused { message }
            | Self::ModelContextExceeded { message }
            | Self::ModelRefused { message, .. }
            | Self::ModelNotAnEndpoint { message, .. }
            | Self::ModelErrorInAnswer { message }
            | Self::ModelUnreadable { message }
            | Self::ModelDeclined { message, .. } => Some(message),
            Self::ModelArgumentsUnreadable { written, .. } => Some(written),
            Self::ModelRateLimited { .. }
            | Self::ModelOverloaded { .. }
            | Self::ModelLoading { .. }
            | Self::ModelSilent { .. }
            | Self::ModelCut { .. }
            | Self::ModelEmpty { .. } => None,
        }
    }
}

impl Parameter {
    /// Returns the name of the parameter in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::StreamOptions => "stream_options",
            Self::ParallelToolCalls => "parallel_tool_calls",
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::Temperature => "temperature",
            Self::ResponseFormat => "response_format",
            Self::Grammar => "pattern",
            Self::GuidedJson => "guided_json",
            Self::ToolChoice => "tool_choice",
            Self::Tools => "tools",
        }
    }
}

impl fmt::Display for ModelFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message(Lang::En))
    }
}
