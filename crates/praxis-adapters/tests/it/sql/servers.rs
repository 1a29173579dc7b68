//! PostgreSQL and MariaDB, started once for all tests of this binary, each in a folder of its own.
//!
//! They end with this process, however it ends. Where one cannot be had its tests are skipped loudly; with
//! `CI=true` they fail.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// The password of the servers, which must be seen nowhere.
pub(crate) const PASSWORD: &str = "pw-c4nary-77d1";

/// The same as PostgreSQL keeps it, hashed once instead of 4096 times: a debug build is slow at that.
const VERIFIER: &str = "SCRAM-SHA-256$1:cHJheGlzLXNxbC10ZXN0IQ==$Q9RXhxy/whFhuUxYmMRBGPvbrSIHumEBpP72Egd/1u8=:ce85MU47h0YIZyevJCRcDJa97o3FGB9AYE2CfDtaFhQ=";

/// A running server.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// What belongs to it; a canary file is in it.
    pub(crate) home: PathBuf,
    /// Ends when this process does: the child that started it watches.
    _child: Child,
}

/// The words in a file that no query may read.
pub(crate) const FILE_CANARY: &str = "file-canary-51ab90";

impl Server {
    /// A file that the server could read, and no query may.
    pub(crate) fn secret_file(&self) -> PathBuf {
        self.home.join("secret.txt")
    }

    /// Where the server could write, and no query may.
    pub(crate) fn open_folder(&self) -> PathBuf {
        self.home.join("open")
    }
}

/// PostgreSQL, if it can be had.
pub(crate) fn postgres() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| had("PostgreSQL", start_postgres())).as_ref()
}

/// MariaDB, if it can be had.
pub(crate) fn mariadb() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| had("MariaDB", start_mariadb())).as_ref()
}

fn had(name: &str, started: Result<Server, String>) -> Option<Server> {
    started
        .map_err(|why| {
            eprintln!("!!! SKIPPED: SQL at {name}: {why}");
            #[expect(
                clippy::disallowed_methods,
                reason = "how ./test says that nothing is skipped"
            )]
            let strict = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!strict, "{name} is needed: {why}");
        })
        .ok()
}

/// A program on the path or in a folder where Debian puts it.
fn program(name: &str, folders: &[&str]) -> Result<PathBuf, String> {
    let mut places: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    places.extend(versions.map(|version| version.path().join("bin")));
    let found = places.iter().map(|place| place.join(name)).find(|path| path.exists());
    found.ok_or_else(|| format!("there is no program `{name}`"))
}

const FOLDERS: &[&str] = &["/usr/local/bin", "/usr/bin", "/usr/sbin", "/bin", "/sbin"];

/// Who the server runs as: itself, or for root, whom servers do not serve, the system's account.
fn account(name: &str) -> Option<(u32, u32)> {
    if !nix::unistd::geteuid().is_root() {
        return None;
    }
    let user = nix::unistd::User::from_name(name).ok().flatten();
    user.map_or(Some((65534, 65534)), |user| Some((user.uid.as_raw(), user.gid.as_raw())))
}

/// A command as that account, which is killed when this process ends.
fn bound(program: &Path, account: Option<(u32, u32)>) -> Command {
    // The signal is that of the parent's death; the thread that starts it lives as long as the tests.
    let mut command = Command::new("setpriv");
    command.arg("--pdeathsig=KILL");
    if let Some((uid, gid)) = account {
        command.args([format!("--reuid={uid}"), format!("--regid={gid}"), "--clear-groups".into()]);
    }
    command.arg(program).stdin(Stdio::null());
    command
}

/// Starts a command from a thread that never ends, since the signal is bound to the thread.
fn keep(mut command: Command) -> Result<Child, String> {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = send.send(command.spawn().map_err(|error| error.to_string()));
        loop {
            std::thread::park();
        }
    });
    receive.recv().map_err(|error| error.to_string())?
}

fn done(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(text) } else { Err(format!("{text}{errors}")) }
}

