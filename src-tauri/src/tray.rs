//! The tray: how many are ready, how many need a person, a way to each, and the pause of everything.

use crate::host::{self, ShellHost};
use crate::loop_index::WaitingLoop;
use crate::window_control;
use collie_config::DataFolder;
use collie_core::attention::Attention;
use collie_core::ids::PullName;
use collie_i18n::Localizer;
use collie_wire::rpc::{Command, Update};
use fluent::FluentValue;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tauri::image::Image;
use tauri::menu::{Menu, MenuBuilder, MenuItemBuilder};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager as _, Wry, async_runtime, include_image};

const ID: &str = "collie";
const OPEN: &str = "open";
const PAUSE: &str = "pause";
const CONTINUE: &str = "continue";
const QUIT: &str = "quit";
/// Before the key of a pull request in an item's id.
const PULL: &str = "pull:";
/// More than these are counted instead of listed.
const MAX_LISTED: usize = 8;
/// A menu is no place for a long title; in characters.
const MAX_LINE_CHARS: usize = 72;

const PLAIN: Image<'_> = include_image!("packaging/tray/plain.png");
const READY: Image<'_> = include_image!("packaging/tray/ready.png");
const NEEDS_PERSON: Image<'_> = include_image!("packaging/tray/needs.png");

/// Whether everything is paused, and whether it can be (§15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PauseState {
    /// Nothing runs that could be.
    #[default]
    Unavailable,
    /// It is not.
    Running,
    /// It is.
    Paused,
}

impl PauseState {
    /// As the session says it.
    pub fn of_session(session: &Value) -> Self {
        if session["engine"].is_null() {
            Self::Unavailable
        } else if session["pause"].is_null() {
            Self::Running
        } else {
            Self::Paused
        }
    }
}

/// What the tray tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrayView {
    /// Who waits for a person.
    pub waiting: Vec<WaitingLoop>,
    /// Whether everything is paused.
    pub pause: PauseState,
}

/// Puts the icon into the tray. Without one, as where the library or the session bus is missing, the app works all the same.
/// Panels read the picture from a file; each data folder has its own, as two of them may be open at once.
pub fn create(app: &AppHandle, localizer: &Localizer, folder: &DataFolder) -> Option<TrayIcon> {
    let build = || -> tauri::Result<TrayIcon> {
        TrayIconBuilder::with_id(ID)
            .temp_dir_path(folder.path().join("tray"))
            .icon(PLAIN)
            .tooltip(tooltip(localizer, &TrayView::default()))
            .menu(&menu(app, localizer, &TrayView::default())?)
            .on_menu_event(|app, event| on_menu_item(app, event.id().as_ref()))
            .build(app)
    };
    // The library is loaded when it is first needed; its binding panics where it is not installed, which is no fault to report as one.
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let placed = catch_unwind(AssertUnwindSafe(build));
    std::panic::set_hook(default_hook);
    match placed {
        Ok(Ok(tray)) => Some(tray),
        Ok(Err(error)) => {
            tracing::warn!(%error, "no icon in the tray");
            None
        }
        Err(panic) => {
            let reason = panic.downcast_ref::<String>();
            tracing::warn!(
                reason,
                "no icon in the tray: libayatana-appindicator3 is not installed"
            );
            None
        }
    }
}

/// Shows who waits for a person, and whether everything is paused.
pub fn update(app: &AppHandle, tray: &TrayIcon, localizer: &Localizer, view: &TrayView) {
    let shown = || -> tauri::Result<()> {
        tray.set_menu(Some(menu(app, localizer, view)?))?;
        tray.set_icon(Some(icon(&view.waiting)))?;
        tray.set_title(label(localizer, &view.waiting))?;
        tray.set_tooltip(Some(tooltip(localizer, view)))
    };
    if let Err(error) = shown() {
        tracing::warn!(%error, "the tray could not be brought up to date");
    }
}

