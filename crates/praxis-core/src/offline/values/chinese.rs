//! Where Chinese words part, as far as that can be said without a dictionary.

use super::scan::Scan;
use crate::text::phrase::is_chinese;

/// Characters that tie words together and are hardly ever a part of a name.
const TIES: &str = "的把将从到至对向往给和与及或并且在于由被用按以为是了着过请让帮我你他她它们这那哪个吗呢吧啊么就都也还再又很更最要想能会可去来做";
/// What a request begins with, or does with a thing: it stands before a value and does not belong to it.
const VERBS: &[&str] = &[
    "帮我",
    "帮忙",
    "麻烦",
    "请问",
    "查询",
    "查找",
    "查看",
    "搜索",
    "检索",
    "获取",
    "读取",
    "读入",
    "打开",
    "加载",
    "载入",
    "导入",
    "导出",
    "上传",
    "下载",
    "保存",
    "写入",
    "写到",
    "输出",
    "分析",
    "处理",
    "解析",
    "计算",
    "统计",
    "预测",
    "生成",
    "创建",
    "新建",
    "删除",
    "更新",
    "修改",
    "设置",
    "设定",
    "指定",
    "发送",
    "运行",
    "执行",
    "比较",
    "汇总",
    "合并",
    "清洗",
    "绘制",
    "翻译",
    "总结",
    "介绍",
    "推荐",
    "预订",
    "预定",
    "购买",
    "取消",
    "文件",
    "数据集",
    "使用",
    "根据",
    "基于",
    "关于",
    "通过",
    "进行",
    "包括",
    "包含",
    "其中",
    "以及",
    "然后",
    "接着",
    "最后",
    "首先",
    "需要",
    "想要",
    "希望",
    "可以",
    "如何",
    "怎么",
    "什么",
    "多少",
    "现在",
    "一下",
    "所有",
    "告诉",
    "列出",
    "显示",
    "安排",
    "提醒",
    "播放",
    "找到",
    "找出",
    "查",
];

/// Whether a character ties words together.
pub(in crate::offline) fn is_tie(c: char) -> bool {
    TIES.contains(c)
}

/// Whether a word of Chinese can begin at a place: not in the middle of a run.
pub(super) fn begins_here(scan: Scan<'_>) -> bool {
    scan.before().is_none_or(|c| !is_chinese(c) || is_tie(c))
}

/// How many bytes at the beginning of a text are words that do not belong to a value.
pub(super) fn verbs(text: &str) -> usize {
    skipped(text, |rest| rest.chars().next().filter(|c| is_tie(*c)).map(char::len_utf8))
}

/// The same where the name of a file begins, which may begin with characters that tie words elsewhere: `会议.txt`.
pub(super) fn before_name(text: &str) -> usize {
    const PREPOSITIONS: &str = "把将从到至对向往给和与及在于由被用按以请让的";
    skipped(text, |rest| {
        rest.chars().next().filter(|c| PREPOSITIONS.contains(*c)).map(char::len_utf8)
    })
}

/// The same where a key begins, which may have characters in it that tie words elsewhere: `用户名`.
pub(super) fn lead(text: &str) -> usize {
    skipped(text, |_| None)
}

fn skipped(text: &str, tie: fn(&str) -> Option<usize>) -> usize {
    let mut at = 0;
    // Nobody begins with more of them; and what is bounded is fast.
    for _ in 0..4 {
        let Some(rest) = text.get(at..) else { break };
        let verb = VERBS.iter().find(|verb| rest.starts_with(**verb)).map(|verb| verb.len());
        let Some(length) = verb.or_else(|| tie(rest)) else { break };
        at += length;
    }
    at
}

/// The end of the Chinese word that a text begins with: before the next tie.
pub(super) fn word_end(text: &str) -> usize {
    text.find(|c| !is_chinese(c) || is_tie(c)).unwrap_or(text.len())
}
