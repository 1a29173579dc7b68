//! Plans without a model: which tools a request asks for, and what their parameters are given.

use praxis_core::call::tool::Tool;
use praxis_core::ids::ToolId;
use praxis_planner::offline::bind::{BindingSource, StepToBind, bind};
use praxis_planner::offline::chain::plan;
use praxis_planner::offline::goals::align;
use praxis_planner::offline::needs::PlannerTool;
use praxis_planner::offline::reading::RequestReading;
use praxis_planner::retrieve::search::LexicalSearch;
use praxis_planner::retrieve::synonyms::Synonyms;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// `name: type words, …` as the fields of an object; all are required but those with a `?`.
fn object(fields: &str) -> Value {
    let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
    for field in fields.split(", ").filter(|field| !field.is_empty()) {
        let (name, rest) = field.split_once(": ").unwrap();
        let (kind, words) = rest.split_once(' ').unwrap_or((rest, ""));
        let bare = name.trim_end_matches('?');
        if bare == name {
            required.push(bare.to_owned());
        }
        properties.insert(bare.to_owned(), json!({"type": kind, "description": words}));
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn tool(id: &str, about: &str, takes: &str, gives: &str) -> Tool {
    let manifest = json!({"id": id, "description": about, "input_schema": object(takes),
        "output_schema": object(gives), "builtin": "noop"});
    serde_json::from_value(manifest).unwrap()
}

fn tools() -> Vec<Tool> {
    vec![
        tool(
            "find_hotel",
            "Search for hotels with a free room in a city",
            "city: string City of the hotel, stars?: integer Number of stars",
            "hotel_name: string Name of the hotel, price: number Price of a night",
        ),
        tool(
            "book_hotel",
            "Book a room in a hotel",
            "hotel_name: string Name of the hotel, check_in_date: string First day of the stay, city: string City of the hotel",
            "reservation_id: string Number of the booking",
        ),
        tool(
            "send_email",
            "Send an email message",
            "recipient: string Address of the receiver, subject?: string Subject line, message: string What it says",
            "sent: boolean Whether it was sent",
        ),
        tool(
            "translate_text",
            "Translate a text into another language",
            "text: string The text, target_language: string Language to translate into",
            "translated_text: string The translation",
        ),
        tool(
            "find_bus",
            "Find a bus between two places",
            "origin: string Where it leaves, destination: string Where it goes",
            "bus_number: string Number of the bus",
        ),
        tool(
            "days_between",
            "计算两个日期之间的天数 Count the days between two dates",
            "start_date: string 开始日期, end_date: string 结束日期",
            "days: integer 天数",
        ),
        tool(
            "read_table",
            "读取表格文件 Read a table from a file",
            "path: string 文件路径 path of the file",
            "table_rows: array 行 the rows",
        ),
        tool(
            "sort_rows",
            "对表格的行排序 Sort the rows of a table by a column",
            "table_rows: array the rows of a table, column: string 列 column to sort by",
            "table_rows: array the rows",
        ),
    ]
}

/// What a plan says in one line: `tool(parameter=value, parameter=#1.field)`.
fn told(reading: &RequestReading, parts: &[StepToBind<'_>]) -> String {
    let given = |source: &BindingSource| match source {
        BindingSource::Said { value: Value::String(text), .. } => text.clone(),
        BindingSource::Said { value, .. } => value.to_string(),
        BindingSource::Output { step, path } => format!("#{}.{}", step + 1, path.join(".")),
        BindingSource::Given { key } => format!("{{{key}}}"),
    };
    let bound = bind(reading, parts);
    let call =
        |(part, bound): (&StepToBind<'_>, &Vec<praxis_planner::offline::bind::BoundParameter>)| {
            let filled = bound.iter().filter_map(|one| {
                Some(format!("{}={}", one.slot.path.join("."), given(one.source.as_ref()?)))
            });
            format!("{}({})", part.known.tool.id, filled.collect::<Vec<_>>().join(", "))
        };
    parts.iter().zip(&bound).map(call).collect::<Vec<_>>().join(" ")
}

fn planned(request: &str) -> String {
    let tools = tools();
    let mut search = LexicalSearch::with(Synonyms::built_in().clone());
    for tool in &tools {
        search.put(tool);
    }
    let known: BTreeMap<ToolId, PlannerTool<'_>> =
        tools.iter().map(|tool| (tool.id.clone(), PlannerTool::of(tool))).collect();
    let reading = RequestReading::of(request);
    told(&reading, &plan(&reading, &search, &known))
}

#[test]
fn tools_are_found_piece_by_piece_and_given_what_was_said_or_what_others_give() {
    for (request, expected) in [
        (
            "Translate the text 'good morning' into French.",
            "translate_text(text=good morning, target_language=French)",
        ),
        (
            "Translate 'good morning' into French, then send an email to a@b.com with the translated text.",
            "translate_text(text=good morning, target_language=French) \
             send_email(recipient=a@b.com, message=#1.translated_text)",
        ),
        (
            "send an email with the subject \"Hi\" and the message \"See you\" to a@b.com",
            "send_email(recipient=a@b.com, message=See you, subject=Hi)",
        ),
        (
            "Count the days between 2026-03-01 and 2026-03-05",
            "days_between(start_date=2026-03-01, end_date=2026-03-05)",
        ),
        (
            "计算从2026年3月1日到2026年3月5日之间的天数",
            "days_between(start_date=2026-03-01, end_date=2026-03-05)",
        ),
    ] {
        assert_eq!(planned(request), expected, "{request}");
    }
}

#[test]
fn a_tool_that_nobody_named_is_put_before_the_one_that_needs_what_it_brings() {
    assert_eq!(
        planned("Book a room in a hotel of the city Paris on 2026-05-01."),
        "find_hotel(city=Paris) \
         book_hotel(hotel_name=#1.hotel_name, check_in_date=2026-05-01, city=Paris)"
    );
    // What was said needs nobody to bring it.
    assert_eq!(
        planned(
            "Book a room in the hotel with the name 'Ritz' in the city Paris, first day 2026-05-01."
        ),
        "book_hotel(hotel_name=Ritz, check_in_date=2026-05-01, city=Paris)"
    );
}

#[test]
fn a_clause_with_a_verb_of_its_own_is_a_step_of_its_own() {
    assert_eq!(
        planned("Find a hotel in Paris from 2026-05-01 and book it."),
        "find_hotel(city=Paris) \
         book_hotel(hotel_name=#1.hotel_name, check_in_date=2026-05-01, city=Paris)"
    );
    // What its clause does not say is not taken from the one before.
    assert_eq!(
        planned("Count the days between 2026-05-01 and 2026-06-01 and translate them to French"),
        "days_between(start_date=2026-05-01, end_date=2026-06-01) \
         translate_text(target_language=French)"
    );
}

#[test]
fn a_preposition_tells_what_a_value_is_whatever_the_order() {
    for request in ["Find a bus from Rome to Paris", "Find a bus to Paris from Rome"] {
        assert_eq!(planned(request), "find_bus(origin=Rome, destination=Paris)", "{request}");
    }
}

#[test]
fn a_request_without_a_word_of_any_tool_asks_for_none() {
    assert_eq!(planned("make it better"), "");
    assert_eq!(planned("随便弄一下"), "");
}

#[test]
fn what_is_not_said_stays_open_and_nothing_is_made_up() {
    assert_eq!(planned("Translate something"), "translate_text()");
    assert_eq!(planned("send an email to a@b.com"), "send_email(recipient=a@b.com)");
    // A name is no day, though nothing else is there for it.
    assert_eq!(planned("Count the days between Rome and Paris"), "days_between()");
}

#[test]
fn what_lies_between_two_values_is_said_in_one_piece() {
    let pieces = |text: &str| RequestReading::of(text).pieces.len();
    assert_eq!(pieces("How long is it between 2026-01-01 and 2026-03-01?"), 1);
    assert_eq!(pieces("Look at 2026-01-01 and 2026-03-01"), 2);
    // The digits of one date do not speak for the other, though a description has them as an example.
    let about = "from: string The start such as 2026-05-01, to: string The end";
    let tool = tool("date_span", "How long it is between two dates", about, "days: integer");
    let known = PlannerTool::of(&tool);
    let reading = RequestReading::of("How long is it between 2026-05-01 and 2026-06-07?");
    let parts = [StepToBind::of(&known, 0..1)];
    assert_eq!(told(&reading, &parts), "date_span(from=2026-05-01, to=2026-06-07)");
}

#[test]
fn pieces_are_told_apart_for_tools_whose_order_is_known() {
    let tools = tools();
    let reading = RequestReading::of(
        "Find a hotel in Rome. Book it for 2026-05-01, and send an email to a@b.com.",
    );
    let called: Vec<&Tool> = [0, 1, 2].map(|at| &tools[at]).to_vec();
    let pieces = align(&reading, &called);
    let text = |range: &std::ops::Range<usize>| {
        let first = &reading.pieces[range.start];
        let last = &reading.pieces[range.end - 1];
        reading.text[first.start..last.end].trim().to_owned()
    };
    assert_eq!(
        pieces.iter().map(text).collect::<Vec<_>>(),
        ["Find a hotel in Rome.", "Book it for 2026-05-01,", "and send an email to a@b.com."]
    );
}

proptest! {
    #[test]
    fn any_text_is_planned_alike_each_time_without_a_value_that_it_does_not_say(request in ".{0,120}") {
        let once = planned(&request);
        prop_assert_eq!(&once, &planned(&request));
    }

    #[test]
    fn pieces_cover_the_text_in_order_and_never_cut_a_quote(
        words in prop::collection::vec("[a-z]{1,6}|and|then|,|。|，|然后", 0..12), inside in "[a-z][a-z, .]{0,12}",
    ) {
        let text = format!("{} \"{inside}\" end", words.join(" "));
        let reading = RequestReading::of(&text);
        let mut at = 0;
        for piece in &reading.pieces {
            prop_assert!(at <= piece.start && piece.start < piece.end && piece.end <= text.len());
            at = piece.end;
        }
        let quote = text.find('"').unwrap();
        let close = text.rfind('"').unwrap();
        let cut = |piece: &std::ops::Range<usize>| quote < piece.start && piece.start < close;
        prop_assert!(!reading.pieces.iter().any(cut), "{:?}", reading.pieces);
    }
}
