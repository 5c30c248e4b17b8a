//! The tray: how many are ready, how many need a person, and a way to each.

use crate::flock::Waiting;
use crate::shell;
use collie_app::words::Speech;
use collie_core::ids::PullName;
use collie_store::DataFolder;
use collie_wire::Standing;
use fluent::FluentValue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tauri::image::Image;
use tauri::menu::{Menu, MenuBuilder, MenuItemBuilder};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Wry, include_image};

const ID: &str = "collie";
const OPEN: &str = "open";
const QUIT: &str = "quit";
/// Before the key of a pull request in an item's id.
const PULL: &str = "pull:";
/// More than these are counted instead of listed.
const MOST_LISTED: usize = 8;
/// A menu is no place for a long title; in characters.
const LONGEST: usize = 72;

const PLAIN: Image<'_> = include_image!("packaging/tray/plain.png");
const READY: Image<'_> = include_image!("packaging/tray/ready.png");
const NEEDS: Image<'_> = include_image!("packaging/tray/needs.png");

/// Puts the icon into the tray. Without one, as where the library or the session bus is missing, the app works all the same.
/// Panels read the picture from a file; each data folder has its own, as two of them may be open at once.
pub fn place(app: &AppHandle, texts: &Speech, folder: &DataFolder) -> Option<TrayIcon> {
    let build = || -> tauri::Result<TrayIcon> {
        TrayIconBuilder::with_id(ID)
            .temp_dir_path(folder.path().join("tray"))
            .icon(PLAIN)
            .tooltip(tooltip(texts, &[]))
            .menu(&menu(app, texts, &[])?)
            .on_menu_event(|app, event| chosen(app, event.id().as_ref()))
            .build(app)
    };
    // The library is loaded when it is first needed; its binding panics where it is not installed, which is no fault to report as one.
    let said = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let placed = catch_unwind(AssertUnwindSafe(build));
    std::panic::set_hook(said);
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

/// Shows who waits for a person.
pub fn show(app: &AppHandle, tray: &TrayIcon, texts: &Speech, waiting: &[Waiting]) {
    let shown = || -> tauri::Result<()> {
        tray.set_menu(Some(menu(app, texts, waiting)?))?;
        tray.set_icon(Some(icon(waiting)))?;
        tray.set_title(label(texts, waiting))?;
        tray.set_tooltip(Some(tooltip(texts, waiting)))
    };
    if let Err(error) = shown() {
        tracing::warn!(%error, "the tray could not be brought up to date");
    }
}

fn chosen(app: &AppHandle, item: &str) {
    match item {
        OPEN => shell::bring_up(app),
        QUIT => shell::quit(app),
        other => {
            let key = other.strip_prefix(PULL).unwrap_or_default();
            if let Ok(pull) = PullName::parse(key) {
                shell::show_pull(app, &pull);
            }
        }
    }
}

fn icon(waiting: &[Waiting]) -> Image<'static> {
    let any = |standing| waiting.iter().any(|one| one.standing == standing);
    if any(Standing::NeedsYou) {
        NEEDS
    } else if any(Standing::Ready) {
        READY
    } else {
        PLAIN
    }
}

/// How many are ready, and how many need a person.
fn counts(waiting: &[Waiting]) -> (usize, usize) {
    let count = |standing| {
        waiting
            .iter()
            .filter(|one| one.standing == standing)
            .count()
    };
    (count(Standing::Ready), count(Standing::NeedsYou))
}

/// The counts in signs, beside the icon: `2 ✓ 1 !`. Panels of Linux show no tooltip. None where nobody waits.
fn label(texts: &Speech, waiting: &[Waiting]) -> Option<String> {
    let (ready, needs) = counts(waiting);
    let key = match (ready, needs) {
        (0, 0) => return None,
        (_, 0) => "desktop-label-ready",
        (0, _) => "desktop-label-needs",
        (_, _) => "desktop-label-both",
    };
    Some(texts.text(key, &[("ready", ready.into()), ("needs", needs.into())]))
}

