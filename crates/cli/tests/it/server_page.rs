//! `docs/server.md`: each command of the page is run, as far as a test can, on a forge in place of GitHub. One that is not there any more fails,
//! as does one that the page has and this table has not.

use crate::support::*;
use collie_testkit::program::write_program;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::json;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PAGE: &str = include_str!("../../../../docs/server.md");

/// What becomes of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It is run to its end, which has to be good.
    Runs,
    /// It holds for all that comes after it.
    Stays,
    /// It is the server, which the others talk to.
    Serves,
    /// The same, by another way: it is looked at, and the server from before goes on.
    ServesOnce,
    /// It goes on until it is ended, and says this.
    Goes(&'static str),
    /// It is not run here.
    Not(&'static str),
}

/// Each command of the page, by how it begins.
const COMMANDS: &[(&str, Way)] = &[
    ("export COLLIE_HOME=", Way::Stays),
    ("mkdir -p $COLLIE_HOME", Way::Runs),
    ("cat > $COLLIE_HOME/config.toml", Way::Runs),
    ("GITHUB_TOKEN=… collie serve", Way::Serves),
    ("curl -s http://127.0.0.1:8642/readyz", Way::Runs),
    ("useradd ", Way::Not("it makes an account of the system")),
    ("install -d -m 700 /etc/collie", Way::Runs),
    ("install -m 600 /dev/null ", Way::Runs),
    ("cat > /etc/collie/environment", Way::Runs),
    ("openssl rand ", Way::Runs),
    ("install -m 755 collie ", Way::Runs),
    ("install -m 644 packaging/server/collie.service ", Way::Runs),
    (
        "systemctl ",
        Way::Not("no systemd runs in tests; its unit is held against systemd-analyze"),
    ),
    ("collie serve --listen ", Way::ServesOnce),
    ("collie backup ", Way::Runs),
    ("COLLIE_HOME=/srv/collie-again collie restore ", Way::Runs),
    (
        "curl -s https://collie.example.org/pr/acme/api/4/event ",
        Way::Runs,
    ),
    (
        "curl -s https://collie.example.org/pr/acme/api/4/status ",
        Way::Runs,
    ),
    (
        "curl -sN https://collie.example.org/events ",
        Way::Goes("event: hello"),
    ),
    ("collie runner-token mini > mini.token", Way::Runs),
    ("collie runner-token mini --revoke", Way::Runs),
    ("collie runner-token", Way::Runs),
    ("collie runner --server ", Way::Goes("")),
    (
        "npx @modelcontextprotocol/inspector",
        Way::Not("it comes over the network; scripts/check-mcp.mjs tries it"),
    ),
    ("curl -s http://127.0.0.1:8642/metrics", Way::Runs),
];

/// A command of the page, and what the page says that it prints.
#[derive(Debug, Default, PartialEq)]
struct PageCommand {
    text: String,
    printed: Vec<String>,
}

/// The commands in the page's blocks of a console: a line each, with what belongs to it.
fn commands_of(page: &str) -> Vec<PageCommand> {
    let mut commands: Vec<PageCommand> = Vec::new();
    let (mut in_console, mut goes_on, mut ends_at) = (false, false, None::<String>);
    for line in page.lines() {
        if line.starts_with("```") {
            in_console = line == "```console";
            continue;
        }
        if !in_console {
            continue;
        }
        let last = commands.last_mut();
        match (last, &ends_at) {
            (Some(last), Some(end)) => {
                last.text.push_str(&format!("\n{line}"));
                if line == end {
                    ends_at = None;
                }
                continue;
            }
            (Some(last), None) if goes_on => last.text.push_str(&format!("\n{line}")),
            (last, None) => match line.strip_prefix("$ ").or_else(|| line.strip_prefix("# ")) {
                Some(text) => commands.push(PageCommand {
                    text: text.to_owned(),
                    printed: Vec::new(),
                }),
                None => last
                    .expect("a command stands before what it prints")
                    .printed
                    .push(line.to_owned()),
            },
            (None, Some(_)) => {}
        }
        goes_on = line.ends_with('\\');
        let word = line
            .split_once("<<'")
            .and_then(|(_, rest)| rest.split_once('\''));
        ends_at = word.map(|(word, _)| word.to_owned());
    }
    commands
}

fn way_of(command: &PageCommand) -> Result<Way, String> {
    let known = COMMANDS
        .iter()
        .find(|(begin, _)| command.text.starts_with(begin));
    let (_, way) =
        known.ok_or_else(|| format!("`{}` is in the page and not in the test", command.text))?;
    Ok(*way)
}

/// A folder in place of the whole machine, with the forge in place of GitHub.
struct Machine {
    folder: tempfile::TempDir,
    forge: ForgeServer,
    port: u16,
    kept: Vec<String>,
    server: Option<(RunningCommand, String)>,
}

impl Machine {
    fn new() -> Self {
        let forge = ForgeServer::start();
        let pulls = (1..=4).map(|number| {
            let text = format!("{number}\n");
            PullFixture::new(&format!("change-{number}"))
                .with_file("a.txt", &text)
                .by("kim")
        });
        let repository = RepositoryFixture::new("acme/api").with_base_files(&[("a.txt", "a\n")]);
        forge.import(&pulls.fold(repository, RepositoryFixture::with_pull));
        let account = json!({"login": "collie-bot"});
        forge.call(COLLIE_LOGIN, "POST", "/_forge/accounts", Some(account));
        let roles = json!({"roles": {"ana": "member", "collie-bot": "member"}});
        forge.call(COLLIE_LOGIN, "PATCH", "/_forge/repos/acme/api", Some(roles));
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "bin",
            "here/packaging/server",
            "etc/systemd/system",
            "usr/bin",
            "backup",
            "srv",
        ] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(
            env!("CARGO_BIN_EXE_collie"),
            folder.path().join("bin/collie"),
        )
        .unwrap();
        // `gh` is asked by the page for a person's token, and by Collie for its own, which it has from the environment.
        write_program(
            &folder.path().join("bin/gh"),
            "#!/bin/sh\n[ \"$*\" = 'auth token' ] && echo forge-ana\n",
        );
        std::fs::write(folder.path().join("here/collie"), "").unwrap();
        let unit =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/server/collie.service");
        std::fs::copy(
            unit,
            folder.path().join("here/packaging/server/collie.service"),
        )
        .unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        Self {
            folder,
            forge,
            port,
            kept: Vec::new(),
            server: None,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command as it is run here.
    fn adapted(&self, text: &str) -> String {
        let root = self.folder.path().display();
        let address = format!("127.0.0.1:{}", self.port);
        let mut text = text
            .replace("GITHUB_TOKEN=… ", "GITHUB_TOKEN=forge-collie-bot ")
            .replace("127.0.0.1:8642", &address);
        for folder in ["srv", "etc", "usr", "backup"] {
            for before in [" ", "="] {
                text = text.replace(
                    &format!("{before}/{folder}/"),
                    &format!("{before}{root}/{folder}/"),
                );
            }
        }
        if !text.contains("--public-url") {
            text = text.replace("https://collie.example.org", &format!("http://{address}"));
        }
        if text.ends_with("collie serve") {
            text = format!("{text} --listen {address}");
        }
        text
    }

    fn shell(&self, text: &str) -> Command {
        let kept = self.kept.join("\n");
        let mut shell = Command::new("sh");
        let path = std::env::var("PATH").unwrap();
        shell
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.folder.path())
            .env("LANG", "en_US.UTF-8")
            .current_dir(self.path("here"))
            .args(["-c", &format!("{kept}\n{text}")])
            .stdin(Stdio::null());
        shell
    }

    fn start(&self, text: &str) -> Result<RunningCommand, String> {
        let mut shell = self.shell(&format!("exec env {text}"));
        let mut server = RunningCommand::start(shell.stderr(Stdio::null()));
        let line = server.next_line(Instant::now() + WAIT_TIMEOUT);
        let wanted = format!("Serving on http://127.0.0.1:{}.", self.port);
        match line {
            Some(line)
                if line.starts_with(&wanted) || line.contains("https://collie.example.org") =>
            {
                Ok(server)
            }
            other => Err(format!("it said {other:?}, not {wanted:?}")),
        }
    }

    fn run(&mut self, command: &PageCommand) -> Result<(), String> {
        let way = way_of(command)?;
        let text = self.adapted(&command.text);
        self.run_as(command, way, &text)
            .map_err(|error| format!("`{}`: {error}", command.text))
    }

    fn run_as(&mut self, command: &PageCommand, way: Way, text: &str) -> Result<(), String> {
        match way {
            Way::Not(_) => Ok(()),
            Way::Stays => {
                self.kept.push(text.to_owned());
                Ok(())
            }
            Way::Serves => {
                let server = self.start(text)?;
                self.server = Some((server, text.to_owned()));
                Ok(())
            }
            Way::ServesOnce => {
                let (mut before, with) = self.server.take().expect("a server runs");
                before.kill();
                let token = "GITHUB_TOKEN=forge-collie-bot";
                let mut other = self.start(&format!("{token} {text}"))?;
                other.kill();
                let server = self.start(&with)?;
                self.server = Some((server, with));
                Ok(())
            }
            Way::Goes(says) => {
                let ended = run_to_end(
                    self.shell(&format!("timeout -s KILL 3 {text}"))
                        .stderr(Stdio::piped()),
                );
                // 128 and 9, by whom it was ended.
                let went_on = ended.status == 137 || ended.status == -1;
                match went_on && ended.stdout.contains(says) {
                    true => Ok(()),
                    false => Err(format!("it did not go on and say {says:?}: {ended:?}")),
                }
            }
            Way::Runs => {
                let ended = run_to_end(&mut self.shell(text));
                if ended.status != 0 {
                    return Err(format!("{ended:?}"));
                }
                if text.contains("curl") && ended.stdout.contains("urn:collie:problem") {
                    return Err(ended.stdout);
                }
                let said: Vec<String> = ended.stdout.lines().map(without_numbers).collect();
                let told = command
                    .printed
                    .iter()
                    .map(|line| without_numbers(&self.adapted(&format!(" {line}"))));
                let missing: Vec<String> = told
                    .filter(|line| !said.contains(&line.trim().to_owned()))
                    .collect();
                match missing.is_empty() {
                    true => Ok(()),
                    false => Err(format!(
                        "the page says that it prints {missing:?}, and it printed {said:?}"
                    )),
                }
            }
        }
    }

    /// What a test changes in what the page has made, so that it works with a forge and quickly.
    fn after(&mut self, command: &PageCommand) {
        if command.text.starts_with("cat > $COLLIE_HOME/config.toml") {
            let file = self.path("srv/collie/config.toml");
            let made = std::fs::read_to_string(&file).unwrap();
            let api = self.forge.api_url();
            std::fs::write(
                &file,
                format!("github_api_url = \"{api}\"\n{made}\n[runners]\nreviews = true\n"),
            )
            .unwrap();
        }
        if command
            .text
            .starts_with("collie runner-token mini --revoke")
        {
            // The page ends a token and then shows how one is used.
            let again = run_to_end(&mut self.shell("collie runner-token mini > mini.token"));
            assert_eq!(again.status, 0, "{again:?}");
        }
    }
}

/// A line as it is each time: numbers and units are others.
fn without_numbers(line: &str) -> String {
    let mut out = String::new();
    for word in line.split(' ') {
        let is_unit = ["kB", "MB", "B"].contains(&word);
        let mut word: String = word
            .chars()
            .map(|it| if it.is_ascii_digit() { '0' } else { it })
            .collect();
        while word.contains("00") {
            word = word.replace("00", "0");
        }
        if is_unit {
            word = "kB".into();
        }
        if word == "0.0" {
            word = "0".into();
        }
        out.push_str(&word);
        out.push(' ');
    }
    out.trim().to_owned()
}

#[test]
fn each_command_of_the_page_does_what_the_page_says() {
    let begun = Instant::now();
    let commands = commands_of(PAGE);
    let mut machine = Machine::new();
    for command in &commands {
        if let Err(error) = machine.run(command) {
            panic!("{error}");
        }
        machine.after(command);
    }
    for (begin, way) in COMMANDS {
        let used = commands
            .iter()
            .any(|command| command.text.starts_with(begin));
        assert!(used, "`{begin}` ({way:?}) is not in the page any more");
    }
    // What they have left.
    let secret = std::fs::read_to_string(machine.path("etc/collie/webhook-secret")).unwrap();
    assert_eq!(secret.trim().len(), 64);
    let mode = |name: &str| {
        std::fs::metadata(machine.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("etc/collie"), 0o700);
    assert_eq!(mode("etc/collie/environment"), 0o600);
    assert_eq!(mode("etc/collie/webhook-secret"), 0o600);
    for folder in ["backup/2026-11-25", "srv/collie-again"] {
        assert!(machine.path(folder).join("collie.db").is_file(), "{folder}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(180),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_command_that_is_gone_or_new_or_prints_something_else_is_told() {
    let commands = commands_of(
        "```console\n$ one \\\n  two\nsaid\n# cat > x <<'END'\n$ no command\nEND\n```\n$ three\n```toml\n$ four\n```\n",
    );
    let texts: Vec<&str> = commands
        .iter()
        .map(|command| command.text.as_str())
        .collect();
    assert_eq!(
        texts,
        ["one \\\n  two", "cat > x <<'END'\n$ no command\nEND"]
    );
    assert_eq!(commands[0].printed, ["said"]);
    let mut machine = Machine::new();
    let mut tried = |page: &str| {
        let all = commands_of(&format!("```console\n{page}\n```"));
        all.iter().try_for_each(|command| machine.run(command))
    };
    tried("$ export COLLIE_HOME=/srv/collie\n$ mkdir -p $COLLIE_HOME\n$ collie runner-token")
        .unwrap();
    let new = tried("$ collie frobnicate").unwrap_err();
    assert!(new.contains("not in the test"), "{new}");
    for gone in [
        "$ collie runner-token --no-such-flag",
        "$ collie backup --no-such-flag /backup/x",
    ] {
        let told = tried(gone).unwrap_err();
        assert!(told.contains("status: 2"), "{told}");
    }
    let other = tried("$ collie runner-token\nThis it never says.").unwrap_err();
    assert!(other.contains("the page says that it prints"), "{other}");
}
