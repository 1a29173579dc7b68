//! The words by which a request tells that it goes on with what was before, or wants it planned anew.

use crate::goal::strategy::Decision;
use crate::goal::strategy::Decision::{ContinuePlanning, Replanning};
use Follows::{Anything, NoName, OneOf};

/// A word that tells a decision, and what may follow it.
pub(super) struct Cue {
    pub(super) word: &'static str,
    pub(super) decision: Decision,
    pub(super) follows: Follows,
}

pub(super) enum Follows {
    /// Anything.
    Anything,
    /// One of these, or nothing.
    OneOf(&'static [&'static str]),
    /// Anything but the name of a thing that begins with the word.
    NoName(&'static [&'static str]),
}

/// Names of things that begin with `继续`: 继续教育, 继续医学教育.
const EDUCATION: &[&str] = &[
    "教育",
    "医学教育",
    "护理教育",
    "护理学教育",
    "药学教育",
    "工程教育",
    "职业教育",
    "专业教育",
    "专业技术教育",
    "成人教育",
    "教师教育",
    "学习平台",
    "教学",
];
/// What a résumé is not followed by.
const RESUMED: &[&str] = &[
    "the",
    "it",
    "this",
    "that",
    "where",
    "from",
    "task",
    "tasks",
    "run",
    "execution",
    "work",
    "working",
    "planning",
    "with",
    "at",
    "please",
    "now",
    "my task",
    "my work",
];
/// What is planned anew when the task is, and not a town.
const PLANNED: &[&str] = &[
    "一下",
    "任务",
    "步骤",
    "计划",
    "这个任务",
    "该任务",
    "剩",
    "余下",
    "吧",
    "执行",
    "本次",
    "it",
    "this",
    "the task",
    "the plan",
    "the rest",
    "the steps",
    "the remaining",
    "from",
    "please",
    "now",
    "everything",
];

pub(super) const CUES: &[Cue] = &[
    Cue { word: "继续", decision: ContinuePlanning, follows: NoName(EDUCATION) },
    Cue { word: "接着", decision: ContinuePlanning, follows: Anything },
    Cue { word: "接下去", decision: ContinuePlanning, follows: Anything },
    Cue { word: "continue", decision: ContinuePlanning, follows: NoName(&["button", "education"]) },
    Cue { word: "resume", decision: ContinuePlanning, follows: OneOf(RESUMED) },
    Cue { word: "keep going", decision: ContinuePlanning, follows: Anything },
    Cue { word: "carry on", decision: ContinuePlanning, follows: Anything },
    Cue {
        word: "go on",
        decision: ContinuePlanning,
        follows: OneOf(&["with", "from", "please", "now"]),
    },
    Cue { word: "pick up where", decision: ContinuePlanning, follows: Anything },
    Cue { word: "重新规划", decision: Replanning, follows: OneOf(PLANNED) },
    Cue { word: "重规划", decision: Replanning, follows: OneOf(PLANNED) },
    Cue { word: "换个方案", decision: Replanning, follows: Anything },
    Cue { word: "换一个方案", decision: Replanning, follows: Anything },
    Cue { word: "换种方式", decision: Replanning, follows: Anything },
    Cue { word: "换一种方式", decision: Replanning, follows: Anything },
    Cue { word: "换一种方法", decision: Replanning, follows: Anything },
    Cue { word: "换个思路", decision: Replanning, follows: Anything },
    Cue { word: "replan", decision: Replanning, follows: OneOf(PLANNED) },
    Cue { word: "plan it again", decision: Replanning, follows: Anything },
    Cue { word: "try another way", decision: Replanning, follows: Anything },
    Cue { word: "try another approach", decision: Replanning, follows: Anything },
    Cue { word: "try a different approach", decision: Replanning, follows: Anything },
    Cue {
        word: "start over",
        decision: Replanning,
        follows: OneOf(&["with", "from", "please", "again"]),
    },
];

/// Words before what somebody wants.
pub(super) const FILLERS: &[&str] = &[
    "请你",
    "请您",
    "请",
    "麻烦你",
    "麻烦",
    "帮我",
    "给我",
    "让我们",
    "让我",
    "我们",
    "我想要",
    "我希望",
    "我想",
    "我要",
    "我",
    "你",
    "您",
    "好的",
    "好",
    "那就",
    "那么",
    "那",
    "现在",
    "然后",
    "可以",
    "能否",
    "能不能",
    "再",
    "please",
    "now",
    "then",
    "and",
    "ok",
    "okay",
    "just",
    "so",
    "let's",
    "lets",
    "let us",
    "can you",
    "could you",
    "would you",
    "i want you to",
    "i want to",
    "we should",
    "you can",
    "you should",
    "go ahead and",
    "yes",
];
/// What separates one thing that is said from the next. Not quotes or colons: what they hold is data.
pub(super) const ENDS: &[char] =
    &[',', '，', '.', '。', '!', '！', '?', '？', ';', '；', '\n', '…'];
/// To do the rest of something.
pub(super) const DOING: &[&str] = &[
    "完成", "做完", "执行", "处理", "跑完", "弄完", "搞定", "补完", "继续", "finish", "complete",
    "do", "execute", "run", "perform", "handle",
];
/// The rest of something.
pub(super) const REST: &[&str] = &["剩余", "剩下", "余下", "remaining", "the rest"];
/// A rest that is none.
pub(super) const NO_REST: &[&str] = &[
    "the rest api",
    "the rest endpoint",
    "the rest service",
    "the rest interface",
    "the rest client",
    "the rest call",
];
/// Intents that are a decision.
pub(super) const INTENTS: &[(&str, Decision)] = &[
    ("继续", ContinuePlanning),
    ("继续执行", ContinuePlanning),
    ("继续规划", ContinuePlanning),
    ("继续完成", ContinuePlanning),
    ("继续做", ContinuePlanning),
    ("接着做", ContinuePlanning),
    ("continue", ContinuePlanning),
    ("resume", ContinuePlanning),
    ("continue_planning", ContinuePlanning),
    ("重新规划", Replanning),
    ("重规划", Replanning),
    ("replan", Replanning),
    ("replanning", Replanning),
];
