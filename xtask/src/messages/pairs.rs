//! Messages in both languages: two neighbours of which the first has English and the second Chinese literals.
//!
//! Neighbours are arguments of a call, elements of a tuple, fields, match arms, statements (`let en = …; let zh = …;`), or
//! two functions whose names end in `en` and `zh`. A neighbour that contains a whole pair, such as the second argument of
//! `usage("code", ("en", "zh"))`, is no translation of the one before it. The texts of `#[error("…")]` have no Chinese.

use super::errors::error_text;
use super::literals::{has_words, is_chinese, literals};
use crate::tidy::test_only::{of_impl_item, of_item, test_only};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Ident, ImplItem, Item};

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
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let english = error_text(attribute);
        self.found.extend(english.map(|en| Message { en, zh: String::new() }));
    }

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
            ImplItem::Const(constant) => walk(&constant.expr.to_token_stream(), &mut self.found),
            other => visit::visit_impl_item(self, other),
        }
    }
}

/// Looks at the neighbours of a stream, and inside those that are no pair.
fn walk(stream: &TokenStream, found: &mut Vec<Message>) {
    let parts = parts(stream);
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        if let Some(pair) = parts.get(at + 1).and_then(|next| paired(part, next)) {
            found.extend(pair);
            at += 2;
            continue;
        }
        inside(part, found);
        at += 1;
    }
}

/// Returns the messages of two neighbours, if the second one translates the first.
fn paired(part: &TokenStream, next: &TokenStream) -> Option<Vec<Message>> {
    let (english, chinese) = (literals(part), literals(next));
    let pairs = english.iter().any(|text| has_words(text))
        && !english.iter().any(|text| is_chinese(text))
        && chinese.iter().any(|text| is_chinese(text));
    if !pairs {
        return None;
    }
    let mut inner = Vec::new();
    inside(next, &mut inner);
    let is_whole = inner.iter().any(|message| !message.en.is_empty());
    (!is_whole).then(|| aligned(&english, &chinese))
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

/// Pairs texts one by one if there are as many in both languages, counted with or without those that have no words, else
/// all of one with all of the other.
fn aligned(english: &[String], chinese: &[String]) -> Vec<Message> {
    let worded = |texts: &[String]| -> Vec<String> {
        texts.iter().filter(|text| has_words(text)).cloned().collect()
    };
    let zipped = |english: &[String], chinese: &[String]| -> Vec<Message> {
        let pairs = english.iter().zip(chinese);
        pairs.map(|(en, zh)| Message { en: en.clone(), zh: zh.clone() }).collect()
    };
    if english.len() == chinese.len() {
        return zipped(english, chinese);
    }
    let (en, zh) = (worded(english), worded(chinese));
    if en.len() == zh.len() {
        return zipped(&en, &zh);
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
    fn a_pair_after_a_code_is_found_and_not_taken_for_its_translation() {
        let text = r#"
            fn f() {
                return Err(usage("usage", ("the id is empty", "id 为空")));
                let problem = Problem::new("bad_setting", &at, words);
                self.push(problem.next(("keep one of them", "只保留其中一个")));
                let en = "d";
                out!("  {}", context.say(en, "丁"));
            }"#;
        let wanted = [
            pair("the id is empty", "id 为空"),
            pair("keep one of them", "只保留其中一个"),
            pair("d", "丁"),
        ];
        assert_eq!(found(text), wanted);
    }

    #[test]
    fn texts_of_errors_have_no_chinese_beside_them() {
        let text = r#"
            #[derive(Error)]
            enum E {
                #[error("the disk is full")]
                Full,
                #[error("cannot read {path}: {}", .0.why())]
                Read(X),
                #[error("{0}")]
                PassedOn(Y),
                #[error(transparent)]
                Same(#[from] Z),
            }
            #[derive(Error)]
            #[error("event {seq} is not allowed")]
            struct Illegal;
            #[cfg(test)]
            mod tests { #[error("in a test")] struct T; }"#;
        let wanted = [
            pair("the disk is full", ""),
            pair("cannot read {path}: {}", ""),
            pair("event {seq} is not allowed", ""),
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
