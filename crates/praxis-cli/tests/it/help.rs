//! Help pages, and the line that says how much was checked.

use crate::rig::{Rig, finish};

fn help(language: &str, words: &[&str]) -> String {
    let rig = Rig::empty();
    let mut command = rig.plain(words);
    let output = finish(&rig, command.env("LC_ALL", language));
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn help_is_in_the_language_of_the_locale_or_of_the_flag() {
    for page in [
        help("zh_CN.UTF-8", &["retry", "--help"]),
        help("C", &["--lang", "zh", "retry", "--help"]),
        help("C", &["retry", "--lang=zh", "-h"]),
    ] {
        for part in ["用法：praxis retry", "选项", "重试失败或已取消的任务", "显示帮助", "示例："]
        {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("Options") && !page.contains("Print help"), "{page}");
    }
    let page = help("zh_CN.UTF-8", &["--lang", "en", "retry", "--help"]);
    assert!(page.contains("Retry a failed or cancelled task") && page.is_ascii(), "{page}");
}

#[test]
fn where_nobody_looked_at_the_answer_that_is_said_instead_of_a_score() {
    let rig = Rig::empty();
    std::fs::write(rig.path("prices.csv"), "name,price\na,3\nb,1\n").unwrap();
    let run = ["run", "sort prices.csv by price", "--yes"];
    let (code, _, said) = rig.says(&run);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("⚖ all steps succeeded; the answer was not checked"), "{said}");
    assert!(!said.contains("100/100"), "{said}");
    let (_, _, said) = rig.says(&[&["--lang", "zh"][..], &run].concat());
    assert!(said.contains("⚖ 所有步骤均已成功；未检查答案是否正确"), "{said}");
}
