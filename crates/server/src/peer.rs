//! The other end of a connection.

use std::net::SocketAddr;

/// The other end of the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);
