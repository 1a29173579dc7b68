//! Texts for a [`StepResolution`], in English and Chinese.

use super::account::StepResolution;
use crate::ids::StepId;
use crate::lang::Lang;

impl StepResolution {
    /// Describes the resolution in a few words.
    pub fn words(&self, lang: Lang) -> String {
        match lang {
            Lang::En => self.words_en(),
            Lang::Zh => self.words_zh(),
        }
    }

    fn words_en(&self) -> String {
        match self {
            Self::NotRun => "not run yet".to_owned(),
            Self::Refused => "not called: its arguments could not be resolved".to_owned(),
            Self::Called => "called".to_owned(),
            Self::Gathered { actions } => format!("gathered from {}", ids(actions)),
            Self::Simulated { task: Some(task) } => {
                format!("simulated: no call was made; the output was taken from {task}")
            }
            Self::Simulated { task: None } => {
                "simulated: no call was made; the output is made up".to_owned()
            }
            Self::Inherited { task } => format!("inherited from {task}: no call was made here"),
            Self::Answered { by, question } => {
                format!("given by {by} in answer to {question}: the call was in doubt")
            }
            Self::Checked => {
                "the call was in doubt; its check confirmed that it took effect".to_owned()
            }
        }
    }

    fn words_zh(&self) -> String {
        match self {
            Self::NotRun => "尚未执行".to_owned(),
            Self::Refused => "未调用：参数无法解析".to_owned(),
            Self::Called => "已调用".to_owned(),
            Self::Gathered { actions } => format!("汇总自 {}", ids(actions)),
            Self::Simulated { task: Some(task) } => {
                format!("模拟：未实际调用；输出取自 {task}")
            }
            Self::Simulated { task: None } => "模拟：未实际调用；输出是虚构的".to_owned(),
            Self::Inherited { task } => format!("沿用 {task} 的结果：此处未调用"),
            Self::Answered { by, question } => {
                format!("由 {by} 在回答 {question} 时给出：该调用曾存疑")
            }
            Self::Checked => "该调用曾存疑；核查确认其已生效".to_owned(),
        }
    }
}

fn ids(steps: &[StepId]) -> String {
    steps.iter().map(StepId::as_str).collect::<Vec<_>>().join(", ")
}