fn on_menu_item(app: &AppHandle, item: &str) {
    match item {
        OPEN => window_control::show_window(app),
        PAUSE => set_paused(app, true),
        CONTINUE => set_paused(app, false),
        QUIT => window_control::quit(app),
        other => {
            let key = other.strip_prefix(PULL).unwrap_or_default();
            if let Ok(pull) = PullName::parse(key) {
                window_control::show_pull(app, &pull);
            }
        }
    }
}

/// Pauses everything or has it continue, as the window does; what goes wrong is said in the window.
fn set_paused(app: &AppHandle, paused: bool) {
    let app = app.clone();
    async_runtime::spawn(async move {
        let command = Command::SetPaused { paused };
        let topics = command.stale_topics();
        let done = app.state::<ShellHost>().backend.run(command).await;
        match done {
            Ok(_) => host::send_to_page(&app, Update::Stale { topics }),
            Err(error) => {
                window_control::show_window(&app);
                let (code, text) = (error.code, error.message);
                host::send_to_page(&app, Update::Notice { code, text });
            }
        }
    });
}

fn icon(waiting: &[WaitingLoop]) -> Image<'static> {
    let any = |attention| {
        waiting
            .iter()
            .any(|waiting_loop| waiting_loop.attention == attention)
    };
    if any(Attention::NeedsYou) {
        NEEDS_PERSON
    } else if any(Attention::Ready) {
        READY
    } else {
        PLAIN
    }
}

/// How many are ready, and how many need a person.
fn counts(waiting: &[WaitingLoop]) -> (usize, usize) {
    let count = |attention| {
        waiting
            .iter()
            .filter(|waiting_loop| waiting_loop.attention == attention)
            .count()
    };
    (count(Attention::Ready), count(Attention::NeedsYou))
}

/// The counts in signs, beside the icon: `2 ✓ 1 !`. Panels of Linux show no tooltip. None where nobody waits.
fn label(localizer: &Localizer, waiting: &[WaitingLoop]) -> Option<String> {
    let (ready, needs) = counts(waiting);
    let key = match (ready, needs) {
        (0, 0) => return None,
        (_, 0) => "desktop-label-ready",
        (0, _) => "desktop-label-needs",
        (_, _) => "desktop-label-both",
    };
    Some(localizer.text(key, &[("ready", ready.into()), ("needs", needs.into())]))
}

/// The pause, then the counts in words.
fn tooltip(localizer: &Localizer, view: &TrayView) -> String {
    let counts = counts_text(localizer, &view.waiting);
    match view.pause {
        PauseState::Paused => localizer.text("desktop-counts-paused", &[("counts", counts.into())]),
        PauseState::Running | PauseState::Unavailable => counts,
    }
}

/// The counts in words: `2 ready, 1 needs you`.
fn counts_text(localizer: &Localizer, waiting: &[WaitingLoop]) -> String {
    let (ready, needs) = counts(waiting);
    let key = match (ready, needs) {
        (0, 0) => "desktop-counts-none",
        (_, 0) => "desktop-counts-ready",
        (0, _) => "desktop-counts-needs",
        (_, _) => "desktop-counts-both",
    };
    localizer.text(key, &[("ready", ready.into()), ("needs", needs.into())])
}

/// One line of the menu.
fn line(localizer: &Localizer, waiting_loop: &WaitingLoop) -> String {
    let key = match waiting_loop.attention {
        Attention::Ready => "desktop-pull-ready",
        Attention::NeedsYou | Attention::Working | Attention::Over => "desktop-pull-needs",
    };
    let arguments: [(&str, FluentValue<'_>); 2] = [
        ("key", waiting_loop.key.as_str().into()),
        ("title", waiting_loop.title.as_str().into()),
    ];
    let line = localizer.text(key, &arguments);
    let mut short: String = line
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_LINE_CHARS)
        .collect();
    if line.chars().count() > MAX_LINE_CHARS {
        short.push('…');
    }
    // A single one would underline the next letter.
    short.replace('&', "&&")
}

