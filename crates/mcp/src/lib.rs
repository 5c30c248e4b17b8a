//! Serves Collie to agents over the [Model Context Protocol](https://modelcontextprotocol.io) (§18.3): tools that review, start, cancel and
//! tell, and resources with the proof and the timeline of a loop.
//!
//! **Architecture invariant.** Nothing here can merge: no tool does, and [`McpHost`] has no such method. What may be changed, and as whom, is the
//! host's to say. What a client reads was in part written by others: it leaves as data, without what speaks to a model.

mod clean;
mod explain;
mod host;
mod http_transport;
mod resources;
mod schemas;
mod server;
mod stdio;
mod tools;
mod words;

pub use host::{LoopRequest, McpHost, Offers, RequestFate, ReviewMade};
pub use http_transport::answer_http;
pub use server::McpServer;
pub use stdio::serve_stdio;
pub use words::McpWords;
