//! The resources: the proof and the timeline of each loop.

use crate::host::McpHost;
use crate::words::McpWords;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{PullName, RepoName};
use collie_core::user_error::UserError;
use collie_wire::LoopView;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Value, json};

/// What is told.
const MIME: &str = "application/json";

/// A kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Proof,
    Timeline,
}

const KINDS: [Kind; 2] = [Kind::Proof, Kind::Timeline];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Proof => "proof",
            Self::Timeline => "timeline",
        }
    }
}

/// The form of every resource's address.
pub(crate) fn templates(words: &McpWords) -> Vec<ResourceTemplate> {
    let of = |kind: Kind| {
        let name = kind.name();
        let uri = format!("collie://{name}/{{owner}}/{{repo}}/{{number}}");
        ResourceTemplate::new(uri, name)
            .with_title(words.plain(&format!("mcp-resource-{name}")))
            .with_mime_type(MIME)
    };
    KINDS.map(of).into()
}

/// Those of the loops that there are.
pub(crate) fn list(loops: &[LoopView], words: &McpWords) -> Vec<Resource> {
    let mut found = Vec::new();
    for view in loops {
        for kind in KINDS {
            if kind == Kind::Proof && view.proof.is_none() {
                continue;
            }
            let (name, place) = (kind.name(), view.key.replace('#', "/"));
            let title = words.plain(&format!("mcp-resource-{name}"));
            found.push(
                Resource::new(
                    format!("collie://{name}/{place}"),
                    format!("{name} {}", view.key),
                )
                .with_title(format!("{}: {title}", view.key))
                .with_mime_type(MIME),
            );
        }
    }
    found
}

/// A resource's address.
pub(crate) struct ResourceName {
    kind: Kind,
    pull: PullName,
}

impl ResourceName {
    /// Reads an address; none where it is not one of ours.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        let mut parts = uri.strip_prefix("collie://")?.split('/');
        let name = parts.next()?;
        let kind = KINDS.into_iter().find(|kind| kind.name() == name)?;
        let (owner, repo, number) = (parts.next()?, parts.next()?, parts.next()?);
        let number = number.parse().ok().filter(|number| *number > 0)?;
        let repo = RepoName::parse(&format!("{owner}/{repo}")).ok()?;
        let pull = PullName { repo, number };
        parts.next().is_none().then_some(Self { kind, pull })
    }

    /// What stands there.
    pub(crate) async fn read(&self, host: &dyn McpHost) -> Result<Value, UserError> {
        match self.kind {
            Kind::Proof => {
                let view = host.find(&self.pull).await?;
                let none = || UserError::new(ErrorCode::NoProof).with("pull", &self.pull);
                let proof = view.proof.ok_or_else(none)?;
                Ok(json!({ "pull_request": view.key, "proof": proof }))
            }
            Kind::Timeline => {
                let lines = host.timeline(&self.pull).await?;
                Ok(json!({ "pull_request": self.pull.to_string(), "timeline": lines }))
            }
        }
    }
}

/// The type of what is read.
pub(crate) fn mime() -> &'static str {
    MIME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_kind_and_a_pull_request_and_nothing_else() {
        let read = |uri: &str| {
            ResourceName::parse(uri).map(|name| (name.kind.name(), name.pull.to_string()))
        };
        assert_eq!(
            read("collie://proof/acme/app/4"),
            Some(("proof", "acme/app#4".into()))
        );
        assert_eq!(
            read("collie://timeline/a/b/1"),
            Some(("timeline", "a/b#1".into()))
        );
        for bad in [
            "collie://proof/acme/app",
            "collie://proof/acme/app/0",
            "collie://proof/acme/app/4/5",
            "collie://merge/acme/app/4",
            "collie://proof/../app/4",
            "file:///etc/passwd",
            "",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
