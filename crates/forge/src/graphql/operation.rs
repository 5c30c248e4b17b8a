//! What a GraphQL request asks for, read before it runs.
//!
//! The request gate tells queries from mutations with it, and it prices a request the way GitHub does: each connection
//! costs one request for every node of the connections around it, and a hundred such requests cost one point.

use std::collections::BTreeSet;

use async_graphql::parser::types::{
    ExecutableDocument, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Value, Variables};

/// The most nodes that one query may ask for (GitHub: "node limit").
pub const MAX_NODES: u64 = 500_000;
/// How deep fragments are followed while a request is priced.
const MAX_DEPTH: usize = 64;
/// How many fields are looked at while a request is priced, so that nested fragments cannot stall the forge.
const MAX_FIELDS: u32 = 200_000;

/// What one GraphQL request is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// `query`, `mutation` or `subscription`; empty when the request could not be parsed.
    pub kind: &'static str,
    /// The name that the client gave it.
    pub name: Option<String>,
    /// The fields directly under the root, without aliases.
    pub fields: BTreeSet<String>,
    /// The price in points, at least 1.
    pub cost: u64,
    /// The most nodes that the answer can hold.
    pub node_count: u64,
    /// What stands directly under the root, in order.
    pub roots: Vec<RootField>,
}

/// One field under the root, as it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootField {
    /// Its alias, or its name.
    pub key: String,
    /// The `number` of the pull request or issue that is asked for below it, if one is.
    pub number: Option<u64>,
}

impl Operation {
    /// Tells what `request` asks for; a request that cannot be parsed costs one point and has no kind.
    pub fn parse(request: &mut async_graphql::Request) -> Self {
        let name = request.operation_name.clone();
        let variables = request.variables.clone();
        let unparsed = Self {
            cost: 1,
            ..Self::default()
        };
        let Ok(document) = request.parsed_query() else {
            return unparsed;
        };
        let selected = document
            .operations
            .iter()
            .find(|(found, _)| name.is_none() || found.map(Name::as_str) == name.as_deref());
        let Some((found, operation)) = selected else {
            return unparsed;
        };
        let mut cost_walk = CostWalk {
            document,
            variables: &variables,
            operation: &operation.node,
            nodes: 0,
            requests: 0,
            fields_left: MAX_FIELDS,
        };
        cost_walk.add_selection(&operation.node.selection_set.node, 1, 0);
        let roots = cost_walk.root_fields();
        let mut fields = BTreeSet::new();
        collect_root_fields(document, &operation.node.selection_set.node, 0, &mut fields);
        Self {
            kind: match operation.node.ty {
                OperationType::Query => "query",
                OperationType::Mutation => "mutation",
                OperationType::Subscription => "subscription",
            },
            name: found.map(ToString::to_string),
            fields,
            cost: (cost_walk.requests.saturating_add(50) / 100).max(1),
            node_count: cost_walk.nodes,
            roots,
        }
    }
}

/// Collects the fields under the root, through fragments.
fn collect_root_fields(
    document: &ExecutableDocument,
    set: &SelectionSet,
    depth: usize,
    into: &mut BTreeSet<String>,
) {
    for item in &set.items {
        match &item.node {
            Selection::Field(field) => {
                into.insert(field.node.name.node.to_string());
            }
            Selection::InlineFragment(fragment) if depth < MAX_DEPTH => {
                collect_root_fields(document, &fragment.node.selection_set.node, depth + 1, into);
            }
            Selection::FragmentSpread(spread) if depth < MAX_DEPTH => {
                if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node) {
                    collect_root_fields(
                        document,
                        &fragment.node.selection_set.node,
                        depth + 1,
                        into,
                    );
                }
            }
            Selection::InlineFragment(_) | Selection::FragmentSpread(_) => {}
        }
    }
}

/// The running sums of a walk over one operation.
struct CostWalk<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Variables,
    operation: &'a OperationDefinition,
    nodes: u64,
    requests: u64,
    fields_left: u32,
}

