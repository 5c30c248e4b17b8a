//! The TypeScript side of the contract, as one text.

use super::{
    ActivityView, AvailableRepository, Command, DoctorLine, ExcerptView, ListingView,
    MergeOfferView, MergedView, RepositoryView, SessionView, SettingProblem, SettingsView,
    TimelineLine, Update,
};
use super::{
    AgentSetting, AuthorSetting, BotSetting, PersonaSetting, RepositorySetting, StageSetting,
};
use crate::{ErrorView, LoopView};
use collie_core::lifecycle::State;
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use ts_rs::{Config, TS, TypeVisitor};

/// Writes every type that crosses, and which answer belongs to which command.
pub fn typescript() -> String {
    let mut types = Types::new();
    types.add::<Command>();
    types.add::<Update>();
    types.add::<LoopView>();
    types.add::<ErrorView>();
    types.add::<State>();
    types.add::<StageSetting>();
    types.add::<AgentSetting>();
    types.add::<AuthorSetting>();
    types.add::<PersonaSetting>();
    types.add::<BotSetting>();
    types.add::<RepositorySetting>();
    let answers = answers(&mut types);
    let mut text = String::from(
        "// Written by `cargo test -p collie-wire` with COLLIE_WRITE_GENERATED=1. Change the Rust it comes from: crates/wire/src/rpc.\n",
    );
    for declaration in types.declarations.values() {
        text.push('\n');
        text.push_str(declaration);
        text.push('\n');
    }
    text.push_str("\n/** What each command answers. */\nexport interface Answers {\n");
    for (command, answer) in answers {
        text.push_str(&format!("  {command}: {answer};\n"));
    }
    text.push_str("}\n");
    text
}

/// One line a command. A test holds that none is missing.
fn answers(types: &mut Types) -> Vec<(&'static str, String)> {
    vec![
        ("session", types.add::<SessionView>()),
        ("loops", types.add::<Vec<LoopView>>()),
        ("activities", types.add::<Vec<ActivityView>>()),
        ("repositories", types.add::<Vec<RepositoryView>>()),
        ("listing", types.add::<ListingView>()),
        ("timeline", types.add::<Vec<TimelineLine>>()),
        ("excerpts", types.add::<ExcerptView>()),
        ("merge_offer", types.add::<MergeOfferView>()),
        ("settings", types.add::<SettingsView>()),
        ("check_settings", types.add::<Vec<SettingProblem>>()),
        (
            "available_repositories",
            types.add::<Vec<AvailableRepository>>(),
        ),
        ("doctor", types.add::<Vec<DoctorLine>>()),
        ("start", nothing()),
        ("cancel", nothing()),
        ("retry", nothing()),
        ("resume", nothing()),
        ("merge", types.add::<MergedView>()),
        ("set_auto_review", nothing()),
        ("add_repositories", nothing()),
        ("remove_repository", nothing()),
        ("refresh", nothing()),
        ("save_settings", types.add::<Vec<SettingProblem>>()),
        ("look_around", nothing()),
        ("sign_in_found", nothing()),
        ("sign_in", nothing()),
        ("sign_out", nothing()),
        ("allow_me", nothing()),
        ("start_demo", nothing()),
        ("play_scenario", nothing()),
        ("leave_demo", nothing()),
        ("try_again", nothing()),
        ("open", nothing()),
        ("page_error", nothing()),
        ("interactive", nothing()),
    ]
}

fn nothing() -> String {
    "null".to_owned()
}

/// Declarations by name, each once, with everything they lean on.
struct Types {
    config: Config,
    seen: HashSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl Types {
    fn new() -> Self {
        Self {
            // Numbers cross as JSON, and none of ours passes 2^53.
            config: Config::new().with_large_int("number"),
            seen: HashSet::new(),
            declarations: BTreeMap::new(),
        }
    }

    fn add<T: TS + 'static + ?Sized>(&mut self) -> String {
        self.visit::<T>();
        T::name(&self.config)
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
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
