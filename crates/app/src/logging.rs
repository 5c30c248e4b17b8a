//! Diagnostics: `tracing` into the data folder, a line of JSON each, with the correlation id of the span it
//! happened in. What people read goes elsewhere.

use crate::engine_client::journal::create_folder;
use collie_config::{DataFolder, data_paths};
use collie_core::text::JsonEscapeWriter;
use std::io::Write;
use std::sync::Mutex;
use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Writes diagnostics to `logs/collie_YYYY-MM-DD.log` from now on. `COLLIE_LOG` chooses what is written, as in
/// `collie_engine=debug`. Where the file cannot be opened, or another subscriber is set, nothing is written and the
/// reason comes back: a command goes on without diagnostics.
pub fn init(data: &DataFolder) -> Result<(), String> {
    let folder = data_paths::logs_folder(data);
    // Before anything is put into it: it is for its owner alone.
    create_folder(data).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let path = folder.join(format!("collie_{day}.log"));
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    subscriber(filter(), file)
        .try_init()
        .map_err(|e| e.to_string())
}

/// Writes diagnostics to standard error from now on, for who collects what a service says.
pub fn init_to_stderr() -> Result<(), String> {
    subscriber(filter(), std::io::stderr())
        .try_init()
        .map_err(|e| e.to_string())
}

fn filter() -> EnvFilter {
    let usual = "warn,collie=info,collie_engine=info,collie_app=info,collie_server=info";
    EnvFilter::try_from_env("COLLIE_LOG").unwrap_or_else(|_| EnvFilter::new(usual))
}

/// Writes lines of JSON that whoever looks at the file can show: what others wrote steers no terminal.
fn subscriber(
    filter: EnvFilter,
    file: impl Write + Send + 'static,
) -> impl Subscriber + Send + Sync {
    tracing_subscriber::fmt()
        .json()
        .with_env_filter(filter)
        .with_writer(Mutex::new(JsonEscapeWriter::new(file)))
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// What was written, a piece for each write.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_others_wrote_is_escaped_in_the_log() {
        let hostile = "a\u{1b}[2J\u{7}\u{7f}\u{9b}2J\u{202e}\u{200b}é\r\n";
        let written = Written::default();
        let subscriber = subscriber(EnvFilter::new("info"), written.clone());
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(check = hostile, title = %hostile, "{hostile}");
        });
        let lines = written.0.lock().unwrap().clone();
        assert_eq!(lines.len(), 1, "a line is one write");
        let line = String::from_utf8(lines[0].clone()).unwrap();
        let plain = line.strip_suffix('\n').unwrap();
        assert!(!plain.contains(char::is_control), "{plain:?}");
        assert!(!plain.contains(['\u{202e}', '\u{200b}']), "{plain:?}");
        let value: serde_json::Value = serde_json::from_str(plain).unwrap();
        for field in ["check", "title", "message"] {
            assert_eq!(value["fields"][field], hostile, "{field}");
        }
    }
}
