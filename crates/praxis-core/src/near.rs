//! Suggests similar names for a name that was not found, for error messages.

/// Returns at most three similar names, nearest first.
pub fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut scored: Vec<(u32, &str)> = names
        .filter_map(|name| {
            let similarity = strsim::jaro_winkler(wanted, name);
            let long = wanted.len() > 2 && name.len() > 2;
            let contained = long && (name.contains(wanted) || wanted.contains(name));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 1000"
            )]
            let score = (similarity * 1000.0) as u32;
            // `woh` for `who` is one transposition, but in so short a name Jaro-Winkler rates it too low.
            let slip = long && strsim::osa_distance(wanted, name) == 1;
            (similarity > 0.8 || contained || slip)
                .then_some((1000_u32.saturating_sub(score), name))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn a_slip_in_a_short_name_is_near_and_another_name_is_not() {
        let names = ["who", "amount", "region"];
        assert_eq!(near("woh", names.into_iter()), ["who"]);
        assert_eq!(near("amuont", names.into_iter()), ["amount"]);
        assert!(near("xyz", names.into_iter()).is_empty());
    }
}