/// A folder that the account owns, with a file to read and one to write into.
fn home(account: Option<(u32, u32)>) -> Result<PathBuf, String> {
    let home = tempfile::Builder::new().prefix("praxis-sql").tempdir_in("/tmp");
    let home = home.map_err(|error| error.to_string())?.keep();
    sweep(&home);
    fs::create_dir(home.join("open")).unwrap();
    fs::write(home.join("secret.txt"), FILE_CANARY).unwrap();
    for path in [home.clone(), home.join("open"), home.join("secret.txt")] {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        if let Some((uid, gid)) = account {
            chown(&path, Some(uid), Some(gid)).unwrap();
        }
    }
    Ok(home)
}

/// Nothing of a run that was killed stays: a process without a parent here sweeps after all of them.
fn sweep(home: &Path) {
    let script = "while kill -0 \"$1\" 2>/dev/null; do sleep 1; done; rm -rf \"$2\"";
    let mut command = Command::new("setsid");
    command.args(["sh", "-c", script, "sh", &std::process::id().to_string()]).arg(home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn start_postgres() -> Result<Server, String> {
    let (initdb, postgres) = (program("initdb", FOLDERS)?, program("postgres", FOLDERS)?);
    let account = account("postgres");
    let home = home(account)?;
    let (cluster, password) = (home.join("cluster"), home.join("password"));
    fs::write(&password, VERIFIER).unwrap();
    let mut make = bound(&initdb, account);
    make.args(["-U", "owner", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "-N"]);
    done(make.arg("--pwfile").arg(&password).arg("-D").arg(&cluster))?;
    let port = free_port();
    let mut serve = bound(&postgres, account);
    serve.arg("-D").arg(&cluster).args(["-p", &port.to_string()]);
    for set in [
        "listen_addresses=127.0.0.1",
        "fsync=off",
        "unix_socket_directories=",
        "max_connections=40",
        "shared_buffers=16MB",
        "autovacuum=off",
    ] {
        serve.args(["-c", set]);
    }
    let log = fs::File::create(home.join("log")).unwrap();
    let child = keep({
        serve.stdout(Stdio::null()).stderr(log);
        serve
    })?;
    let server = Server { port, home, _child: child };
    answers(&server)?;
    Ok(server)
}

fn start_mariadb() -> Result<Server, String> {
    let install = program("mariadb-install-db", FOLDERS)?;
    let mariadbd = program("mariadbd", FOLDERS)?;
    let account = account("mysql");
    let home = home(account)?;
    let cluster = home.join("cluster");
    let mut make = bound(&install, account);
    make.args(["--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"]);
    done(make.arg(format!("--datadir={}", cluster.display())))?;
    let words = format!(
        "CREATE DATABASE shop;\nCREATE USER 'owner'@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';\n\
         GRANT ALL ON *.* TO 'owner'@'127.0.0.1' WITH GRANT OPTION;\n"
    );
    fs::write(home.join("first.sql"), words).unwrap();
    let port = free_port();
    let mut serve = bound(&mariadbd, account);
    serve.args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-networking=0"]);
    serve.args(["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M"]);
    serve.args([
        "--character-set-server=utf8mb4",
        "--secure-file-priv=",
        "--skip-name-resolve",
        "--performance-schema=0",
    ]);
    for (name, file) in [
        ("datadir", "cluster"),
        ("socket", "socket"),
        ("pid-file", "pid"),
        ("log-error", "log"),
        ("init-file", "first.sql"),
        ("tmpdir", "."),
    ] {
        serve.arg(format!("--{name}={}", home.join(file).display()));
    }
    let child = keep({
        serve.arg(format!("--port={port}")).stdout(Stdio::null()).stderr(Stdio::null());
        serve
    })?;
    let server = Server { port, home, _child: child };
    answers(&server)?;
    Ok(server)
}

/// Waits until the port is served.
fn answers(server: &Server) -> Result<(), String> {
    for _ in 0..600 {
        if std::net::TcpStream::connect(("127.0.0.1", server.port)).is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = fs::read_to_string(server.home.join("log")).unwrap_or_default();
    Err(format!("the server does not answer: {log}"))
}