/// The counts in words: `2 ready, 1 needs you`.
fn tooltip(texts: &Speech, waiting: &[Waiting]) -> String {
    let (ready, needs) = counts(waiting);
    let key = match (ready, needs) {
        (0, 0) => "desktop-counts-none",
        (_, 0) => "desktop-counts-ready",
        (0, _) => "desktop-counts-needs",
        (_, _) => "desktop-counts-both",
    };
    texts.text(key, &[("ready", ready.into()), ("needs", needs.into())])
}

/// One line of the menu.
fn line(texts: &Speech, one: &Waiting) -> String {
    let key = match one.standing {
        Standing::Ready => "desktop-pull-ready",
        Standing::NeedsYou | Standing::Working | Standing::Over => "desktop-pull-needs",
    };
    let arguments: [(&str, FluentValue<'_>); 2] = [
        ("key", one.key.as_str().into()),
        ("title", one.title.as_str().into()),
    ];
    let line = texts.text(key, &arguments);
    let mut short: String = line
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST)
        .collect();
    if line.chars().count() > LONGEST {
        short.push('…');
    }
    // A single one would underline the next letter.
    short.replace('&', "&&")
}

fn menu(app: &AppHandle, texts: &Speech, waiting: &[Waiting]) -> tauri::Result<Menu<Wry>> {
    let counts = MenuItemBuilder::new(tooltip(texts, waiting))
        .enabled(false)
        .build(app)?;
    let mut menu = MenuBuilder::new(app)
        .text(OPEN, texts.plain("desktop-open"))
        .separator()
        .item(&counts);
    for one in waiting.iter().take(MOST_LISTED) {
        menu = menu.text(format!("{PULL}{}", one.key), line(texts, one));
    }
    let rest = waiting.len().saturating_sub(MOST_LISTED);
    if rest > 0 {
        let more = texts.text("desktop-more", &[("count", rest.into())]);
        menu = menu.text(OPEN, more);
    }
    menu.separator()
        .text(QUIT, texts.plain("desktop-quit"))
        .build()
}

#[cfg(test)]
mod tests {
    use super::{line, tooltip};
    use crate::flock::Waiting;
    use collie_app::words::{Language, Speech};
    use collie_wire::Standing;

    fn waiting(calls: &[Standing]) -> Vec<Waiting> {
        let one = |standing: &Standing| Waiting {
            key: "acme/api#7".to_owned(),
            title: "Read orders".to_owned(),
            standing: *standing,
        };
        calls.iter().map(one).collect()
    }

    fn check(language: Language, calls: &[Standing], expect: &str) {
        assert_eq!(
            tooltip(&Speech::new(language.code()), &waiting(calls)),
            expect
        );
    }

    #[test]
    fn the_counts_are_told_in_words() {
        use Standing::{NeedsYou as Needs, Ready};
        check(Language::En, &[], "Nothing waits for you");
        check(Language::En, &[Ready, Ready], "2 ready");
        check(Language::En, &[Needs], "1 needs you");
        check(Language::En, &[Ready, Ready, Needs], "2 ready, 1 needs you");
        check(
            Language::Fr,
            &[Ready, Needs, Needs],
            "1 prête, 2 vous attendent",
        );
        check(Language::Fr, &[], "Rien ne vous attend");
    }

    #[test]
    fn a_line_is_short_and_shows_every_sign_of_a_title() {
        let mut one = waiting(&[Standing::Ready]).remove(0);
        one.title = "Q&A\nfor orders".to_owned();
        let texts = Speech::new("en");
        assert_eq!(line(&texts, &one), "acme/api#7 is ready: Q&&A for orders");
        one.title = "long ".repeat(100);
        assert_eq!(line(&texts, &one).chars().count(), super::LONGEST + 1);
    }
}
