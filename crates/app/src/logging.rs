//! Diagnostics: `tracing` into the data folder, a line of JSON each, with the correlation id of the span it
//! happened in. What people read goes elsewhere.

use crate::engine_client::journal::create_folder;
use collie_config::{DataFolder, data_paths};
use collie_core::text::JsonEscapeWriter;
use std::io::Write;
use std::sync::Mutex;
use tracing::Subscriber;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// What takes spans and events as well.
pub type OtherLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Writes diagnostics to `logs/collie_YYYY-MM-DD.log` from now on. `COLLIE_LOG` chooses what is written, as in
/// `collie_engine=debug`. Where the file cannot be opened, or another subscriber is set, nothing is written and the
/// reason comes back: a command goes on without diagnostics.
pub fn init(data: &DataFolder) -> Result<(), String> {
    init_with(data, Vec::new())
}

/// The same, with `others` besides. Those take everything, also where the file cannot be opened.
pub fn init_with(data: &DataFolder, others: Vec<OtherLayer>) -> Result<(), String> {
    let file = match log_file(data) {
        Ok(file) => file,
        Err(reason) => {
            let _ = with_others(others).try_init();
            return Err(reason);
        }
    };
    subscriber(filter(), file, others)
        .try_init()
        .map_err(|e| e.to_string())
}

fn log_file(data: &DataFolder) -> Result<std::fs::File, String> {
    let folder = data_paths::logs_folder(data);
    // Before anything is put into it: it is for its owner alone.
    create_folder(data).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let path = folder.join(format!("collie_{day}.log"));
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes diagnostics to standard error from now on, for who collects what a service says.
pub fn init_to_stderr(others: Vec<OtherLayer>) -> Result<(), String> {
    subscriber(filter(), std::io::stderr(), others)
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
    others: Vec<OtherLayer>,
) -> impl Subscriber + Send + Sync {
    // Its filter is its own: what others take is not written.
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .with_writer(Mutex::new(JsonEscapeWriter::new(file)))
        .with_filter(filter);
    with_others(others).with(lines)
}

fn with_others(
    others: Vec<OtherLayer>,
) -> impl Subscriber + Send + Sync + for<'span> LookupSpan<'span> {
    tracing_subscriber::registry().with((!others.is_empty()).then_some(others))
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
        let subscriber = subscriber(EnvFilter::new("info"), written.clone(), Vec::new());
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
