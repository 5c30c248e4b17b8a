//! Traces and metrics of what workers and the server do, where the variables of OpenTelemetry ask for them.

use collie_app::logging::OtherLayer;
use collie_telemetry::{Telemetry, TelemetryError, TelemetrySettings};

/// What a service is called that is not named, and its version.
pub type Service = (&'static str, &'static str);

/// A worker.
pub const WORKER: Service = ("collie-worker", env!("CARGO_PKG_VERSION"));
/// A server whose loops live elsewhere.
pub const SERVER: Service = ("collie-server", env!("CARGO_PKG_VERSION"));

/// Does a service's work, and sends what is measured meanwhile. `keep` begins the diagnostics with what takes it from them. What is wrong with
/// the variables is said there, and hinders nothing.
pub async fn measured<T>(
    service: Service,
    keep: impl FnOnce(Vec<OtherLayer>),
    work: impl Future<Output = T>,
) -> T {
    let (telemetry, layers, refused) = match start(service) {
        Ok(Some((telemetry, layers))) => (Some(telemetry), layers, None),
        Ok(None) => (None, Vec::new(), None),
        Err(error) => (None, Vec::new(), Some(error)),
    };
    keep(layers);
    if let Some(error) = refused {
        tracing::warn!(%error, "no traces and metrics are sent");
    }
    let done = work.await;
    if let Some(telemetry) = telemetry {
        telemetry.shut_down().await;
    }
    done
}

fn start(service: Service) -> Result<Option<(Telemetry, Vec<OtherLayer>)>, TelemetryError> {
    let settings = TelemetrySettings::read(collie_hardening::variable)?;
    match settings.is_off() {
        true => Ok(None),
        false => Telemetry::start(&settings, service).map(Some),
    }
}
