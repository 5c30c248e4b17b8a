//! The server on standard input and output.

use crate::server::McpServer;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use rmcp::service::ServerInitializeError;
use std::time::Duration;

/// How long the end waits for what is being answered.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves one client until it closes its side, or until `stop` returns.
///
/// # Errors
/// The client does not speak the protocol.
pub async fn serve_stdio(
    server: McpServer,
    stop: impl Future<Output = ()>,
) -> Result<(), UserError> {
    tokio::pin!(stop);
    let pipes = (tokio::io::stdin(), tokio::io::stdout());
    let running = tokio::select! {
        begun = rmcp::serve_server(server, pipes) => match begun {
            Ok(running) => running,
            // It looked whether the program starts, and went.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(broken(error)),
        },
        () = &mut stop => return Ok(()),
    };
    let cancel = running.cancellation_token();
    let mut waiting = Box::pin(running.waiting());
    let ended = tokio::select! {
        ended = &mut waiting => ended,
        () = &mut stop => {
            cancel.cancel();
            match tokio::time::timeout(STOP_TIMEOUT, waiting).await {
                Ok(ended) => ended,
                Err(_) => return Ok(()),
            }
        }
    };
    ended.map(drop).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> UserError {
    UserError::new(ErrorCode::McpClient).with("message", error)
}
