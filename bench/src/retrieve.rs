//! W8: retrieval among a hundred thousand tools, for goals of a dozen words.

use crate::report::FigureLine;
use crate::rig::{Stopwatch, median, rss_mib};
use anyhow::ensure;
use praxis_core::call::tool::Tool;
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use praxis_rehearsal::chance::SeededChance;
use serde_json::json;

const TOOLS: usize = 100_000;
const GOALS: usize = 300;
/// The number of word-frequency scales. Each scale has twice as many words as the one before and is drawn equally
/// often.
const SCALES: usize = 15;
const SEED: u64 = 8;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let mut chance = SeededChance::of(SEED);
    let before = rss_mib()?;
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    let mut texts = Vec::new();
    let building = Stopwatch::start();
    for number in 0..TOOLS {
        let about = text(&mut chance, 14);
        search.put(&tool(number, &about, &mut chance)?);
        texts.push(about);
    }
    emit(FigureLine::praxis("W8", "us_per_tool_put", building.seconds() / TOOLS as f64 * 1e6));
    let (mut times, mut scans) = (Vec::new(), Vec::new());
    for _ in 0..GOALS {
        let wanted = chance.below(TOOLS);
        // Half of the words in the tool's description, and about as many unrelated ones.
        let about = texts.get(wanted).cloned().unwrap_or_default();
        let said: Vec<&str> = about.split(' ').step_by(2).collect();
        let goal = format!("{} {}", said.join(" "), text(&mut chance, 6));
        let watch = Stopwatch::start();
        let found = search.find(&goal, 20);
        times.push(watch.seconds() * 1e3);
        ensure!(!found.is_empty(), "nothing is found for {goal}");
        let watch = Stopwatch::start();
        let has = |text: &&String| said.iter().all(|word| text.contains(word));
        std::hint::black_box(texts.iter().filter(has).count());
        scans.push(watch.seconds() * 1e3);
    }
    let (middle, scan) = (median(times), median(scans));
    emit(FigureLine::praxis("W8", "find_p50_ms", middle).at_most(5.0));
    emit(FigureLine::praxis("W8", "find_over_plain_scan", middle / scan));
    emit(FigureLine::praxis("W8", "rss_mib", rss_mib()? - before).at_most(120.0));
    Ok(())
}

fn tool(number: usize, about: &str, chance: &mut SeededChance) -> anyhow::Result<Tool> {
    let (name, first, second) = (text(chance, 2), text(chance, 1), text(chance, 1));
    Ok(serde_json::from_value(json!({
        "id": format!("{}_{number}", name.replace(' ', "_")), "description": about, "builtin": "noop",
        "input_schema": {"type": "object", "properties": {
            first: {"description": text(chance, 4)}, second: {"description": text(chance, 4)}}},
    }))?)
}

/// Generates words with the frequencies of natural text: a few in nearly every text, most of them rare.
fn text(chance: &mut SeededChance, words: usize) -> String {
    let word = |_| {
        let scale = chance.below(SCALES);
        let rank = chance.below(1 << scale);
        let letters = [rank % 20, rank / 20 % 20, rank / 400 % 20, rank / 8000 % 20];
        let letter = |n: &usize| char::from(b'a' + u8::try_from(*n).unwrap_or_default());
        format!("{}q", letters.iter().map(letter).collect::<String>())
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}
