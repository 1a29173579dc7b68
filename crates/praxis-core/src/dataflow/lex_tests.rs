use super::*;
use proptest::prelude::*;

/// `literal`, `<path>` for a reference, `!source!` for what is malformed.
fn shown(text: &str) -> String {
    lex(text)
        .into_iter()
        .map(|piece| match piece {
            LexedPiece::Literal(text) => text,
            LexedPiece::Reference(reference) => {
                format!("<{}>", path::print(&reference.segments).trim_start_matches('.'))
            }
            LexedPiece::Malformed { source, .. } => format!("!{source}!"),
        })
        .collect()
}

#[test]
fn triple_braces_blanks_and_dollars_are_the_same_reference() {
    for text in ["{{a.b}}", "{{{a.b}}}", "{{ a.b }}", "${a.b}", "{{a . b}}"] {
        assert_eq!(shown(text), "<a.b>", "{text}");
    }
}

#[test]
fn real_braces_beside_a_placeholder_stay_literal() {
    assert_eq!(shown(r#"{"k":{"x":{{n}}}}"#), r#"{"k":{"x":<n>}}"#);
    assert_eq!(shown(r#"{"k":{{{n}}}}"#), r#"{"k":<n>}"#);
    assert_eq!(shown("{{a}}}"), "<a>}");
    assert_eq!(shown("{{{a}}"), "{<a>");
    assert_eq!(shown("{{{{n}}}}"), "{<n>}");
    assert_eq!(shown("${{amount}}"), "$<amount>");
}

#[test]
fn a_backslash_makes_braces_literal_and_two_make_a_backslash() {
    assert_eq!(shown(r"\{{a}}"), "{{a}}");
    assert_eq!(shown(r"\\{{a}}"), r"\<a>");
    assert_eq!(shown(r"\\\{{a}}"), r"\{{a}}");
    assert_eq!(shown(r"\${a.b}"), "${a.b}");
    assert_eq!(shown(r"C:\temp\x"), r"C:\temp\x");
}

#[test]
fn what_a_shell_writes_and_is_no_path_stays_text() {
    assert_eq!(shown("${VAR:-\"x\"} ${} $HOME ${unclosed"), "${VAR:-\"x\"} ${} $HOME ${unclosed");
}

#[test]
fn empty_unclosed_and_broken_paths_are_malformed() {
    for text in [
        "{{}}",
        "{{  }}",
        "{{a",
        "{{a..b}}",
        "{{.a}}",
        "{{a.}}",
        "{{a[x]}}",
        "{{[0]}}",
        "{{a[0]b}}",
    ] {
        assert!(matches!(lex(text).as_slice(), [LexedPiece::Malformed { .. }]), "{text}");
    }
}

#[test]
fn chinese_hyphenated_and_quoted_names_are_names() {
    assert_eq!(shown("{{步骤一.outputs.结果}}"), "<步骤一.outputs.结果>");
    assert_eq!(shown("{{step-1.outputs.x[0][\"a.b\"]}}"), "<step-1.outputs.x[0][\"a.b\"]>");
}

#[test]
fn a_quoted_key_with_closing_braces_survives_printing() {
    for text in [r#"{{a["\u007d\u007d"].b}}"#, r#"${a["x\u007d"]}"#, r#"{{a["\"\\"]}}"#] {
        let pieces = lex(text);
        assert!(matches!(pieces.as_slice(), [LexedPiece::Reference(_)]), "{text}");
        assert_eq!(meaning(&lex(&print(&pieces))), meaning(&pieces), "{text}");
    }
}

/// Pieces without their sources: what a text means.
fn meaning(pieces: &[LexedPiece]) -> Vec<String> {
    let without_source = |piece: &LexedPiece| match piece {
        LexedPiece::Literal(text) => format!("text {text}"),
        LexedPiece::Reference(reference) => {
            format!("{:?} {}", reference.segments, reference.dollar)
        }
        LexedPiece::Malformed { source, why } => format!("malformed {source} {why}"),
    };
    pieces.iter().map(without_source).collect()
}

proptest! {
    #[test]
    fn any_text_lexes_without_a_panic_and_prints_to_the_same_meaning(
        text in r#"([a-c.{}$\\\[\]"0 ]|\{\{|\}\}|\\\{\{|\$\{|步){0,24}"#,
    ) {
        let pieces = lex(&text);
        let malformed = pieces.iter().any(|piece| matches!(piece, LexedPiece::Malformed { .. }));
        if !malformed {
            let printed = print(&pieces);
            prop_assert_eq!(meaning(&lex(&printed)), meaning(&pieces), "printed as {}", printed);
        }
    }

    #[test]
    fn any_path_prints_to_itself(text in r#"[a-b.\[\]"0\\u7d{} 步]{0,16}"#, wild in any::<String>()) {
        for text in [text, wild] {
            if let Ok(path) = segments(&text) {
                let printed = path::print(&path);
                let printed = printed.strip_prefix('.').unwrap_or(&printed);
                prop_assert_eq!(segments(printed), Ok(path), "printed as {}", printed);
            }
        }
    }

    #[test]
    fn any_literal_survives_printing(text in any::<String>(), braces in r"[{}$\\a]{0,12}") {
        let literal = format!("{text}{braces}");
        let printed = print(&[LexedPiece::Literal(literal.clone())]);
        let expected = if literal.is_empty() { vec![] } else { vec![LexedPiece::Literal(literal)] };
        prop_assert_eq!(lex(&printed), expected);
    }
}
