//! Shared context of all commands: settings, data folder, secrets, and the engine if this process is the owner.

use crate::args::{EventAudience, EventForm, EventFormatArgs, Global, TaskChoice};
use crate::failure::{CommandFailure, Exit};
use crate::log;
use crate::models;
use crate::settings::{self, Environment, SettingSources, Settings};
use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::command::Keeper;
use praxis_adapters::connect::Transports;
use praxis_adapters::control::{self, Listening};
use praxis_adapters::experience::file::ExperienceFile;
use praxis_adapters::folder::{DataFolder, FolderError, Ownership};
use praxis_adapters::http::{Guard, GuardedWeb};
use praxis_adapters::ids::TaskIds;
use praxis_adapters::keeper::{OldPrograms, await_old_keepers};
use praxis_adapters::library::LoadedLibrary;
use praxis_adapters::secrets::{Secrets, Vault};
use praxis_adapters::snapshots::FileSnapshots;
use praxis_adapters::sqlite::{Commits, JournalReader, SqliteJournal};
use praxis_core::ids::TaskId;
use praxis_core::lang::Lang;
use praxis_core::view::seed::SeedAudience;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_engine::seams::Journal;
use praxis_fence::FolderGrants;
use praxis_planner::LexicalPlanner;
use praxis_toolbox::{Builtins, ExampleProject};
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings and environment of a command.
pub(crate) struct CliContext {
    pub(crate) settings: Settings,
    pub(crate) sources: SettingSources,
    pub(crate) folder: DataFolder,
    pub(crate) lang: Lang,
    pub(crate) json: bool,
    /// True if progress is drawn: stderr is a terminal and no JSON is wanted.
    pub(crate) show_progress: bool,
    /// True if the user at the terminal can be asked.
    pub(crate) interactive: bool,
    pub(crate) colors: bool,
    /// True with `--verbose`.
    pub(crate) verbose: bool,
    /// The audience of the event stream, if it is printed with `--format seed`.
    pub(crate) seed: Option<SeedAudience>,
    /// The example whose tools and workflows are available besides the configured ones.
    pub(crate) example: Option<&'static ExampleProject>,
    environment: Environment,
    vault: Arc<Vault>,
}

/// The process that writes to the data folder.
pub(crate) struct Owner {
    pub(crate) engine: Engine,
    pub(crate) listening: Option<Listening>,
    // Declared last, so that it is dropped last: the folder is released after everything else.
    _ownership: Ownership,
}

/// Prints a note for each setting that no longer has an effect; such settings are accepted.
fn tell_retired(sources: &SettingSources, lang: Lang) {
    for (key, at) in &sources.retired {
        let words = match lang {
            Lang::En => format!(
                "note: {at}: `{key}` is no longer used; use a budget limit instead, for example `--budget replans=N`"
            ),
            Lang::Zh => {
                format!("提示：{at} 中的 `{key}` 已失效；请改用预算上限，例如 `--budget replans=N`")
            }
        };
        note!("{words}");
    }
}

impl CliContext {
    /// Opens the context, or returns the problems of the settings and the language to report them in.
    pub(crate) fn open(global: &Global) -> Result<Self, (CommandFailure, Lang)> {
        let refused = |problems, lang| (CommandFailure::refused(problems, ""), lang);
        let environment = Environment::real().map_err(|problems| refused(problems, Lang::En))?;
        let mut flags = Vec::new();
        let mut flag = |key: &str, value: Option<String>| {
            flags.extend(value.map(|value| (key.to_owned(), value)));
        };
        flag("data.dir", global.data.as_ref().map(|path| path.display().to_string()));
        flag("ui.lang", global.lang.clone());
        flag("ui.color", global.color.clone());
        let level =
            [None, Some("info"), Some("debug")].into_iter().nth(global.verbose.min(2).into());
        flag("log.level", level.flatten().map(str::to_owned));
        let (settings, sources) = settings::load(&environment, &flags).map_err(|problems| {
            refused(problems, settings::likely_lang(&environment, global.lang.as_deref()))
        })?;
        log::install(&settings.log);
        tell_retired(&sources, settings.ui.lang.resolve(&environment));
        let terminal = std::io::stderr().is_terminal();
        Ok(Self {
            folder: DataFolder::at(&settings.data.dir),
            lang: settings.ui.lang.resolve(&environment),
            json: global.json,
            show_progress: terminal && !global.json,
            interactive: terminal
                && std::io::stdin().is_terminal()
                && !global.json
                && !global.no_input,
            verbose: global.verbose > 0,
            seed: None,
            example: None,
            colors: settings.ui.color.paints(&environment, terminal),
            vault: Arc::new(Vault::new(Arc::new(EnvironmentSecrets(environment.clone())))),
            settings,
            sources,
            environment,
        })
    }

