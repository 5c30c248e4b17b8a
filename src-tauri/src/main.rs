//! The desktop app: a window, a tray, notifications, and the one command that hands everything on.
//!
//! Called as `collie` it is the command: the package brings one program under two names (docs/decisions/0009).
//!
//! **Architecture invariant.** Nothing is decided here. What the page asks goes to `collie_app`'s backend; only `merge` is
//! taken here, because only this program may depend on the crate that merges (§11).

// No console comes up beside the window.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod editor;
mod environment_language;
mod host;
mod launch_args;
mod loop_index;
mod merge_command;
mod notifications;
mod open_external;
mod rpc;
mod session_bus;
mod shell;
mod snoozes;
mod tray;
mod update_forwarding;
mod window;
mod window_control;
mod window_label;

use collie_config::DataFolder;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use environment_language::localizer_of_environment;
use launch_args::LaunchRequest;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// Exit status of a command line that cannot be understood (§14).
const USAGE: u8 = 2;

fn main() -> ExitCode {
    collie_sandbox::supervise_if_asked();
    collie_app::help_git_if_asked();
    let is_command = is_called_as("collie");
    collie_hardening::harden(if is_command { &[] } else { WINDOW_VARIABLES });
    if is_command {
        return collie_cli::main();
    }
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let demo = launch_args::wants_demo(&arguments);
    let request = launch_args::parse(&arguments);
    let localizer = localizer_of_environment();
    match &request {
        LaunchRequest::Help => println!("{}", localizer.plain("desktop-help")),
        LaunchRequest::Version => println!("collie-desktop {}", env!("CARGO_PKG_VERSION")),
        LaunchRequest::UnknownOption(option) => {
            let error = UserError::new(ErrorCode::OptionUnknown).with("argument", option);
            print_error(&localizer, &error);
            return ExitCode::from(USAGE);
        }
        LaunchRequest::InvalidArgument(argument) => {
            let error = UserError::new(ErrorCode::Argument).with("argument", argument);
            print_error(&localizer, &error);
            return open(&localizer, request, demo);
        }
        LaunchRequest::Window | LaunchRequest::PullRequest(_) => {
            return open(&localizer, request, demo);
        }
    }
    ExitCode::SUCCESS
}

/// Whether this program was started by that name, such as through a link.
fn is_called_as(name: &str) -> bool {
    let own = std::env::args_os().next();
    own.is_some_and(|path| Path::new(&path).file_name() == Some(OsStr::new(name)))
}

/// Has WebKit draw without OpenGL: that takes 100 MiB less where there is no graphics card, and leaves no window empty where a driver and
/// WebKit disagree (docs/measurements.md). Whoever sets the variable, to whatever, decides.
const WINDOW_VARIABLES: &[(&str, &str)] = if cfg!(target_os = "linux") {
    &[("WEBKIT_DISABLE_DMABUF_RENDERER", "1")]
} else {
    &[]
};

/// Runs the app until it is quit.
fn open(localizer: &Localizer, request: LaunchRequest, demo: bool) -> ExitCode {
    if !has_display() {
        let error = UserError::new(ErrorCode::NoDisplay).hint(ErrorHint::Terminal);
        print_error(localizer, &error);
        return ExitCode::FAILURE;
    }
    let folder = match DataFolder::locate() {
        Ok(folder) => folder,
        Err(error) => {
            print_error(localizer, &error.into());
            return ExitCode::FAILURE;
        }
    };
    match shell::run(folder, request, demo) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let error = UserError::new(ErrorCode::NoWindow)
                .with("message", error)
                .hint(ErrorHint::InstallWebkit);
            print_error(localizer, &error);
            ExitCode::FAILURE
        }
    }
}

/// Whether a window can be opened at all; where windows come from GTK, it would end the process.
#[cfg(target_os = "linux")]
fn has_display() -> bool {
    gtk::init().is_ok()
}

/// Whether a window can be opened at all.
#[cfg(not(target_os = "linux"))]
fn has_display() -> bool {
    true
}

/// Says on the terminal what is wrong and what can be done.
fn print_error(localizer: &Localizer, error: &UserError) {
    let label = localizer.plain("desktop-error");
    eprintln!("{label} {}", localizer.error_text(error));
    for hint in localizer.error_hints(error) {
        eprintln!("{} {hint}", localizer.plain("desktop-hint"));
    }
}
