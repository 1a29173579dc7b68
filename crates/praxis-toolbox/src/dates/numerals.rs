//! Converts Chinese numerals and full-width characters of a date to ASCII: `二〇二六年` becomes `2026年`.

/// Characters after which a numeral is part of a date.
const COUNTED: [char; 8] = ['年', '月', '日', '号', '时', '点', '分', '秒'];

/// Converts full-width characters to ASCII, and Chinese numerals before one of `COUNTED` to digits.
pub(super) fn plain(text: &str) -> String {
    let narrow: Vec<char> = text.chars().map(narrowed).collect();
    let mut out = String::new();
    let mut rest = narrow.as_slice();
    while let Some(first) = rest.first() {
        let run = rest.iter().take_while(|c| numeral(**c).is_some()).count();
        let (numerals, after) = rest.split_at_checked(run).unwrap_or((rest, &[]));
        let counted = after.first().is_some_and(|next| COUNTED.contains(next));
        match value(numerals).filter(|_| counted) {
            Some(digits) => {
                out.push_str(&digits);
                rest = after;
            }
            None => {
                out.push(*first);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }
    out
}

fn narrowed(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '，' | '、' => ',',
        '。' => '.',
        '−' | '–' | '—' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c).saturating_sub(0xfee0)).unwrap_or(c),
        _ => c,
    }
}

fn numeral(c: char) -> Option<u32> {
    const DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    match c {
        '零' => Some(0),
        '十' => Some(10),
        _ => DIGITS.iter().position(|digit| *digit == c).and_then(|at| u32::try_from(at).ok()),
    }
}

/// Converts a run of numerals: `二〇二六` digit by digit, `二十五` by tens. Returns `None` for an empty or invalid run.
fn value(numerals: &[char]) -> Option<String> {
    let digits: Vec<u32> = numerals.iter().filter_map(|c| numeral(*c)).collect();
    match digits.as_slice() {
        [] => None,
        [10] => Some("10".to_owned()),
        [10, one @ 0..=9] => Some((10 + one).to_string()),
        [ten @ 1..=9, 10] => Some((ten * 10).to_string()),
        [ten @ 1..=9, 10, one @ 0..=9] => Some((ten * 10 + one).to_string()),
        _ if digits.contains(&10) => None,
        _ => Some(digits.iter().map(ToString::to_string).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn chinese_numerals_of_a_date_become_digits_and_others_stay() {
        for (text, expected) in [
            ("二〇二六年十一月十五日", "2026年11月15日"),
            ("二零二六年二月二十号 十点三十分", "2026年2月20号 10点30分"),
            ("２０２６／１１／１５　０８：３０", "2026/11/15 08:30"),
            ("星期三", "星期三"),
            ("十十月", "十10月"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
