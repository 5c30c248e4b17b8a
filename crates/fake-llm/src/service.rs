//! Services that insist on their published form: what another would send is refused as theirs refuses it.

use crate::reply::ReplyUsage;
use crate::request::{ApiFormat, ReceivedRequest};
use serde_json::{Value, json};

/// The context of a model of Ollama for which nobody asked another (<https://docs.ollama.com/context-length>).
const OLLAMA_DEFAULT_CONTEXT: u64 = 4_096;

/// A service as its maker describes it.
#[derive(Clone, Debug)]
pub struct Service {
    kind: ServiceKind,
    key: Option<String>,
    /// What a list of models has, page by page.
    pages: Vec<Value>,
    ollama: OllamaModel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServiceKind {
    Any,
    OpenAi,
    Anthropic,
    Gemini,
    Azure,
    AzureDeployment,
    OpenRouter,
    Vllm,
    LlamaCpp,
    Ollama,
    Bedrock,
    Vertex,
}

#[derive(Clone, Copy, Debug)]
struct OllamaModel {
    /// The context that the model was made for.
    most: u64,
    /// An older one cuts, whatever it is asked.
    can_refuse: bool,
}

/// How a service refuses.
pub(crate) struct ServiceRefusal {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Service {
    fn of(kind: ServiceKind) -> Self {
        Self {
            kind,
            key: None,
            pages: Vec::new(),
            ollama: OllamaModel {
                most: 131_072,
                can_refuse: true,
            },
        }
    }

    /// Every form at once, with nothing asked of it.
    pub fn any() -> Self {
        Self::of(ServiceKind::Any)
    }

    /// The service that <https://platform.openai.com/docs/api-reference> describes.
    pub fn open_ai() -> Self {
        Self::of(ServiceKind::OpenAi)
    }

    /// The service that <https://docs.anthropic.com/en/api> describes.
    pub fn anthropic() -> Self {
        Self::of(ServiceKind::Anthropic)
    }

    /// The service that <https://ai.google.dev/api> describes.
    pub fn gemini() -> Self {
        Self::of(ServiceKind::Gemini)
    }

    /// A resource of Azure OpenAI: <https://learn.microsoft.com/azure/ai-foundry/openai/latest>
    pub fn azure() -> Self {
        Self::of(ServiceKind::Azure)
    }

    /// The older form, by deployment: <https://learn.microsoft.com/azure/ai-foundry/openai/reference>
    pub fn azure_deployment() -> Self {
        Self::of(ServiceKind::AzureDeployment)
    }

    /// The service that <https://openrouter.ai/docs/api-reference/overview> describes.
    pub fn open_router() -> Self {
        Self::of(ServiceKind::OpenRouter)
    }

    /// The service that <https://docs.vllm.ai/en/latest/serving/openai_compatible_server/> describes.
    pub fn vllm() -> Self {
        Self::of(ServiceKind::Vllm)
    }

    /// The service that <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md> describes.
    pub fn llama_cpp() -> Self {
        Self::of(ServiceKind::LlamaCpp)
    }

    /// The service that <https://docs.ollama.com/api> describes.
    pub fn ollama() -> Self {
        Self::of(ServiceKind::Ollama)
    }

    /// The service that <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html> describes.
    pub fn bedrock() -> Self {
        Self::of(ServiceKind::Bedrock)
    }

    /// The service that <https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference> and
    /// The service that <https://docs.anthropic.com/en/api/claude-on-vertex-ai> describes.
    pub fn vertex() -> Self {
        Self::of(ServiceKind::Vertex)
    }

    /// Wants this key, where its form has it.
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Lists models: one body a page.
    pub fn with_list(mut self, pages: impl IntoIterator<Item = Value>) -> Self {
        self.pages = pages.into_iter().collect();
        self
    }

    /// Ollama's model was made for so many tokens.
    pub fn with_context(mut self, tokens: u64) -> Self {
        self.ollama.most = tokens;
        self
    }

    /// Ollama cuts what does not fit, whatever it is asked, as it did before it could refuse.
    pub fn that_always_cuts(mut self) -> Self {
        self.ollama.can_refuse = false;
        self
    }

    /// Whether the service would refuse a question of this form.
    pub(crate) fn refusal(&self, request: &ReceivedRequest) -> Option<ServiceRefusal> {
        if !self.has_path(request) {
            return Some(self.not_found());
        }
        if !self.has_key(request) {
            return Some(self.unauthorized());
        }
        self.wrong_body(request)
    }

