//! Embedded example projects: found by name, run, and suggested for unknown tools and workflows.

use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::inputs::{unreadable, unwritten};
use praxis_core::document::{self, DocumentFormat};
use praxis_core::problem::Problem;
use praxis_toolbox::ExampleProject;
use serde_json::Value;
use std::path::Path;

/// Codes of problems that name something that an example may provide.
const MISSED: [&str; 2] = ["unknown_tool", "unknown_workflow"];

/// Finds an example by its name.
pub(crate) fn find(name: &str) -> Result<&'static ExampleProject, CommandFailure> {
    ExampleProject::named(name).ok_or_else(|| {
        let words = (format!("example `{name}` not found"), format!("找不到示例 `{name}`"));
        CommandFailure::not_found(words).next((
            "run `praxis example` to list all examples",
            "运行 `praxis example` 可列出全部示例",
        ))
    })
}

/// Returns the goal text of an example and its goal document. Writes the example's data file to the data folder.
pub(crate) fn goal(context: &CliContext, name: &str) -> Result<(String, Value), CommandFailure> {
    let example = find(name)?;
    let text = example.file("goal.yaml").unwrap_or_default();
    let mut value = document::read(text.as_bytes(), DocumentFormat::Yaml)
        .map_err(|error| unreadable("the example", &error))?;
    if let Some(place) = value.pointer_mut("/metadata/csv_path") {
        let file = place.as_str().unwrap_or_default();
        let path = context.folder.root().join("examples").join(example.folder).join(file);
        let text = example.file(file).unwrap_or_default();
        context.folder.make()?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| unwritten(&path, &error))?;
        *place = Value::from(path.display().to_string());
    }
    let words = value.pointer(context.say("/goal/en", "/goal/zh").as_str()).and_then(Value::as_str);
    Ok((words.unwrap_or_default().to_owned(), value))
}

/// Adds a hint to a problem about an unknown tool or workflow that an example provides.
pub(crate) fn named_in(problem: Problem) -> Problem {
    // The problem may come as text from the owner process, so the id is taken from the first backticks of the
    // message.
    let missed = problem.message.en.split('`').nth(1);
    let missed = missed.filter(|_| MISSED.contains(&problem.code.as_str()));
    let Some(example) = missed.and_then(ExampleProject::bringing) else { return problem };
    let name = example.name;
    problem.next((
        format!(
            "it belongs to an example: run `praxis example {name}`, then use it in the folder created"
        ),
        format!("该工具属于示例 `{name}`：先运行 `praxis example {name}`，再进入生成的文件夹运行"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::lang::Lang;
    use praxis_core::problem::reason::ProblemReason;

    fn next(tool: &str, lang: Lang) -> String {
        let reason = ProblemReason::UnknownTool { tool: tool.to_owned() };
        let problem = named_in(Problem::of(&reason, "").or_near(&["sort_rows".to_owned()]));
        problem.told(lang).next.unwrap().to_owned()
    }

    #[test]
    fn a_tool_that_only_an_example_brings_is_missed_with_the_way_to_it() {
        for lang in [Lang::En, Lang::Zh] {
            assert!(next("find_peaks", lang).contains("`praxis example load-forecast`"));
            assert!(next("find_peeks", lang).contains("`sort_rows`"));
        }
        let other = Problem::new("not_found", "", ("no `find_peaks` here", "没有 `find_peaks`"));
        assert_eq!(named_in(other.clone()), other);
    }
}
