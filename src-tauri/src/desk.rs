//! Stands in for the desk until it is there.
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, Update};
use serde_json::Value;
use tokio::sync::broadcast;

#[derive(Clone)]
pub struct Desk(broadcast::Sender<Update>);

impl Desk {
    pub async fn open() -> Self {
        Self(broadcast::channel(64).0)
    }
    pub fn subscribe(&self) -> broadcast::Receiver<Update> {
        self.0.subscribe()
    }
    pub async fn run(&self, _command: Command) -> Result<Value, ErrorView> {
        Err(ErrorView {
            code: "starting".into(),
            message: "the engine has not started yet".into(),
            hints: Vec::new(),
        })
    }
    pub async fn close(self) {}
}
