//! The real app in a real window, on the real forge: what a person does, from the first start to the merge.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]
#![cfg(target_os = "linux")]

mod autonomy;
mod budget;
mod changes;
mod demo;
mod desktop_panel;
mod display;
mod driver;
mod first_minutes;
mod fixture;
mod harness;
mod insights;
mod overview;
mod own_account;
mod persons_word;
mod tray_and_notifications;
mod window;
