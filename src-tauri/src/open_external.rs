//! Opening something outside the window. The page says what it is about; where that lies, the backend knows.

use crate::editor;
use collie_app::backend::ExternalTarget;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use tauri::Url;

/// Opens an address in the browser, or a folder or file with what the desktop has for it.
///
/// # Errors
/// Nothing opens it, or the address is none of the web.
pub async fn open(target: ExternalTarget) -> Result<(), UserError> {
    let shown = match &target {
        ExternalTarget::Url(address) => address.clone(),
        ExternalTarget::Path(path) | ExternalTarget::Code { path, .. } => {
            path.display().to_string()
        }
    };
    let error = |code| UserError::new(code).with("what", &shown);
    if let ExternalTarget::Url(address) = &target
        && !is_web_address(address)
    {
        return Err(error(ErrorCode::NotAWebAddress));
    }
    // Finding the program reads files.
    let opened = tokio::task::spawn_blocking(move || match target {
        ExternalTarget::Url(address) => tauri_plugin_opener::open_url(address, None::<&str>),
        ExternalTarget::Path(path) => tauri_plugin_opener::open_path(path, None::<&str>),
        ExternalTarget::Code { path, line, folder } => {
            if editor::open(&path, line) {
                return Ok(());
            }
            tauri_plugin_opener::open_path(folder, None::<&str>)
        }
    });
    match opened.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(reason)) => Err(error(ErrorCode::NotOpened).with("message", reason)),
        Err(reason) => Err(error(ErrorCode::NotOpened).with("message", reason)),
    }
}

/// The addresses come from GitHub's answers, a check's page from whoever reported it.
fn is_web_address(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "https" | "http") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::is_web_address;

    #[test]
    fn only_addresses_of_the_web_are_opened() {
        for (address, expect) in [
            ("https://github.com/acme/api/pull/7", true),
            ("http://127.0.0.1:9000/acme/api/pull/7", true),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
            ("ssh://host/x", false),
            ("--version", false),
            ("/bin/sh", false),
            ("", false),
        ] {
            assert_eq!(is_web_address(address), expect, "{address}");
        }
    }
}
