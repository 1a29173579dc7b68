//! What a question to a model waits for before it is sent, for whoever looks on.

use super::fault::ModelFault;
use crate::lang::Lang;
use crate::time::Timestamp;

/// Why nothing is said yet.
#[derive(Clone, Debug, PartialEq)]
pub enum WaitReason {
    /// The last try failed; the next one comes at a time.
    Rest {
        /// What went wrong.
        fault: ModelFault,
        /// When it is tried again.
        until: Timestamp,
    },
    /// Others come first, or the limits of the endpoint let nobody through yet.
    Turn {
        /// How many questions come before it.
        before: u64,
        /// When it may go, if that is known.
        until: Option<Timestamp>,
    },
    /// It waits no more.
    Over,
}

impl WaitReason {
    /// In words, for a question to a model of this name; none if it waits no more.
    pub fn words(&self, model: &str, now: Timestamp, lang: Lang) -> Option<String> {
        let seconds = |until: Timestamp| until.since(now).div_ceil(1000);
        Some(match (self, lang) {
            (Self::Over, _) => return None,
            (Self::Rest { fault, until }, Lang::En) => {
                let (left, why) = (seconds(*until), fault.message(lang));
                format!("the endpoint rests, next try in {left} s: {why}")
            }
            (Self::Rest { fault, until }, Lang::Zh) => {
                let (left, why) = (seconds(*until), fault.message(lang));
                format!("接口暂停调用，{left} 秒后重试：{why}")
            }
            (Self::Turn { before, until }, Lang::En) => {
                let known = until.map(|until| format!(", goes on in {} s", seconds(until)));
                let known = known.unwrap_or_default();
                format!("waits for its turn at {model}, {before} before it{known}")
            }
            (Self::Turn { before, until }, Lang::Zh) => {
                let known = until.map(|until| format!("，{} 秒后继续", seconds(until)));
                let known = known.unwrap_or_default();
                format!("正在 {model} 处排队，前面还有 {before} 个{known}")
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
        let said = "the endpoint rests, next try in 12 s: the model cannot be reached: refused";
        assert_eq!(rest.words("local", now, Lang::En).unwrap(), said);
        assert!(rest.words("local", now, Lang::Zh).unwrap().contains("12 秒后重试"));
        let turn = WaitReason::Turn { before: 3, until: None };
        let said = "waits for its turn at local, 3 before it";
        assert_eq!(turn.words("local", now, Lang::En).unwrap(), said);
        assert_eq!(turn.words("local", now, Lang::Zh).unwrap(), "正在 local 处排队，前面还有 3 个");
        assert_eq!(WaitReason::Over.words("local", now, Lang::En), None);
    }
}
