//! Opening something outside the window. The page says what it is about; where that lies, the backend knows.

use collie_app::backend::ExternalTarget;
use collie_i18n::Localizer;
use collie_wire::ErrorView;
use tauri::Url;

/// Opens an address in the browser, or a folder or file with what the desktop has for it.
///
/// # Errors
/// Nothing opens it, or the address is none of the web.
pub async fn open(localizer: &Localizer, target: ExternalTarget) -> Result<(), ErrorView> {
    let shown = match &target {
        ExternalTarget::Url(address) => address.clone(),
        ExternalTarget::Path(path) => path.display().to_string(),
    };
    let error = |key: &str, reason: String| ErrorView {
        code: "not_opened".to_owned(),
        message: localizer.text(
            key,
            &[("what", shown.clone().into()), ("reason", reason.into())],
        ),
        hints: Vec::new(),
    };
    if let ExternalTarget::Url(address) = &target
        && !is_web_address(address)
    {
        return Err(error("desktop-open-refused", String::new()));
    }
    // Finding the program reads files.
    let opened = tokio::task::spawn_blocking(move || match target {
        ExternalTarget::Url(address) => tauri_plugin_opener::open_url(address, None::<&str>),
        ExternalTarget::Path(path) => tauri_plugin_opener::open_path(path, None::<&str>),
    });
    match opened.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(reason)) => Err(error("desktop-open-failed", reason.to_string())),
        Err(reason) => Err(error("desktop-open-failed", reason.to_string())),
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