    /// What a service says to a GET, and to what Ollama is asked of a model.
    pub(crate) fn plain_answer(
        &self,
        path: &str,
        query: &str,
        header: impl Fn(&str) -> Option<String>,
    ) -> Result<Value, ServiceRefusal> {
        if self.kind == ServiceKind::Ollama && path == "/api/show" {
            return Ok(json!({
                "details": {"family": "qwen3", "parameter_size": "8.2B"},
                "model_info": {"general.architecture": "qwen3", "qwen3.context_length": self.ollama.most},
                "capabilities": ["completion", "tools", "thinking"],
            }));
        }
        let listed = match self.kind {
            ServiceKind::Ollama => path == "/api/tags",
            ServiceKind::Gemini => path == "/v1beta/models",
            ServiceKind::OpenRouter => path == "/api/v1/models",
            ServiceKind::OpenAi
            | ServiceKind::Anthropic
            | ServiceKind::Vllm
            | ServiceKind::LlamaCpp => path == "/v1/models",
            ServiceKind::Any
            | ServiceKind::Azure
            | ServiceKind::AzureDeployment
            | ServiceKind::Bedrock
            | ServiceKind::Vertex => false,
        };
        if !listed {
            return Err(self.not_found());
        }
        let given = match self.kind {
            ServiceKind::Anthropic => header("x-api-key"),
            ServiceKind::Gemini => header("x-goog-api-key"),
            _ => header("authorization").and_then(|h| h.strip_prefix("Bearer ").map(str::to_owned)),
        };
        // OpenRouter's list is public.
        let is_public = self.kind == ServiceKind::OpenRouter;
        if !is_public && self.key.is_some() && given != self.key {
            return Err(self.unauthorized());
        }
        if self.kind == ServiceKind::Anthropic && header("anthropic-version").is_none() {
            return Err(ServiceRefusal {
                status: 400,
                body: json!({"type": "error", "error": {"type": "invalid_request_error",
                    "message": "anthropic-version: header is required"}}),
            });
        }
        self.page(query)
    }

    /// The page that is asked for: the first, or the one after `page-N`.
    fn page(&self, query: &str) -> Result<Value, ServiceRefusal> {
        let after = query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            matches!(name, "after_id" | "pageToken").then_some(value)
        });
        let number = after.map_or(Some(0), |mark| mark.strip_prefix("page-")?.parse().ok());
        let page = number.and_then(|number: usize| self.pages.get(number));
        page.cloned().ok_or_else(|| self.not_found())
    }

    /// What a service says that it read and wrote, where it counts by itself.
    pub(crate) fn counted(
        &self,
        request: &ReceivedRequest,
        usage: Option<ReplyUsage>,
    ) -> Option<ReplyUsage> {
        let usage = usage?;
        if self.kind != ServiceKind::Ollama {
            return Some(usage);
        }
        Some(ReplyUsage {
            input: usage.input.min(self.context(request)),
            ..usage
        })
    }

    fn context(&self, request: &ReceivedRequest) -> u64 {
        let asked = request
            .body
            .pointer("/options/num_ctx")
            .and_then(Value::as_u64);
        asked
            .unwrap_or(OLLAMA_DEFAULT_CONTEXT)
            .min(self.ollama.most)
    }

    fn has_path(&self, request: &ReceivedRequest) -> bool {
        let (path, api) = (request.path.as_str(), request.api);
        match self.kind {
            ServiceKind::Any => true,
            ServiceKind::OpenAi => matches!(path, "/v1/chat/completions" | "/v1/responses"),
            ServiceKind::Anthropic => path == "/v1/messages",
            ServiceKind::Gemini => api == ApiFormat::Gemini && path.starts_with("/v1beta/models/"),
            ServiceKind::Azure => path == "/openai/v1/chat/completions",
            ServiceKind::AzureDeployment => {
                let named = path.strip_prefix("/openai/deployments/");
                let named = named.and_then(|rest| rest.strip_suffix("/chat/completions"));
                named.is_some_and(|name| !name.is_empty() && !name.contains('/'))
                    && request.query.starts_with("api-version=20")
            }
            ServiceKind::OpenRouter => path == "/api/v1/chat/completions",
            ServiceKind::Vllm | ServiceKind::LlamaCpp => path == "/v1/chat/completions",
            ServiceKind::Ollama => path == "/api/chat",
            ServiceKind::Bedrock => api == ApiFormat::Converse && path.starts_with("/model/"),
            ServiceKind::Vertex => {
                let publisher = match api {
                    ApiFormat::Gemini => "/publishers/google/models/",
                    ApiFormat::RawPredict => "/publishers/anthropic/models/",
                    _ => return false,
                };
                path.starts_with("/v1/projects/")
                    && path.contains("/locations/")
                    && path.contains(publisher)
            }
        }
    }

    fn has_key(&self, request: &ReceivedRequest) -> bool {
        let Some(key) = &self.key else { return true };
        let bearer = request.header("authorization");
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        let given = match self.kind {
            ServiceKind::Azure | ServiceKind::AzureDeployment => request
                .header("api-key")
                .or(bearer.filter(|token| token.starts_with("eyJ"))),
            ServiceKind::Anthropic => request.header("x-api-key"),
            ServiceKind::Gemini => request.header("x-goog-api-key"),
            _ => bearer,
        };
        given == Some(key.as_str())
    }