impl CostWalk<'_> {
    /// Adds up the connections in `set`, which is asked for `parents` times.
    fn add_selection(&mut self, set: &SelectionSet, parents: u64, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for item in &set.items {
            let Some(left) = self.fields_left.checked_sub(1) else {
                return;
            };
            self.fields_left = left;
            match &item.node {
                Selection::Field(field) => {
                    let parents_below = match self.page_size(&field.node) {
                        Some(size) => {
                            let nodes = parents.saturating_mul(size);
                            self.requests = self.requests.saturating_add(parents);
                            self.nodes = self.nodes.saturating_add(nodes);
                            nodes
                        }
                        None => parents,
                    };
                    self.add_selection(&field.node.selection_set.node, parents_below, depth + 1);
                }
                Selection::InlineFragment(fragment) => {
                    self.add_selection(&fragment.node.selection_set.node, parents, depth + 1);
                }
                Selection::FragmentSpread(spread) => {
                    let document = self.document;
                    if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node)
                    {
                        self.add_selection(&fragment.node.selection_set.node, parents, depth + 1);
                    }
                }
            }
        }
    }

    /// Lists the fields under the root, fragments left aside.
    fn root_fields(&self) -> Vec<RootField> {
        let fields = |set: &SelectionSet| -> Vec<Field> {
            let items = set.items.iter().filter_map(|item| match &item.node {
                Selection::Field(field) => Some(field.node.clone()),
                Selection::InlineFragment(_) | Selection::FragmentSpread(_) => None,
            });
            items.collect()
        };
        let roots = fields(&self.operation.selection_set.node);
        let below = |root: &Field| {
            let mut inner = fields(&root.selection_set.node).into_iter();
            inner.find_map(|field| self.number_argument(&field, "number"))
        };
        roots
            .into_iter()
            .map(|root| RootField {
                key: root.response_key().node.to_string(),
                number: below(&root),
            })
            .collect()
    }

    /// Returns how many nodes `field` asks for, when it is a connection.
    fn page_size(&self, field: &Field) -> Option<u64> {
        ["first", "last"]
            .iter()
            .find_map(|bound| self.number_argument(field, bound))
    }

    /// Returns an argument that is a number, through its variable.
    fn number_argument(&self, field: &Field, argument: &str) -> Option<u64> {
        let value = field.get_argument(argument)?;
        let number = value
            .node
            .clone()
            .into_const_with(|name| self.variable(&name).ok_or(()));
        match number {
            Ok(Value::Number(number)) => number.as_u64(),
            _ => None,
        }
    }

    /// Returns the value of a variable, or its default.
    fn variable(&self, name: &Name) -> Option<Value> {
        self.variables.get(name).cloned().or_else(|| {
            self.operation
                .variable_definitions
                .iter()
                .find(|definition| definition.node.name.node == *name)
                .and_then(|definition| definition.node.default_value().cloned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, variables: serde_json::Value, cost: u64, nodes: u64) {
        let mut request =
            async_graphql::Request::new(query).variables(Variables::from_json(variables));
        let operation = Operation::parse(&mut request);
        assert_eq!(
            (operation.cost, operation.node_count),
            (cost, nodes),
            "{query}"
        );
    }

    #[test]
    fn prices_a_query_as_github_documents_it() {
        let none = serde_json::json!({});
        check("{ viewer { login } }", none.clone(), 1, 0);
        // The worked example of GitHub's documentation on rate limits: 5,101 requests, 51 points.
        check(
            "{ viewer { repositories(first: 100) { nodes { issues(first: 50) { nodes { labels(first: 60) { nodes { id } } } } } } } }",
            none.clone(),
            51,
            100 + 5_000 + 300_000,
        );
        check(
            "query($n: Int = 10) { a: repository { pullRequests(last: $n) { totalCount } } }",
            none,
            1,
            10,
        );
        check(
            "query($n: Int = 10) { ...F } fragment F on Query { repository { pullRequests(last: $n) { totalCount } } }",
            serde_json::json!({"n": 3}),
            1,
            3,
        );
        check("{ broken", serde_json::json!({}), 1, 0);
        check(
            "{ ...F } fragment F on Query { ...F }",
            serde_json::json!({}),
            1,
            0,
        );
    }

    #[test]
    fn names_the_root_fields_behind_aliases_and_fragments() {
        let mut request = async_graphql::Request::new(
            "mutation M { a: addComment { x } ... on Mutation { b: closePullRequest { x } } }",
        );
        let operation = Operation::parse(&mut request);
        assert_eq!(operation.kind, "mutation");
        assert_eq!(operation.name.as_deref(), Some("M"));
        assert_eq!(
            operation.fields.into_iter().collect::<Vec<_>>(),
            ["addComment", "closePullRequest"]
        );
    }
}