fn menu(app: &AppHandle, localizer: &Localizer, view: &TrayView) -> tauri::Result<Menu<Wry>> {
    let TrayView { waiting, pause } = view;
    let said = |text: String| MenuItemBuilder::new(text).enabled(false).build(app);
    let mut menu = MenuBuilder::new(app)
        .text(OPEN, localizer.plain("desktop-open"))
        .separator();
    if *pause == PauseState::Paused {
        menu = menu.item(&said(localizer.plain("desktop-paused"))?);
    }
    menu = menu.item(&said(counts_text(localizer, waiting))?);
    for waiting_loop in waiting.iter().take(MAX_LISTED) {
        menu = menu.text(
            format!("{PULL}{}", waiting_loop.key),
            line(localizer, waiting_loop),
        );
    }
    let rest = waiting.len().saturating_sub(MAX_LISTED);
    if rest > 0 {
        let more = localizer.text("desktop-more", &[("count", rest.into())]);
        menu = menu.text(OPEN, more);
    }
    menu = menu.separator();
    menu = match pause {
        PauseState::Running => menu.text(PAUSE, localizer.plain("desktop-pause")),
        PauseState::Paused => menu.text(CONTINUE, localizer.plain("desktop-continue")),
        PauseState::Unavailable => menu,
    };
    menu.text(QUIT, localizer.plain("desktop-quit")).build()
}

#[cfg(test)]
mod tests {
    use super::{PauseState, TrayView, line, tooltip};
    use crate::loop_index::WaitingLoop;
    use collie_core::attention::Attention;
    use collie_i18n::{Language, Localizer};
    use serde_json::json;

    fn waiting(attentions: &[Attention]) -> Vec<WaitingLoop> {
        let one = |attention: &Attention| WaitingLoop {
            key: "acme/api#7".to_owned(),
            title: "Read orders".to_owned(),
            attention: *attention,
        };
        attentions.iter().map(one).collect()
    }

    fn check(language: Language, attentions: &[Attention], expect: &str) {
        let view = TrayView {
            waiting: waiting(attentions),
            pause: PauseState::Running,
        };
        assert_eq!(tooltip(&Localizer::new(language.code()), &view), expect);
    }

    #[test]
    fn a_pause_is_told_before_the_counts_and_comes_from_the_session() {
        let view = |session| TrayView {
            waiting: waiting(&[Attention::Ready]),
            pause: PauseState::of_session(&session),
        };
        let check = |language, session, expect: &str| {
            assert_eq!(tooltip(&Localizer::new(language), &view(session)), expect);
        };
        let paused = || json!({ "engine": {}, "pause": { "by": "kim" } });
        check("en", paused(), "Everything is paused; 1 ready");
        check("fr", paused(), "Tout est en pause\u{202f}; 1 prête");
        check("en", json!({ "engine": {}, "pause": null }), "1 ready");
        let nobody = json!({ "engine": null, "pause": null });
        assert_eq!(PauseState::of_session(&nobody), PauseState::Unavailable);
    }

    #[test]
    fn the_counts_are_reported_in_words() {
        use Attention::{NeedsYou as Needs, Ready};
        check(Language::En, &[], "Nothing needs you");
        check(Language::En, &[Ready, Ready], "2 ready");
        check(Language::En, &[Needs], "1 needs you");
        check(Language::En, &[Ready, Ready, Needs], "2 ready, 1 needs you");
        check(Language::Fr, &[Ready, Needs, Needs], "1 prête, 2 à traiter");
        check(Language::Fr, &[], "Rien à traiter");
    }

    #[test]
    fn a_line_is_short_and_shows_every_sign_of_a_title() {
        let mut one = waiting(&[Attention::Ready]).remove(0);
        one.title = "Q&A\nfor orders".to_owned();
        let localizer = Localizer::new("en");
        assert_eq!(
            line(&localizer, &one),
            "acme/api#7 is ready: Q&&A for orders"
        );
        one.title = "long ".repeat(100);
        assert_eq!(
            line(&localizer, &one).chars().count(),
            super::MAX_LINE_CHARS + 1
        );
    }
}
