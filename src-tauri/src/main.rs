//! The desktop app: a window, a tray, notifications, and the one command that hands everything on.
//!
//! Called as `collie` it is the command: the package brings one program under two names (docs/decisions/0009).
//!
//! **Architecture invariant.** Nothing is decided here. What the page asks goes to `collie_app`'s desk; only `merge` is
//! taken here, because only this program may depend on the crate that merges (§11).

mod asked;
mod bus;
mod flock;
mod host;
mod merging;
mod news;
mod outside;
mod rpc;
mod shell;
mod tray;
mod window;

use asked::Asked;
use collie_app::words::{Language, Speech};
use collie_store::DataFolder;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// Exit status of a command line that cannot be understood (§14).
const USAGE: u8 = 2;

fn main() -> ExitCode {
    if called_as("collie") {
        return collie_cli::main();
    }
    #[cfg(target_os = "linux")]
    draw_in_memory();
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let demo = asked::wants_demo(&arguments);
    let asked = asked::read(&arguments);
    let texts = speech_of_environment();
    match &asked {
        Asked::Help => println!("{}", texts.plain("desktop-help")),
        Asked::Version => println!("collie-desktop {}", env!("CARGO_PKG_VERSION")),
        Asked::NoOption(option) => {
            let message = texts.text("desktop-option-unknown", &[("argument", option.into())]);
            complain(&texts, &message, None);
            return ExitCode::from(USAGE);
        }
        Asked::NotUnderstood(argument) => {
            let message = texts.text("desktop-not-understood", &[("argument", argument.into())]);
            complain(&texts, &message, None);
            return open(&texts, asked, demo);
        }
        Asked::Window | Asked::Pull(_) => return open(&texts, asked, demo),
    }
    ExitCode::SUCCESS
}

/// Whether this program was started by that name, such as through a link.
fn called_as(name: &str) -> bool {
    let own = std::env::args_os().next();
    own.is_some_and(|path| Path::new(&path).file_name() == Some(OsStr::new(name)))
}

/// Starts this program once more, in the same process, with WebKit told to draw without OpenGL: that takes 100 MiB less where there
/// is no graphics card, and leaves no window empty where a driver and WebKit disagree (docs/measurements.md). A variable can only be set
/// for a program that is yet to begin; whoever sets it, to whatever, decides.
#[cfg(target_os = "linux")]
fn draw_in_memory() {
    use std::os::unix::process::CommandExt as _;
    const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let mut arguments = std::env::args_os();
        let mut again = std::process::Command::new(program);
        if let Some(name) = arguments.next() {
            again.arg0(name);
        }
        // It returns only when it could not be done: then the window is drawn as WebKit likes.
        let _ = again.args(arguments).env(VARIABLE, "1").exec();
    }
}

/// The words of the environment's language: before the settings are read, and on a terminal.
fn speech_of_environment() -> Speech {
    Speech::new(language_of_environment().code())
}

/// The language that holds until the configuration names one.
fn language_of_environment() -> Language {
    Language::pick(None, &|name| std::env::var(name).ok())
}

/// Runs the app until it is quit.
fn open(texts: &Speech, asked: Asked, demo: bool) -> ExitCode {
    if !a_display_is_there() {
        let message = texts.plain("desktop-no-display");
        complain(texts, &message, Some("desktop-no-display-hint"));
        return ExitCode::FAILURE;
    }
    let folder = match DataFolder::locate() {
        Ok(folder) => folder,
        Err(error) => {
            complain(texts, &error.to_string(), None);
            return ExitCode::FAILURE;
        }
    };
    match shell::run(folder, asked, demo) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let reason = error.to_string();
            let message = texts.text("desktop-no-window", &[("reason", reason.into())]);
            complain(texts, &message, Some("desktop-no-window-hint"));
            ExitCode::FAILURE
        }
    }
}

/// Whether a window can be opened at all; where windows come from GTK, it would end the process.
#[cfg(target_os = "linux")]
fn a_display_is_there() -> bool {
    gtk::init().is_ok()
}

/// Whether a window can be opened at all.
#[cfg(not(target_os = "linux"))]
fn a_display_is_there() -> bool {
    true
}

/// Says on the terminal what is wrong and what can be done.
fn complain(texts: &Speech, message: &str, hint: Option<&str>) {
    eprintln!("{} {message}", texts.plain("desktop-error"));
    if let Some(hint) = hint {
        eprintln!("{} {}", texts.plain("desktop-hint"), texts.plain(hint));
    }
}
