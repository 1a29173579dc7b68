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
        match self.said(lang) {
            None | Some("") => words,
            Some(said) => format!("{words}{colon}{said}"),
        }
    }

    /// Returns the sentence of each fault, in English and Chinese; `{}` stands for the status, the duration, the
    /// parameter or the tool.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::ModelRateLimited { .. } => (
                "the model endpoint is rate limiting: too many requests",
                "模型接口限流：请求过于频繁",
            ),
            Self::ModelQuotaSpent { .. } => ("the model quota is used up", "模型额度已用完"),
            Self::ModelOverloaded { .. } => ("the model endpoint is overloaded", "模型接口过载"),
            Self::ModelLoading { .. } => ("the model is still loading", "模型仍在加载"),
            Self::ModelUnreachable { .. } => {
                ("the model endpoint is unreachable", "无法连接模型接口")
            }
            Self::ModelSilent { .. } => ("the model timed out after {}", "模型超时：{} 内没有响应"),
            Self::ModelBroke { .. } => {
                ("the model endpoint failed (HTTP {})", "模型接口出错（HTTP {}）")
            }
            Self::ModelDenied { status: 0, .. } => {
                ("the request to the model was not sent", "没有向模型发出请求")
            }
            Self::ModelDenied { .. } => {
                ("the model endpoint denied access (HTTP {})", "模型接口拒绝访问（HTTP {}）")
            }
            Self::ModelNotFound { .. } => ("the model was not found", "找不到模型"),
            Self::ModelParameterRefused { .. } => {
                ("the model does not support `{}`", "模型不支持 `{}`")
            }
            Self::ModelReasoningWanted { .. } => (
                "the model requires its earlier reasoning to be sent back",
                "模型要求回传之前的推理过程",
            ),
            Self::ModelReasoningRefused { .. } => {
                ("the model does not accept its earlier reasoning", "模型不接受之前的推理过程")
            }
            Self::ModelContextExceeded { .. } => {
                ("the request exceeds the model's context length", "请求超出模型的上下文长度")
            }
            Self::ModelRefused { .. } => (
                "the model endpoint rejected the request (HTTP {})",
                "模型接口拒绝了请求（HTTP {}）",
            ),
            Self::ModelNotAnEndpoint { .. } => (
                "the response is not from a model endpoint (HTTP {})",
                "响应不是来自模型接口（HTTP {}）",
            ),
            Self::ModelErrorInAnswer { .. } => {
                ("the model endpoint reported an error during the answer", "模型接口在回答途中报错")
            }
            Self::ModelUnreadable { .. } => {
                ("the model's answer could not be parsed", "无法解析模型的回答")
            }
            Self::ModelCut { .. } => ("the model's answer was cut off", "模型的回答被截断"),
            Self::ModelEmpty { .. } => ("the model's answer is empty", "模型的回答为空"),
            Self::ModelDeclined { .. } => ("the model declined to answer", "模型拒绝回答"),
            Self::ModelArgumentsUnreadable { .. } => (
                "the model's arguments for tool `{}` are not a JSON object",
                "模型给工具 `{}` 的参数不是 JSON 对象",
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
    fn said(&self, lang: Lang) -> Option<&str> {
        match self {
            Self::ModelDenied { message_zh, .. } if lang == Lang::Zh && !message_zh.is_empty() => {
                Some(message_zh)
            }
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