    fn wrong_body(&self, request: &ReceivedRequest) -> Option<ServiceRefusal> {
        let body = &request.body;
        let fields = body.as_object().into_iter().flat_map(|body| body.keys());
        let unknown = |known: &[&str]| fields.clone().find(|name| !known.contains(&name.as_str()));
        match self.kind {
            ServiceKind::Azure | ServiceKind::AzureDeployment => {
                let name = unknown(&CHAT_FIELDS)?;
                Some(ServiceRefusal {
                    status: 400,
                    body: json!({"error": {"message": format!("Unrecognized request argument supplied: {name}"),
                        "type": "invalid_request_error", "param": null, "code": null}}),
                })
            }
            ServiceKind::Bedrock => {
                let blocks = body["messages"][0]["content"].is_array();
                let wrong = match unknown(&CONVERSE_FIELDS) {
                    Some(name) => format!("The field {name} is not supported"),
                    None if !blocks => "messages.0.content must be a list".to_owned(),
                    None => return None,
                };
                Some(ServiceRefusal {
                    status: 400,
                    body: json!({"message": wrong}),
                })
            }
            ServiceKind::Vertex if request.api == ApiFormat::RawPredict => {
                let named = body.get("model").is_some();
                let version = body["anthropic_version"] == "vertex-2023-10-16";
                (named || !version).then(|| ServiceRefusal {
                    status: 400,
                    body: json!({"type": "error", "error": {"type": "invalid_request_error",
                        "message": "anthropic_version: \"vertex-2023-10-16\" is required, and no model"}}),
                })
            }
            ServiceKind::Ollama => self.ollama_refusal(request),
            ServiceKind::Any
            | ServiceKind::OpenAi
            | ServiceKind::Anthropic
            | ServiceKind::Gemini
            | ServiceKind::OpenRouter
            | ServiceKind::Vllm
            | ServiceKind::LlamaCpp
            | ServiceKind::Vertex => None,
        }
    }

    /// What does not fit into the context is refused where that was asked for, else it is cut.
    fn ollama_refusal(&self, request: &ReceivedRequest) -> Option<ServiceRefusal> {
        let read = request.prompt().chars().count() as u64 / 4;
        let asked = request.body["truncate"] == false && self.ollama.can_refuse;
        (asked && read > self.context(request)).then(|| ServiceRefusal {
            status: 400,
            body: json!({"error": "the input length exceeds the context length"}),
        })
    }

    fn not_found(&self) -> ServiceRefusal {
        let body = match self.kind {
            ServiceKind::Any => json!({"error": {"message": "no such path"}}),
            ServiceKind::Azure | ServiceKind::AzureDeployment => {
                json!({"error": {"code": "404", "message": "Resource not found"}})
            }
            ServiceKind::Anthropic => {
                json!({"type": "error", "error": {"type": "not_found_error", "message": "Not found"}})
            }
            ServiceKind::Gemini | ServiceKind::Vertex => {
                json!({"error": {"code": 404, "message": "Not found.", "status": "NOT_FOUND"}})
            }
            ServiceKind::Vllm => json!({"detail": "Not Found"}),
            ServiceKind::LlamaCpp => {
                json!({"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}})
            }
            ServiceKind::Ollama => json!("404 page not found"),
            ServiceKind::Bedrock => json!({"message": "UnknownOperationException"}),
            ServiceKind::OpenAi | ServiceKind::OpenRouter => {
                json!({"error": {"message": "Not Found", "code": 404}})
            }
        };
        ServiceRefusal { status: 404, body }
    }

    fn unauthorized(&self) -> ServiceRefusal {
        let (status, body) = match self.kind {
            ServiceKind::Azure | ServiceKind::AzureDeployment => (
                401,
                json!({"error": {"code": "401", "message":
                    "Access denied due to invalid subscription key or wrong API endpoint."}}),
            ),
            ServiceKind::Anthropic => (
                401,
                json!({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
            ),
            ServiceKind::Gemini => (
                400,
                json!({"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
                    "status": "INVALID_ARGUMENT"}}),
            ),
            ServiceKind::Vertex => (
                401,
                json!({"error": {"code": 401, "message": "Request had invalid authentication credentials.",
                    "status": "UNAUTHENTICATED"}}),
            ),
            ServiceKind::Bedrock => (
                403,
                json!({"Message": "Authentication failed: Please make sure your API Key is valid."}),
            ),
            ServiceKind::Vllm => (401, json!({"error": "Unauthorized"})),
            ServiceKind::LlamaCpp => (
                401,
                json!({"error": {"message": "Invalid API Key", "type": "authentication_error", "code": 401}}),
            ),
            ServiceKind::OpenRouter => (
                401,
                json!({"error": {"message": "No auth credentials found", "code": 401}}),
            ),
            ServiceKind::Any | ServiceKind::OpenAi | ServiceKind::Ollama => (
                401,
                json!({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
            ),
        };
        ServiceRefusal { status, body }
    }
}

/// What Azure takes of chat completions, as far as anybody here sends it.
const CHAT_FIELDS: [&str; 9] = [
    "model",
    "stream",
    "messages",
    "response_format",
    "stream_options",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
];

/// What the Converse API takes.
const CONVERSE_FIELDS: [&str; 8] = [
    "messages",
    "system",
    "inferenceConfig",
    "toolConfig",
    "additionalModelRequestFields",
    "guardrailConfig",
    "requestMetadata",
    "performanceConfig",
];
