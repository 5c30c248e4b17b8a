//! One display without a screen for all tests of this program, and one message bus.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// A display to open windows on; ended with the test program.
pub struct Display {
    /// Such as `:99`.
    pub name: String,
    // The server ends when the pipe that tells it to does.
    _server: Child,
}

static DISPLAY: OnceLock<Display> = OnceLock::new();

/// The display; begun on first use.
pub fn display() -> &'static Display {
    DISPLAY.get_or_init(begin)
}

fn begin() -> Display {
    // The server picks a free number itself and says it.
    let mut server = Command::new("sh")
        .args([
            "-c",
            // Ends with this program: the reader of the pipe is gone then, and `read` returns.
            "Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>&1 >/dev/null 2>&1 & server=$!; read _; kill $server",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb can be started: npm test installs it");
    let out = server.stdout.take().expect("its output is a pipe");
    let mut number = String::new();
    BufReader::new(out)
        .read_line(&mut number)
        .expect("Xvfb says its number");
    let number = number.trim();
    assert!(!number.is_empty(), "Xvfb did not start");
    Display {
        name: format!(":{number}"),
        _server: server,
    }
}
