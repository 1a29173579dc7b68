//! Messages in both languages: two neighbours of which the first has English and the second Chinese literals.
//!
//! Neighbours are arguments of a call, elements of a tuple, fields, match arms, statements (`let en = …; let zh = …;`), or
//! two functions whose names end in `en` and `zh`.

use super::literals::{is_chinese, literals};
use crate::tidy::test_only::{of_impl_item, of_item, test_only};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Ident, ImplItem, Item};

/// One message; a side without text is empty.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    pub(super) en: String,
    pub(super) zh: String,
}

/// Finds the messages of a file, without those of its tests.
pub(super) fn messages(file: &syn::File) -> Vec<Message> {
    let mut finder = Finder::default();
    finder.visit_file(file);
    finder.found
}

#[derive(Default)]
struct Finder {
    found: Vec<Message>,
    /// Literals of the last function whose name ends in `en`.
    english: Vec<String>,
}

impl Finder {
    fn add_function(&mut self, name: &Ident, body: &Block) {
        let name = name.to_string();
        let stream = body.to_token_stream();
        if is_in(&name, "en") {
            self.english = literals(&stream);
        } else if is_in(&name, "zh") {
            let english = std::mem::take(&mut self.english);
            self.add_aligned(&english, &literals(&stream));
        } else {
            walk(&stream, &mut self.found);
        }
    }

    fn add_aligned(&mut self, english: &[String], chinese: &[String]) {
        self.found.extend(aligned(english, chinese));
    }
}

fn is_in(name: &str, language: &str) -> bool {
    name == language || name.ends_with(&format!("_{language}"))
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        if test_only(of_item(item)) {
            return;
        }
        match item {
            Item::Fn(function) => self.add_function(&function.sig.ident, &function.block),
            Item::Const(constant) => walk(&constant.expr.to_token_stream(), &mut self.found),
            Item::Static(constant) => walk(&constant.expr.to_token_stream(), &mut self.found),
            other => visit::visit_item(self, other),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if test_only(of_impl_item(item)) {
            return;
        }
        match item {
            ImplItem::Fn(function) => self.add_function(&function.sig.ident, &function.block),
            other => visit::visit_impl_item(self, other),
        }
    }
}

/// Looks at the neighbours of a stream, and inside those that are no pair.
fn walk(stream: &TokenStream, found: &mut Vec<Message>) {
    let parts = parts(stream);
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let english = literals(part);
        let chinese = parts.get(at + 1).map(literals).unwrap_or_default();
        let pairs = !english.is_empty()
            && !english.iter().any(|text| is_chinese(text))
            && chinese.iter().any(|text| is_chinese(text));
        if pairs {
            found.extend(aligned(&english, &chinese));
            at += 2;
            continue;
        }
        inside(part, found);
        at += 1;
    }
}

/// Walks the groups of a part; a Chinese literal that stands alone is a message without English.
fn inside(part: &TokenStream, found: &mut Vec<Message>) {
    for tree in part.clone() {
        match tree {
            TokenTree::Group(group) => walk(&group.stream(), found),
            TokenTree::Literal(_) => {
                let texts = literals(&TokenStream::from(tree));
                let alone = texts.into_iter().filter(|text| is_chinese(text));
                found.extend(alone.map(|zh| Message { en: String::new(), zh }));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// Splits a stream at its commas and semicolons, and after the braces that end a statement.
fn parts(stream: &TokenStream) -> Vec<TokenStream> {
    let mut parts: Vec<Vec<TokenTree>> = vec![vec![]];
    for tree in stream.clone() {
        let ends = matches!(&tree, TokenTree::Punct(sign) if matches!(sign.as_char(), ',' | ';'));
        let is_block =
            matches!(&tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        if !ends && let Some(part) = parts.last_mut() {
            part.push(tree);
        }
        if ends || is_block {
            parts.push(vec![]);
        }
    }
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| part.into_iter().collect())
        .collect()
}

/// Pairs texts one by one if there are as many in both languages, else all of one with all of the other.
fn aligned(english: &[String], chinese: &[String]) -> Vec<Message> {
    if english.len() == chinese.len() {
        let pairs = english.iter().zip(chinese);
        return pairs.map(|(en, zh)| Message { en: en.clone(), zh: zh.clone() }).collect();
    }
    vec![Message { en: english.join(" ⏎ "), zh: chinese.join(" ⏎ ") }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let file = syn::parse_file(text).unwrap();
        messages(&file).into_iter().map(|message| (message.en, message.zh)).collect()
    }

    fn pair(en: &str, zh: &str) -> (String, String) {
        (en.to_owned(), zh.to_owned())
    }

    #[test]
    fn arguments_tuples_fields_arms_and_statements_are_paired() {
        let text = r#"
            fn f() {
                say("nothing waits", "没有问题");
                let words = (format!("{n} tasks"), format!("{n} 个任务"));
                let both = Bilingual { en: "a".to_owned(), zh: "甲".to_owned() };
                let word = match lang { Lang::En => "b", Lang::Zh => "乙" };
                let en = format!("c {x}");
                let zh = format!("丙 {x}");
            }"#;
        let wanted = [
            pair("nothing waits", "没有问题"),
            pair("{n} tasks", "{n} 个任务"),
            pair("a", "甲"),
            pair("b", "乙"),
            pair("c {x}", "丙 {x}"),
        ];
        assert_eq!(found(text), wanted);
    }

    #[test]
    fn functions_of_two_languages_are_paired_in_order() {
        let text = r#"
            fn message_en(it: X) -> String { match it { A => "one".into(), B => "two".into() } }
            fn message_zh(it: X) -> String { match it { A => "一".into(), B => "二".into() } }"#;
        assert_eq!(found(text), [pair("one", "一"), pair("two", "二")]);
    }

    #[test]
    fn chinese_without_english_is_shown_and_tests_are_not() {
        let text = r#"
            fn f() { lone("孤"); }
            #[cfg(test)]
            mod tests { fn g() { say("a", "测试"); } }"#;
        assert_eq!(found(text), [pair("", "孤")]);
    }
}
