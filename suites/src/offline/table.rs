//! The table of right goals, by class and language.

use super::SUITE;
use super::judge::OfflineVerdict;
use crate::report::{Count, SuiteReport};
use std::collections::BTreeMap;

/// The metric of goals that are right in every part.
pub(crate) const ALL: &str = "all right";
/// The metrics of a row.
const FIGURES: [&str; 4] = ["outcome right", "plan right", "end right", ALL];

/// A row of counts, in the order of `FIGURES`.
type FigureRow = [Count; 4];

/// Counts of right goals, by class and language.
#[derive(Default)]
pub(crate) struct OfflineTable {
    rows: BTreeMap<(String, String), FigureRow>,
}

impl OfflineTable {
    /// Counts a goal of a class in a language.
    pub(crate) fn add(&mut self, (class, lang): (&str, &str), verdict: OfflineVerdict) {
        let all = "all";
        for of in [(class, lang), (class, all), (all, lang), (all, all)] {
            let of = (of.0.to_owned(), of.1.to_owned());
            let row = self.rows.entry(of).or_default();
            let right = [verdict.outcome, verdict.plan, verdict.end, verdict.all()];
            row.iter_mut().zip(right).for_each(|(count, right)| count.add(right));
        }
    }

    /// Adds the metrics and the printed table to the report.
    pub(crate) fn tell(&self, report: &mut SuiteReport) {
        let head = format!(
            "{:<10} {:<4} {:>4} {:>8} {:>6} {:>5} {:>5}",
            "class", "lang", "n", "outcome", "plan", "end", "all"
        );
        report.table.push(head);
        let (whole, classes): (Vec<_>, Vec<_>) =
            self.rows.iter().partition(|((class, _), _)| class == "all");
        for ((class, lang), row) in classes.into_iter().chain(whole) {
            let [outcome, plan, end, all] = row.map(|count| count.good);
            let n = row.first().map_or(0, |count| count.all);
            let line =
                format!("{class:<10} {lang:<4} {n:>4} {outcome:>8} {plan:>6} {end:>5} {all:>5}");
            report.table.push(line);
            let set = if lang == "all" { class.clone() } else { format!("{class} {lang}") };
            for (metric, count) in FIGURES.iter().zip(row) {
                report.figure(SUITE, &set, metric, (count.good as f64, count.all));
            }
        }
    }
}
