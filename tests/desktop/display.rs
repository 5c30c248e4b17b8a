//! One display without a screen for all tests of this program, and one message bus.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, Window,
};
use x11rb::rust_connection::RustConnection;

/// A display to open windows on; ended with the test program.
pub struct Display {
    /// Such as `:99`.
    pub name: String,
    // The server ends when the pipe that tells it to does.
    _server: Child,
}

impl Display {
    /// Asks a program to close its windows, as the button in a window's frame does.
    pub fn close_window_of(&self, pid: u32) {
        let (screen, place) = x11rb::connect(Some(&self.name)).unwrap();
        let root = screen.setup().roots[place].root;
        let (protocols, delete) = (
            atom(&screen, "WM_PROTOCOLS"),
            atom(&screen, "WM_DELETE_WINDOW"),
        );
        let mut closed = 0;
        for window in screen.query_tree(root).unwrap().reply().unwrap().children {
            let hears = numbers(&screen, window, protocols, AtomEnum::ATOM.into());
            let owner = numbers(
                &screen,
                window,
                atom(&screen, "_NET_WM_PID"),
                AtomEnum::CARDINAL.into(),
            );
            if owner == [pid] && hears.contains(&delete) {
                let event = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
                let sent = screen.send_event(false, window, EventMask::NO_EVENT, event);
                sent.unwrap().check().unwrap();
                closed += 1;
            }
        }
        assert_ne!(closed, 0, "process {pid} has no window");
    }
}

fn atom(screen: &RustConnection, name: &str) -> u32 {
    let reply = screen.intern_atom(false, name.as_bytes()).unwrap().reply();
    reply.unwrap().atom
}

/// A property of a window that is a list of numbers; empty where it has none.
fn numbers(screen: &RustConnection, window: Window, property: u32, kind: u32) -> Vec<u32> {
    let reply = screen.get_property(false, window, property, kind, 0, 64);
    let reply = reply.unwrap().reply();
    reply
        .ok()
        .and_then(|reply| Some(reply.value32()?.collect()))
        .unwrap_or_default()
}

static DISPLAY: OnceLock<Display> = OnceLock::new();

/// The display; begun on first use.
pub fn display() -> &'static Display {
    DISPLAY.get_or_init(start_display)
}

fn start_display() -> Display {
    // The server picks a free number itself and says it.
    let mut server = Command::new("sh")
        .args([
            "-c",
            // Ends with this program: the reader of the pipe is gone then, and `read` returns. Only the server holds the output, so that it
            // ends with a server that does not start.
            "Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>&1 >/dev/null 2>&1 & server=$!; exec >&-; read _; kill $server",
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
