//! The models that a service says it has.

use super::exchange::Llm;
use super::failure::{ErrorContext, LlmFailure};
use super::model::ModelTarget;
use super::provider::Provider;
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;

/// How many pages of a list are read.
const MAX_PAGES: usize = 10;

/// How many models a page is asked to have, where that can be asked.
const PAGE_SIZE: &str = "1000";

/// A model of a service's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedModel {
    /// What it is asked by.
    pub name: String,
    /// What people call it, where the service says it and it is another name.
    pub title: Option<String>,
    /// The longest question that it reads, answer included at some, where the service says it.
    pub context_tokens: Option<u64>,
}

impl Llm {
    /// Asks the service which models it has, sorted by name.
    ///
    /// Fails with [`LlmFailure::NotListed`] where a provider has no such list that the key of a question could read: Azure
    /// lists what could be deployed, Bedrock has another service for it, Vertex AI none.
    pub async fn list_models(&self, target: &ModelTarget) -> Result<Vec<ListedModel>, LlmFailure> {
        let context = ErrorContext::of_target(target);
        let model = context.model_label.clone();
        let Some(list) = list_form(target.provider) else {
            return Err(LlmFailure::NotListed { model });
        };
        if target.key.is_none() && target.provider.needs_key() && list.needs_key {
            return Err(LlmFailure::NoKey {
                model,
                variables: target.provider.key_variables().join(" or "),
            });
        }
        let bad_address = |reason: String| LlmFailure::BadAddress {
            model: model.clone(),
            reason,
        };
        let root = target.base_url().map_err(bad_address)?;
        let mut models = Vec::new();
        let mut next = None;
        for _ in 0..MAX_PAGES {
            let url = list.page(&root, next.as_deref()).map_err(bad_address)?;
            let page = self.http_client.get_json(target, url).await?;
            let Some(entries) = page.get(list.member).and_then(Value::as_array) else {
                return Err(bad_address(
                    "what answers there sends no list of models".to_owned(),
                ));
            };
            models.extend(entries.iter().filter_map(listed_model));
            next = next_page(target.provider, &page);
            if next.is_none() {
                break;
            }
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        models.dedup_by(|a, b| a.name == b.name);
        Ok(models)
    }
}

/// How a provider lists its models.
struct ListForm {
    /// Below the root.
    path: &'static str,
    /// Asks for many at once.
    size: Option<&'static str>,
    /// Asks for what follows.
    after: &'static str,
    /// Where they are.
    member: &'static str,
    needs_key: bool,
}

/// The form of each list, after its maker's reference: <https://platform.openai.com/docs/api-reference/models/list>,
/// <https://docs.anthropic.com/en/api/models-list>, <https://ai.google.dev/api/models>,
/// <https://docs.ollama.com/api/tags>, <https://openrouter.ai/docs/api-reference/list-available-models>.
fn list_form(provider: Provider) -> Option<ListForm> {
    let open_ai = ListForm {
        path: "models",
        size: None,
        after: "after",
        member: "data",
        needs_key: true,
    };
    match provider {
        Provider::OpenAi | Provider::Vllm | Provider::LlamaCpp | Provider::Compatible => {
            Some(open_ai)
        }
        Provider::OpenRouter => Some(ListForm {
            needs_key: false,
            ..open_ai
        }),
        Provider::Anthropic => Some(ListForm {
            size: Some("limit"),
            after: "after_id",
            ..open_ai
        }),
        Provider::Gemini => Some(ListForm {
            size: Some("pageSize"),
            after: "pageToken",
            member: "models",
            ..open_ai
        }),
        Provider::Ollama => Some(ListForm {
            path: "api/tags",
            member: "models",
            ..open_ai
        }),
        Provider::Azure | Provider::Bedrock | Provider::Vertex => None,
    }
}

impl ListForm {
    fn page(&self, root: &Url, after: Option<&str>) -> Result<Url, String> {
        let mut url = root.join(self.path).map_err(|error| error.to_string())?;
        url.set_query(root.query());
        if let Some(name) = self.size {
            url.query_pairs_mut().append_pair(name, PAGE_SIZE);
        }
        if let Some(after) = after {
            url.query_pairs_mut().append_pair(self.after, after);
        }
        Ok(url)
    }
}

/// What the next page begins after; none at the end.
fn next_page(provider: Provider, page: &Value) -> Option<String> {
    let text = |name: &str| page.get(name)?.as_str().map(str::to_owned);
    match provider {
        Provider::Anthropic => text("last_id").filter(|_| page["has_more"] == true),
        Provider::Gemini => text("nextPageToken").filter(|token| !token.is_empty()),
        _ => None,
    }
}

/// A model of any list; none where it is nothing that answers questions.
fn listed_model(entry: &Value) -> Option<ListedModel> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let name = text("id").or_else(|| text("name"))?;
    let name = name.strip_prefix("models/").unwrap_or(name);
    if let Some(methods) = entry
        .get("supportedGenerationMethods")
        .and_then(Value::as_array)
    {
        methods.iter().find(|method| *method == "generateContent")?;
    }
    let lengths = [
        "/max_model_len",
        "/context_length",
        "/max_input_tokens",
        "/inputTokenLimit",
        "/meta/n_ctx_train",
    ];
    let title = text("display_name").or_else(|| text("displayName"));
    let title = title.or_else(|| text("id").and(text("name")));
    Some(ListedModel {
        name: name.to_owned(),
        title: title.filter(|title| *title != name).map(str::to_owned),
        context_tokens: lengths
            .iter()
            .find_map(|path| entry.pointer(path)?.as_u64()),
    })
}
