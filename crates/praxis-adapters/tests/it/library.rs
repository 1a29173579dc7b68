//! Files of one's own over the texts in the binary.

use praxis_adapters::library::{LoadedLibrary, check_prompts};
use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use praxis_core::prompt::Pack;
use praxis_core::route::scene::{SceneMatch, matching};
use praxis_toolbox::ExampleProject;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use tempfile::TempDir;

const OWN: &str = "stage: planning\r\n<<notes>> <<workflow>>\r\n<<scene_guidance>>\r\n";

/// A user's folder and a project's folder.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(self, below: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn load(&self) -> LoadedLibrary {
        LoadedLibrary::load(&[self.path("user"), self.path("project")])
    }

    fn told(&self, problems: &[Problem]) -> String {
        let here = self.0.path().canonicalize().unwrap().display().to_string();
        let told: String = problems.iter().map(|problem| format!("{problem}\n")).collect();
        told.replace(&here, "~").replace(&self.0.path().display().to_string(), "~")
    }
}

#[test]
fn without_folders_or_files_the_library_is_that_of_the_binary() {
    let place =
        Place::new().file("project/prompts/en/README.md", "x").file("user/scenes/a.txt", "");
    let place = place.file("project/prompts/en/planning.md", "");
    assert_eq!(place.load(), LoadedLibrary::embedded());
    assert_eq!(LoadedLibrary::load(&[]), LoadedLibrary::embedded());
    assert_eq!(LoadedLibrary::embedded().problems, []);
}

#[test]
fn a_file_wins_over_the_binary_and_the_project_over_the_user_file_by_file() {
    let place = Place::new()
        .file("user/prompts/en/planning.md", OWN)
        .file("user/prompts/en/none.md", "nobody")
        .file("project/prompts/en/none.md", "nothing")
        .file("project/prompts/zh/none.md", "\u{feff}空");
    let library = place.load();
    assert_eq!(library.problems, []);
    let (en, zh) = (library.pack(Lang::En).unwrap(), library.pack(Lang::Zh).unwrap());
    assert_eq!(en.text("planning"), "stage: planning\n<<notes>> <<workflow>>\n<<scene_guidance>>");
    assert_eq!([en.text("none"), zh.text("none")], ["nothing", "空"]);
    assert_eq!(zh.text("planning"), Pack::embedded(Lang::Zh).text("planning"));
    let file = library.file_of_part(Lang::En, "none");
    assert_eq!(file, Some(place.path("project/prompts/en/none.md").as_path()));
    assert_eq!(library.file_of_part(Lang::En, "guide.rounds"), None);
}

// A-032
#[test]
fn a_scene_of_ones_own_is_asked_first_and_one_in_the_binary_is_replaced_where_it_stands() {
    let place = Place::new()
        .file(
            "user/scenes/weather.toml",
            "id = \"Weather\"\naliases = [\"天气\"]\nkeywords = [\"weather\"]",
        )
        .file(
            "project/scenes/plc.yaml",
            "id: PlcController\naliases: [plc]\nguidance: {planning: careful}",
        );
    let library = place.load();
    assert_eq!(library.problems, []);
    let ids: Vec<&str> = library.scenes.iter().map(|scene| scene.id.as_str()).collect();
    let expected =
        "Weather NaturalLanguageModeling ToolManagement PlcController ClientManagement General";
    assert_eq!(ids.join(" "), expected);
    assert_eq!(matching(&library.scenes, Some("天气"), ""), ("Weather", SceneMatch::Alias));
    assert_eq!(library.scenes[3].guidance.len(), 1);
    assert_eq!(
        library.file_of_scene("Weather"),
        Some(place.path("user/scenes/weather.toml").as_path())
    );
}

/// A file of a workflow with one step.
fn workflow(id: &str, tool: &str) -> String {
    format!("[workflows.{id}]\nsteps = [{{name = \"x\", tool_id = \"{tool}\"}}]\n")
}

