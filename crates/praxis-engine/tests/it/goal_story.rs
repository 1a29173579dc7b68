//! A goal's course in short lines, and in what a run differs from the lines its file expects.

use crate::goal_rig::Pursued;
use praxis_core::ids::ToolId;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::AskOutcome;
use praxis_core::journal::selection::ToolSelection;

/// Everything in which a run differs from what its file expects.
pub(crate) fn surprises(run: &Pursued) -> Vec<String> {
    let expected = &run.pursuit.file["expect"];
    let (end, story) = (run.end(), run.story());
    let mut found = Vec::new();
    for (key, value) in expected["end"].as_object().unwrap() {
        if end[key] != *value {
            found.push(format!("{key} is {} and not {value}", end[key]));
        }
    }
    let mut rest = story.iter();
    for wanted in expected["story"].as_array().into_iter().flatten() {
        let wanted = wanted.as_str().unwrap();
        if !rest.any(|line| line.starts_with(wanted)) {
            found.push(format!("no `{wanted}` in order"));
            break;
        }
    }
    for never in expected["never"].as_array().into_iter().flatten() {
        let never = never.as_str().unwrap();
        found.extend(story.iter().find(|line| line.starts_with(never)).cloned());
    }
    found
}

pub(crate) fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::AskStarted { purpose, .. } => format!("ask {purpose}"),
        Event::AskFinished { outcome: AskOutcome::Failed { fault, .. }, .. } => {
            format!("no answer: {}", fault.code())
        }
        Event::AskFinished { outcome: AskOutcome::Lost, .. } => "answer lost".to_owned(),
        Event::AnswerRefused { purpose, problems, .. } => {
            let codes: Vec<_> = problems.iter().map(|p| p.code.as_str()).collect();
            format!("answer refused: {purpose}: {}", codes.join(" "))
        }
        Event::ToolsSelected { selection, .. } => chosen(selection),
        Event::StepsPlanned { revision, steps, .. } => {
            let ids: Vec<_> = steps.iter().map(|step| step.id.as_str()).collect();
            format!("planned {revision}: {}", ids.join(" "))
        }
        Event::PlanClosed { revision, outcome, .. } => format!("closed {revision}: {outcome:?}"),
        Event::PlanRevised(revision) => format!(
            "revised {} by {}: kept {} again {} rewired {} dropped {}",
            revision.revision,
            revision.strategy,
            revision.kept.len(),
            revision.again.len(),
            revision.rewired.len(),
            revision.dropped.len()
        ),
        Event::StepStarted { step, attempt, .. } => format!("{step} #{attempt} started"),
        Event::StepFinished { step, outcome, .. } => {
            let word = serde_json::to_value(outcome).unwrap();
            let first = || word.as_object().unwrap().keys().next().unwrap().clone();
            let word = word.as_str().map_or_else(first, str::to_owned);
            format!("{step} {word}")
        }
        Event::StepRefused { step, fault } => format!("{step} refused: {}", fault.code()),
        Event::StepReflected { step, reflection } => {
            format!("{step} reflected: {}", reflection.suggested_action.word())
        }
        Event::StepAmended { step, rung, .. } => format!("{step} amended by {}", rung.word()),
        Event::RecoveryEnded { step, overall, why } => {
            format!("{step} recovery ended: {why}{}", if *overall { ", overall" } else { "" })
        }
        Event::TaskJudged(judgement) => {
            format!("judged {} by {:?}", judgement.scores.overall(), judgement.by)
        }
        Event::TaskReflected(reflection) => format!(
            "reflected: replan {} {}",
            reflection.should_replan,
            reflection.replanning_strategy.word()
        ),
        Event::AnswerGiven { by, title, .. } if title.is_empty() => format!("answer by {by}"),
        Event::AnswerGiven { by, title, .. } => format!("answer by {by}: {title}"),
        Event::WallHit(hit) => format!("wall {}", hit.wall.word()),
        Event::QuestionAsked { question } => format!("asked about {}", question.about.kind()),
        Event::QuestionAnswered { .. } => "answered".to_owned(),
        Event::TaskLearnt(experience) => format!("learnt, defaulted {}", experience.defaulted),
        Event::TaskFinished { .. } => "finished".to_owned(),
        other => return told(other),
    })
}

fn told(event: &Event) -> Option<String> {
    match event {
        Event::OutputExtracted { step, left_out, .. } => {
            Some(format!("{step} extracted, {left_out} left out"))
        }
        Event::StepInherited { step, .. } => Some(format!("{step} taken over")),
        Event::Recalled { memories } if !memories.is_empty() => {
            Some(format!("recalled {}", memories.len()))
        }
        Event::MessageTold { text } => Some(format!("told: {text}")),
        _ => None,
    }
}

/// `tools by Model: 3 follows count_beds, why threshold, without t01`
fn chosen(selection: &ToolSelection) -> String {
    let follows = selection.workflow.iter().map(|id| format!(" follows {id}")).collect::<String>();
    let why = serde_json::to_value(selection.why).unwrap();
    let why = why.as_str().map(|word| format!(", why {word}")).unwrap_or_default();
    let without: Vec<_> = selection.useless.iter().map(ToolId::as_str).collect();
    let without =
        if without.is_empty() { String::new() } else { format!(", without {}", without.join(" ")) };
    format!("tools by {:?}: {}{follows}{why}{without}", selection.by, selection.tools.len())
}