    /// Sets the event format of the output.
    pub(crate) fn with_event_format(self, format: &EventFormatArgs) -> Self {
        let Some(form) = format.format else { return self };
        let audience = match format.audience {
            EventAudience::User => SeedAudience::User,
            EventAudience::Developer => SeedAudience::Developer,
        };
        let seed = Some(audience).filter(|_| form == EventForm::Seed);
        Self { json: true, show_progress: false, interactive: false, seed, ..self }
    }

    /// Adds the tools and workflows of an example; no effect if there is no example of that name.
    pub(crate) fn with_example(self, example: &str) -> Self {
        Self { example: ExampleProject::named(example), ..self }
    }

    /// Opens a read-only connection to the journal; fails if there is no database.
    pub(crate) fn reader(&self) -> Result<JournalReader, CommandFailure> {
        if !self.has_tasks()? {
            let root = self.folder.root().display();
            let words = (format!("no tasks yet in {root}"), format!("{root} 中还没有任务"));
            return Err(CommandFailure::not_found(words).next((
                "run `praxis run --example load-forecast` to create one",
                "运行 `praxis run --example load-forecast` 可创建一个",
            )));
        }
        Ok(JournalReader::open(&self.folder.database())?)
    }

    /// Returns true if there is a database. Fails if the data folder cannot be used, which is different from empty.
    pub(crate) fn has_tasks(&self) -> Result<bool, CommandFailure> {
        let look = |place: &Path| match std::fs::metadata(place) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FolderError::unusable(self.folder.root(), &error)),
        };
        let root = look(self.folder.root())?;
        if root.is_some_and(|found| !found.is_dir()) {
            let error = std::io::Error::from(ErrorKind::NotADirectory);
            return Err(FolderError::unusable(self.folder.root(), &error).into());
        }
        Ok(look(&self.folder.database())?.is_some())
    }

    /// Picks the text in the language of the context.
    pub(crate) fn say(&self, en: impl Into<String>, zh: impl Into<String>) -> String {
        match self.lang {
            Lang::En => en.into(),
            Lang::Zh => zh.into(),
        }
    }

    /// Resolves a task by `--last` or by the beginning of its id.
    pub(crate) fn task(
        &self,
        reader: &JournalReader,
        which: &TaskChoice,
    ) -> Result<TaskId, CommandFailure> {
        let Some(word) = which.task.as_deref().filter(|_| !which.last) else {
            return reader
                .last()?
                .ok_or_else(|| CommandFailure::not_found(("no tasks yet", "还没有任务")));
        };
        if word.trim().is_empty() {
            // Not treated as a prefix of the only task: a shell variable may be empty by mistake.
            return Err(CommandFailure::usage("usage", ("the task id is empty", "任务 id 为空"))
                .next((
                    "give the start of a task id, or --last",
                    "请给出任务 id 的开头，或 --last",
                )));
        }
        let full = if word.starts_with("task_") { word.to_owned() } else { format!("task_{word}") };
        match reader.by_prefix(&full)?.as_slice() {
            [] => {
                let en = format!("no task id starts with `{word}`");
                Err(CommandFailure::not_found((en, format!("没有 id 以 `{word}` 开头的任务"))))
            }
            [task] => Ok(task.clone()),
            [first, second, ..] => {
                let words = (
                    format!("`{word}` matches several tasks: {first}, {second} …"),
                    format!("`{word}` 匹配多个任务：{first}、{second} …"),
                );
                Err(CommandFailure::usage("ambiguous_task", words))
            }
        }
    }

    /// Takes ownership of the data folder and starts the engine. Must be called inside the runtime.
    pub(crate) fn own(&self) -> Result<Owner, CommandFailure> {
        let at = |place: PathBuf| {
            move |error| CommandFailure::from(FolderError::unusable(&place, &error))
        };
        let ownership = self.folder.own()?;
        await_old_keepers(&self.folder.keepers(), |old| self.tell_held_up(old))
            .map_err(at(self.folder.keepers()))?;
        let tools_home = self.folder.tools_home();
        std::fs::create_dir_all(&tools_home).map_err(at(tools_home))?;
        let settings = &self.settings.journal;
        let commits = Commits {
            most: settings.group_commit_max as usize,
            inline_single: settings.lone_commits,
        };
        let journal = Arc::new(SqliteJournal::open(&self.folder.database(), commits)?);
        let blobs = FileBlobs::open(&self.folder.blobs()).map_err(at(self.folder.blobs()))?;
        let ids = TaskIds::default();
        let models = models::Current::open(self)?;
        let engine = Engine::new(EngineParts {
            journal: Arc::clone(&journal) as Arc<dyn Journal>,
            eraser: journal,
            blobs: Arc::new(blobs),
            snapshots: Arc::new(FileSnapshots::new(&self.folder.snapshots())),
            snapshot_after: self.settings.journal.snapshot_after.into(),
            clock: Arc::new(TokioClock::real()),
            connect: Arc::new(self.transports().map_err(at(self.folder.root().to_owned()))?),
            tokens: models::counter(&models.known()),
            planner: Arc::new(LexicalPlanner),
            models: Arc::new(models),
            experiences: Arc::new(ExperienceFile::new(&self.folder.experiences())),
            new_id: Box::new(move || ids.next()),
            name: format!("praxis {} pid {}", env!("CARGO_PKG_VERSION"), std::process::id()),
            warn: Box::new(|task, words| note!("warning: {task}: {words}")),
            full_disk_wait_ms: self.settings.journal.full_disk_wait_ms,
            intake_limits: self.settings.intake.limits(),
        });
        let socket = self.folder.control_socket();
        let listening = Some(control::listen(&self.folder, engine.clone()).map_err(at(socket))?);
        Ok(Owner { engine, listening, _ownership: ownership })
    }

    /// Tells the user that the command waits for programs that a killed owner left behind.
    fn tell_held_up(&self, old: &OldPrograms) {
        let processes = old.processes();
        let words = self.say(
            format!(
                "waiting for a program of the previous owner process to end (process {processes}); kill it if it hangs"
            ),
            format!("正在等待上一个所有者进程启动的程序结束（进程 {processes}）；如果它卡住，请终止它"),
        );
        note!("{words}");
    }

    /// Loads prompts, scenes and workflows: the embedded ones, the user's, the project's, and the workflows of the
    /// example to run.
    pub(crate) fn library(&self) -> LoadedLibrary {
        let library = LoadedLibrary::load(&settings::library_folders(&self.environment));
        library.beside(self.example.map(ExampleProject::workflows).unwrap_or_default())
    }

    /// Returns an environment variable, if it is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.var(name)
    }

    /// Returns the secrets behind `secret:NAME`. Tools and models share one vault, so that a secret given to either
    /// is masked in the output of both.
    pub(crate) fn vault(&self) -> Arc<Vault> {
        Arc::clone(&self.vault)
    }

    /// Returns true if a secret has a value.
    pub(crate) fn has_secret(&self, name: &str) -> bool {
        EnvironmentSecrets(self.environment.clone()).value(name).is_some()
    }

    /// Returns the guard that decides which addresses HTTP calls may reach.
    pub(crate) fn guard(&self) -> Arc<Guard> {
        let allowed = self.settings.http.allow_hosts.iter().cloned().collect();
        Arc::new(Guard::new(allowed, self.settings.http.max_response_bytes))
    }

    /// Builds the transports that connect tools.
    pub(crate) fn transports(&self) -> std::io::Result<Transports> {
        let passed = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];
        let variable =
            |name: &str| Some((name.to_owned(), self.environment.vars.get(name)?.clone()));
        let keeper = Keeper {
            binary: std::env::current_exe()?,
            locks: self.folder.keepers(),
            logs: self.folder.logs(),
            environment: passed.into_iter().filter_map(variable).collect(),
        };
        let (vault, guard) = (self.vault(), self.guard());
        let folders = FolderGrants {
            allowed: self.settings.tools.folders.clone(),
            denied: vec![self.folder.root().to_owned()],
            provided: vec![self.folder.root().join("examples")],
            base: None,
        };
        let web = GuardedWeb {
            hosts: self.settings.tools.hosts.clone(),
            guard: Arc::clone(&guard),
            vault: Arc::clone(&vault),
        };
        let home = self.folder.tools_home();
        let builtin = Arc::new(Builtins { home, folders: folders.clone(), web: Arc::new(web) });
        Ok(Transports { builtin, folders, keeper, vault, guard })
    }
}

/// Secrets from the `PRAXIS_SECRET_NAME` variables of the environment or `.env`.
struct EnvironmentSecrets(Environment);

impl Secrets for EnvironmentSecrets {
    fn value(&self, name: &str) -> Option<String> {
        settings::reserved(&self.0, &format!("PRAXIS_SECRET_{}", name.to_uppercase()))
    }
}

/// Builds the tokio runtime of the binary.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandFailure> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build();
    built.map_err(|error| {
        let words = (
            format!("cannot start the worker threads: {error}"),
            format!("无法启动工作线程：{error}"),
        );
        CommandFailure::new(Exit::Unreachable, "no_runtime", words)
    })
}