#[test]
fn workflows_are_added_and_replaced_by_id() {
    let place = Place::new()
        .file("user/workflows/own.toml", workflow("b", "sleep") + &workflow("c", "sleep"))
        .file("project/workflows/own.toml", workflow("b", "echo") + &workflow("a", "noop"));
    let library = place.load();
    let ids: Vec<&str> = library.workflows.iter().map(|workflow| workflow.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(library.workflows[1].steps[0].tool_id.as_str(), "echo");
    let file = library.file_of_workflow("b");
    assert_eq!(file, Some(place.path("project/workflows/own.toml").as_path()));
}

#[test]
fn the_workflows_of_an_example_stand_beside_those_of_files_which_win() {
    let place = Place::new()
        .file("project/workflows/own.toml", workflow("csv_check", "echo") + &workflow("z", "noop"));
    let library = place.load().beside(ExampleProject::named("load-forecast").unwrap().workflows());
    let ids: Vec<&str> = library.workflows.iter().map(|workflow| workflow.id.as_str()).collect();
    let expected = ["csv_check", "datasource_import", "datasource_report", "load_forecast", "z"];
    assert_eq!(ids, expected);
    assert_eq!(library.workflows[0].steps[0].tool_id.as_str(), "echo");
    assert!(library.file_of_workflow("csv_check").is_some());
    assert!(library.file_of_workflow("load_forecast").is_none());
}

#[test]
fn a_file_with_a_problem_is_told_with_its_place_and_not_used() {
    let long = "x".repeat(64 * 1024 + 1);
    let place = Place::new()
        .file("user/prompts/en/planing.md", "x")
        .file("user/prompts/en/none.md", "<<goal>>")
        .file("user/prompts/en/guide.md", long)
        .file("user/prompts/zh/none.md", b"\xff")
        .file("user/scenes/a.toml", "id = \"A\"\nalias = []")
        .file("user/scenes/b.toml", "id = ")
        .file("user/workflows/w.toml", "[workflows.w]")
        .file(
            "user/workflows/x.json",
            r#"{"workflows": {"x": {"steps": [{"name": "x", "tool_id": "echo"}]}}}"#,
        )
        .file(
            "user/workflows/y.json",
            r#"{"workflows": {"x": {"steps": [{"name": "y", "tool_id": "noop"}]}}}"#,
        );
    let library = place.load();
    assert_eq!(library.packs, LoadedLibrary::embedded().packs);
    assert_eq!(library.scenes, LoadedLibrary::embedded().scenes);
    assert_eq!(library.workflows[0].steps[0].tool_id.as_str(), "echo");
    let told = place.told(&library.problems);
    let expected = [
        "file_too_large: ~/user/prompts/en/guide.md: larger than 64 KiB (make the file smaller)",
        "prompt_unknown_hole: ~/user/prompts/en/none.md, none line 1: unknown placeholder `<<goal>>`",
        "prompt_unknown_part: ~/user/prompts/en/planing.md, planing: unknown prompt part `planing` (did you mean `planning` or `replanning`?)",
        "not_utf8: ~/user/prompts/zh/none.md: byte 0 is not valid UTF-8",
        "malformed: ~/user/scenes/b.toml line 1 column 6: ",
        "unknown_field: ~/user/scenes/a.toml: unknown field `alias` (did you mean `aliases`?)",
        "workflow_shape: ~/user/workflows/w.toml, workflow `w`, steps: a workflow must have 1 to 1000 steps",
        "given_twice: ~/user/workflows/y.json: `x` is also defined in ~/user/workflows/x.json",
    ];
    for (line, expected) in told.lines().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}");
    }
    assert_eq!(told.lines().count(), expected.len(), "{told}");
}

#[test]
fn a_link_out_of_the_folder_and_what_is_no_file_are_not_read() {
    let place = Place::new()
        .file("secret.md", "secret")
        .file("user/other.md", "inside")
        .file("user/prompts/en/guide.md/x", "")
        .file("user/prompts/zh/x", "");
    symlink(place.path("secret.md"), place.path("user/prompts/en/none.md")).unwrap();
    symlink(place.path("user/other.md"), place.path("user/prompts/zh/none.md")).unwrap();
    symlink("/nowhere", place.path("user/prompts/zh/guide.md")).unwrap();
    let library = place.load();
    assert_eq!(library.pack(Lang::Zh).unwrap().text("none"), "inside");
    let told = place.told(&library.problems);
    for expected in [
        "~/user/prompts/en/guide.md: not a regular file",
        "~/user/prompts/en/none.md: this is a symbolic link to ~/secret.md, which is outside ~/user",
        "~/user/prompts/zh/guide.md: cannot be read",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert_eq!(library.problems.len(), 3);
}

#[test]
fn a_file_or_a_folder_of_prompts_is_checked_file_by_file() {
    let place = Place::new()
        .file("x/planning.md", OWN)
        .file("x/zh/none.md", "<<x>>")
        .file("x/prompts/en/nones.md", "");
    let checked = check_prompts(&place.path("x")).unwrap();
    let counts: Vec<_> = checked.iter().map(|one| (one.part, one.problems.len())).collect();
    assert_eq!(counts, [(Some("planning"), 0), (Some("none"), 1), (None, 1)]);
    let one = check_prompts(&place.path("x/zh/none.md")).unwrap();
    assert_eq!(one[0].problems.len(), 1);
    assert_eq!(
        check_prompts(&place.path("x/absent.md")).unwrap()[0].problems[0].code,
        "file_unreadable"
    );
}
