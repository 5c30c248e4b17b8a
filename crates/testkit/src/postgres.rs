//! A real PostgreSQL, for tests: Debian's `postgresql`, in a temporary folder, on a free port of loopback.

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Names the folder of PostgreSQL's programs, where it is not Debian's.
const PROGRAMS_VARIABLE: &str = "COLLIE_POSTGRES_BIN";
/// Where Debian has them, by version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// Accounts that it may run as where the tests run as root, which it refuses.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// A server that ends with its last holder.
pub struct PostgresServer {
    programs: PathBuf,
    account: Option<(u32, u32)>,
    folder: tempfile::TempDir,
    port: u16,
    databases: AtomicU32,
}

static SHARED: Mutex<Weak<PostgresServer>> = Mutex::new(Weak::new());

/// The server of this test process; none, said loudly, where there is no PostgreSQL.
pub fn shared() -> Option<Arc<PostgresServer>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = shared.upgrade() {
        return Some(running);
    }
    let started = Arc::new(PostgresServer::start()?);
    *shared = Arc::downgrade(&started);
    Some(started)
}

impl PostgresServer {
    /// Starts one of its own; none, said loudly, where there is no PostgreSQL.
    ///
    /// # Panics
    /// It is there and does not start.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!(
                "\nNOT TESTED: {PROGRAMS_VARIABLE} names no folder with initdb, and {DEBIAN} holds none: run `bash scripts/setup.sh --tests`\n"
            );
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let account = is_root().then(|| {
            let account = unprivileged().expect("an account that PostgreSQL may run as");
            std::os::unix::fs::chown(folder.path(), Some(account.0), Some(account.1))
                .expect("a folder of that account");
            account
        });
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        drop(listener);
        let server = Self {
            programs,
            account,
            folder,
            port,
            databases: AtomicU32::new(0),
        };
        server.run(
            "initdb",
            &[
                "--auth=trust",
                "--username=collie",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ],
        );
        server.resume();
        Some(server)
    }

    /// Starts it anew on what it has.
    pub fn resume(&self) {
        let folder = self.folder.path().display();
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off -c max_connections=200",
            self.port
        );
        let log = self.folder.path().join("server.log");
        let log = log.display().to_string();
        self.run(
            "pg_ctl",
            &["start", "--wait", "--log", &log, "--options", &options],
        );
    }

    /// Stops it at once, as where its machine dies.
    pub fn stop(&self) {
        self.run("pg_ctl", &["stop", "--mode=immediate"]);
    }

    /// Makes an empty database; its address.
    pub fn database(&self) -> String {
        let name = format!("db{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let url = self.url(&name);
        self.create(&url);
        url
    }

    /// Makes a database that is not there.
    pub fn create(&self, url: &str) {
        self.sql(&format!("CREATE DATABASE {}", name_of(url)));
    }

    /// Drops a database, whoever uses it.
    pub fn drop_database(&self, url: &str) {
        self.sql(&format!("DROP DATABASE {} WITH (FORCE)", name_of(url)));
    }

    /// What a statement gives, as psql prints it.
    pub fn ask(&self, url: &str, statement: &str) -> String {
        self.psql(url, statement)
    }

    fn sql(&self, statement: &str) {
        self.psql(&self.url("postgres"), statement);
    }

    fn psql(&self, url: &str, statement: &str) -> String {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args([
            url,
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            statement,
        ]);
        finish(psql)
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://collie@127.0.0.1:{}/{database}", self.port)
    }

    fn run(&self, program: &str, args: &[&str]) -> String {
        let mut command = Command::new(self.programs.join(program));
        command
            .args(args)
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .current_dir("/");
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        finish(command)
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let mut stop = Command::new(self.programs.join("pg_ctl"));
        stop.args(["stop", "--mode=immediate", "-D"])
            .arg(self.folder.path().join("data"))
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some((user, group)) = self.account {
            stop.uid(user).gid(group);
        }
        // It may be stopped already.
        let _ = stop.status();
    }
}

fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or_default()
}

/// What a program prints. A server that it leaves running must not hold what is waited for.
fn finish(mut command: Command) -> String {
    let told = tempfile::tempfile().expect("a file");
    let errors = told.try_clone().expect("a file");
    let output = tempfile::NamedTempFile::new().expect("a file");
    let status = command
        .stdin(Stdio::null())
        .stdout(output.reopen().expect("a file"))
        .stderr(errors)
        .status()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = std::fs::read_to_string(output.path()).unwrap_or_default();
    assert!(
        status.success(),
        "{command:?}: {status}: {text}{}",
        said(told)
    );
    text.trim().to_owned()
}

fn said(mut file: std::fs::File) -> String {
    use std::io::{Read as _, Seek as _};
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    read.map_or_else(|error| error.to_string(), |_| text)
}

fn programs() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAMS_VARIABLE) {
        let named = PathBuf::from(named);
        return named.join("initdb").exists().then_some(named);
    }
    let versions = std::fs::read_dir(DEBIAN).ok()?;
    let versions = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    versions.filter(|bin| bin.join("initdb").exists()).max()
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The numbers of an account and its group.
fn unprivileged() -> Option<(u32, u32)> {
    let accounts = std::fs::read_to_string(Path::new("/etc/passwd")).ok()?;
    ACCOUNTS.iter().find_map(|name| {
        let line = accounts
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}
