//! Hosts that a program wanted to reach and may not.

use tokio::sync::mpsc;

/// A host that a program wanted to reach and may not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedHost {
    /// Its name, as the program wrote it.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// Hosts that a program wanted to reach and may not, each once, as they come up.
#[derive(Debug)]
pub struct RefusedHosts(pub(crate) mpsc::UnboundedReceiver<RefusedHost>);

impl RefusedHosts {
    /// The next one; none once the program is gone.
    pub async fn next(&mut self) -> Option<RefusedHost> {
        self.0.recv().await
    }
}
