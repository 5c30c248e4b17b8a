//! The TypeScript side of the contract, as one text.

use super::{
    ActivityView, AvailableRepository, ChangesView, Command, CommitDiffView, DescriptionView,
    DeviceCodeView, DeviceSignInState, DoctorLine, ExcerptView, ExpectedCostView, InsightsView,
    Language, ListedModelView, ListingView, MemoryView, MergeOfferView, MergedView, ModelKeyView,
    ModelTestView, OpenPullsView, RepositoryView, SavedFileView, SessionView, SettingGroup,
    SettingProblem, SettingsView, TimelineLine, Update,
};
use super::{
    AgentSetting, AuthorSetting, BotSetting, HeaderSetting, McpServerSetting, ModelOptions,
    ModelSetting, PersonaSetting, RepositorySetting, SpendingView, StageSetting,
};
use crate::{EarlierRunView, ErrorView, LoopView};
use collie_core::lifecycle::{STATES, State};
use collie_core::policy::ShippedPersona;
use collie_core::snapshot::CheckStatus;
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use ts_rs::{Config, TS, TypeVisitor};

/// Writes every type that crosses, and which answer belongs to which command.
pub fn typescript() -> String {
    let mut registry = TypeRegistry::new();
    registry.register::<Command>();
    registry.register::<Update>();
    registry.register::<LoopView>();
    registry.register::<ErrorView>();
    registry.register::<State>();
    registry.register::<CheckStatus>();
    registry.register::<StageSetting>();
    registry.register::<AgentSetting>();
    registry.register::<McpServerSetting>();
    registry.register::<AuthorSetting>();
    registry.register::<PersonaSetting>();
    registry.register::<ModelOptions>();
    registry.register::<ModelSetting>();
    registry.register::<HeaderSetting>();
    registry.register::<BotSetting>();
    registry.register::<RepositorySetting>();
    let response_types = response_types(&mut registry);
    let constants = [
        registry.constant::<Language>("LANGUAGES"),
        registry.constant::<SettingGroup>("SETTING_GROUPS"),
        registry.constant::<ShippedPersona>("SHIPPED_PERSONAS"),
        terminal_states(),
    ];
    let mut text = String::from(
        "// Written by `cargo run -p collie-wire --example generate`. Change the Rust it comes from: crates/wire/src/rpc.\n",
    );
    for declaration in registry.declarations.values() {
        text.push('\n');
        text.push_str(declaration);
        text.push('\n');
    }
    for constant in constants {
        text.push('\n');
        text.push_str(&constant);
    }
    text.push_str("\n/** What each command answers. */\nexport interface Answers {\n");
    for (command, answer) in response_types {
        text.push_str(&format!("  {command}: {answer};\n"));
    }
    text.push_str("}\n");
    text
}

/// The states after which nothing follows, for what goes by a state alone.
fn terminal_states() -> String {
    let terminal: Vec<String> = STATES
        .iter()
        .filter(|state| state.is_terminal())
        .map(|state| format!("\"{state}\""))
        .collect();
    format!(
        "/** The states after which nothing follows. */\nexport const TERMINAL_STATES: readonly State[] = [{}];\n",
        terminal.join(", ")
    )
}

