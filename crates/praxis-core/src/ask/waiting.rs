//! Reasons why a model request waits before it is sent, for display.

use super::fault::ModelFault;
use crate::lang::Lang;
use crate::time::Timestamp;

/// The reason why a request is not sent yet.
#[derive(Clone, Debug, PartialEq)]
pub enum WaitReason {
    /// Backoff after a failed attempt.
    Rest {
        /// The fault of the last attempt.
        fault: ModelFault,
        /// The time of the next attempt.
        until: Timestamp,
    },
    /// Queueing: other requests come first, or the limits of the endpoint allow none yet.
    Turn {
        /// The number of requests before it in the queue.
        before: u64,
        /// The time at which it may be sent, if known.
        until: Option<Timestamp>,
    },
    /// The end of the wait.
    Over,
}

impl WaitReason {
    /// Describes the wait of a request to `model`; `None` if the wait is over.
    pub fn words(&self, model: &str, now: Timestamp, lang: Lang) -> Option<String> {
        let seconds = |until: Timestamp| until.since(now).div_ceil(1000);
        Some(match (self, lang) {
            (Self::Over, _) => return None,
            (Self::Rest { fault, until }, Lang::En) => {
                let (left, why) = (seconds(*until), fault.message(lang));
                format!("model call failed, retrying in {left} s: {why}")
            }
            (Self::Rest { fault, until }, Lang::Zh) => {
                let (left, why) = (seconds(*until), fault.message(lang));
                format!("模型调用失败，{left} 秒后重试：{why}")
            }
            (Self::Turn { before, until }, Lang::En) => {
                let known = until.map(|until| format!(", starts in {} s", seconds(until)));
                let known = known.unwrap_or_default();
                format!("queued for {model}, {before} ahead{known}")
            }
            (Self::Turn { before, until }, Lang::Zh) => {
                let known = until.map(|until| format!("，{} 秒后开始", seconds(until)));
                let known = known.unwrap_or_default();
                format!("正在排队等待 {model}，前面还有 {before} 个请求{known}")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_is_waited_for_and_how_long() {
        let now = Timestamp(10_000);
        let fault = ModelFault::ModelUnreachable { message: "refused".to_owned() };
        let rest = WaitReason::Rest { fault, until: Timestamp(21_500) };
        let said =
            "model call failed, retrying in 12 s: the model endpoint is unreachable: refused";
        assert_eq!(rest.words("local", now, Lang::En).unwrap(), said);
        assert!(rest.words("local", now, Lang::Zh).unwrap().contains("12 秒后重试"));
        let turn = WaitReason::Turn { before: 3, until: None };
        let said = "queued for local, 3 ahead";
        assert_eq!(turn.words("local", now, Lang::En).unwrap(), said);
        assert_eq!(
            turn.words("local", now, Lang::Zh).unwrap(),
            "正在排队等待 local，前面还有 3 个请求"
        );
        assert_eq!(WaitReason::Over.words("local", now, Lang::En), None);
    }
}