/// One line a command. A test holds that none is missing.
fn response_types(registry: &mut TypeRegistry) -> Vec<(&'static str, String)> {
    vec![
        ("session", registry.register::<SessionView>()),
        ("loops", registry.register::<Vec<LoopView>>()),
        ("activities", registry.register::<Vec<ActivityView>>()),
        ("repositories", registry.register::<Vec<RepositoryView>>()),
        ("listing", registry.register::<ListingView>()),
        ("open_pulls", registry.register::<OpenPullsView>()),
        ("timeline", registry.register::<Vec<TimelineLine>>()),
        ("earlier_runs", registry.register::<Vec<EarlierRunView>>()),
        ("excerpts", registry.register::<ExcerptView>()),
        ("description", registry.register::<DescriptionView>()),
        ("changes", registry.register::<ChangesView>()),
        ("commit_diff", registry.register::<CommitDiffView>()),
        ("merge_offer", registry.register::<MergeOfferView>()),
        ("settings", registry.register::<SettingsView>()),
        ("check_settings", registry.register::<Vec<SettingProblem>>()),
        (
            "available_repositories",
            registry.register::<Vec<AvailableRepository>>(),
        ),
        ("spending", registry.register::<SpendingView>()),
        ("insights", registry.register::<InsightsView>()),
        ("export_insights", registry.register::<SavedFileView>()),
        ("review_memory", registry.register::<MemoryView>()),
        ("model_key", registry.register::<ModelKeyView>()),
        ("set_model_key", null_type()),
        ("remove_model_key", null_type()),
        ("list_models", registry.register::<Vec<ListedModelView>>()),
        ("test_model", registry.register::<ModelTestView>()),
        ("expected_cost", registry.register::<ExpectedCostView>()),
        ("stop_model_test", null_type()),
        ("doctor", registry.register::<Vec<DoctorLine>>()),
        ("start", null_type()),
        ("cancel", null_type()),
        ("retry", null_type()),
        ("resume", null_type()),
        ("dismiss", null_type()),
        ("note", null_type()),
        ("decide_trust", null_type()),
        ("seen", null_type()),
        ("set_autonomy", null_type()),
        ("set_paused", null_type()),
        ("set_snoozes", null_type()),
        ("set_muted_notifications", null_type()),
        ("approve_push", null_type()),
        ("reject_push", null_type()),
        ("forget_judgement", null_type()),
        ("merge", registry.register::<MergedView>()),
        ("set_auto_review", null_type()),
        ("add_repositories", null_type()),
        ("remove_repository", null_type()),
        ("refresh", null_type()),
        ("save_settings", registry.register::<Vec<SettingProblem>>()),
        ("detect_credentials", null_type()),
        ("sign_in_detected", null_type()),
        ("sign_in", null_type()),
        ("device_sign_in", registry.register::<DeviceCodeView>()),
        (
            "device_sign_in_state",
            registry.register::<DeviceSignInState>(),
        ),
        ("sign_out", null_type()),
        ("sign_out_everywhere", null_type()),
        ("allow_me", null_type()),
        ("start_demo", null_type()),
        ("play_scenario", null_type()),
        ("leave_demo", null_type()),
        ("try_again", null_type()),
        ("open", null_type()),
        ("page_error", null_type()),
        ("interactive", null_type()),
    ]
}

fn null_type() -> String {
    "null".to_owned()
}

/// Declarations by name, each once, with everything they lean on.
struct TypeRegistry {
    config: Config,
    visited: HashSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl TypeRegistry {
    fn new() -> Self {
        Self {
            // Numbers cross as JSON, and none of ours passes 2^53.
            config: Config::new().with_large_int("number"),
            visited: HashSet::new(),
            declarations: BTreeMap::new(),
        }
    }

    fn register<T: TS + 'static + ?Sized>(&mut self) -> String {
        self.visit::<T>();
        T::name(&self.config)
    }

    /// The members of a union of texts as a list, for code that goes through all of them.
    fn constant<T: TS + 'static>(&mut self, name: &str) -> String {
        let union = self.register::<T>();
        let members = T::inline(&self.config).replace(" | ", ", ");
        format!(
            "/** Every `{union}`, in the order shown. */\nexport const {name} = [{members}] as const satisfies readonly {union}[];\n"
        )
    }
}

impl TypeVisitor for TypeRegistry {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.visited.insert(TypeId::of::<T>()) {
            return;
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
        // Only types of our own have a file to go to; numbers and lists are written where they are used.
        if T::output_path().is_some() {
            let declaration = T::decl(&self.config);
            let docs = T::docs().unwrap_or_default();
            self.declarations.insert(
                T::ident(&self.config),
                format!("{docs}export {declaration}"),
            );
        }
    }
}
