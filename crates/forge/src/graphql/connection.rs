//! Connections: GitHub's lists in pages.

use std::borrow::Cow;

use async_graphql::{Context, Object, OutputType, Result, SimpleObject, TypeName};

use super::error::GraphQlError;

/// The most nodes that one page may hold.
const MAX_PAGE_SIZE: i64 = 100;

/// A thing that comes in connections.
pub trait ConnectionNode: OutputType + Clone {
    /// The type's name, from which GitHub derives `NameConnection` and `NameEdge`.
    const NAME: &'static str;

    /// Returns a key that stays the same while the list around it grows.
    fn key(&self) -> String;
}

/// The arguments that every connection takes.
#[derive(Debug, Clone, Default)]
pub struct PageArgs {
    /// Only what comes after this cursor.
    pub after: Option<String>,
    /// Only what comes before this cursor.
    pub before: Option<String>,
    /// The first so many of these.
    pub first: Option<i32>,
    /// The last so many of these.
    pub last: Option<i32>,
}

/// One page of a list.
#[derive(Clone)]
pub struct Connection<T> {
    /// The page's nodes, with the place of the first one.
    page_nodes: Vec<T>,
    first_index: usize,
    total: usize,
}

/// One node with its cursor.
#[derive(SimpleObject)]
#[graphql(name_type)]
pub struct Edge<T: ConnectionNode> {
    cursor: String,
    node: Option<T>,
}

/// Where a page lies in its list.
#[derive(SimpleObject)]
pub struct PageInfo {
    end_cursor: Option<String>,
    has_next_page: bool,
    has_previous_page: bool,
    start_cursor: Option<String>,
}

impl<T: ConnectionNode> TypeName for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Connection", T::NAME).into()
    }
}

impl<T: ConnectionNode> TypeName for Edge<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Edge", T::NAME).into()
    }
}

impl<T: ConnectionNode> Edge<T> {
    /// Builds the edge of the node at `place` in its list.
    pub fn new(index: usize, node: T) -> Self {
        Self {
            cursor: encode_cursor(index, &node),
            node: Some(node),
        }
    }
}

#[Object(name_type)]
impl<T: ConnectionNode> Connection<T> {
    async fn edges(&self) -> Option<Vec<Option<Edge<T>>>> {
        Some(self.edges_of_page())
    }

    async fn nodes(&self) -> Option<Vec<Option<T>>> {
        Some(self.page_nodes.iter().cloned().map(Some).collect())
    }

    async fn page_info(&self) -> PageInfo {
        self.page_bounds()
    }

    async fn total_count(&self) -> i64 {
        self.total_nodes()
    }
}

impl<T: ConnectionNode> Connection<T> {
    /// Cuts the page that `bounds` asks for out of `items`.
    ///
    /// Fails as GitHub does: without `first` and `last`, with more than 100, or with a cursor it never gave out.
    pub fn paginate(ctx: &Context<'_>, page_args: PageArgs, items: Vec<T>) -> Result<Self> {
        let name = ctx.field().name();
        let first = check_bound(name, "first", page_args.first)?;
        let last = check_bound(name, "last", page_args.last)?;
        if first.is_none() && last.is_none() {
            return Err(GraphQlError::new(
                "MISSING_PAGINATION_BOUNDARIES",
                format!(
                    "You must provide a `first` or `last` value to properly paginate the `{name}` connection."
                ),
            )
            .into());
        }
        let total = items.len();
        let mut start = match &page_args.after {
            Some(cursor) => decode_cursor(cursor, &items)? + 1,
            None => 0,
        }
        .min(total);
        let mut end = match &page_args.before {
            Some(cursor) => decode_cursor(cursor, &items)?.max(start),
            None => total,
        }
        .min(total);
        if let Some(first) = first {
            end = end.min(start.saturating_add(first));
        }
        if let Some(last) = last {
            start = start.max(end.saturating_sub(last));
        }
        let page = items.into_iter().skip(start).take(end - start).collect();
        Ok(Self {
            page_nodes: page,
            first_index: start,
            total,
        })
    }

    /// The page's nodes.
    pub fn nodes_of_page(&self) -> &[T] {
        &self.page_nodes
    }

    /// The page's nodes with their cursors.
    pub fn edges_of_page(&self) -> Vec<Option<Edge<T>>> {
        self.page_nodes
            .iter()
            .enumerate()
            .map(|(index, node)| Some(Edge::new(self.first_index + index, node.clone())))
            .collect()
    }

    /// Where the page lies in its list.
    pub fn page_bounds(&self) -> PageInfo {
        let end = self.first_index + self.page_nodes.len();
        PageInfo {
            end_cursor: self
                .page_nodes
                .last()
                .map(|node| encode_cursor(end - 1, node)),
            has_next_page: end < self.total,
            has_previous_page: self.first_index > 0,
            start_cursor: self
                .page_nodes
                .first()
                .map(|node| encode_cursor(self.first_index, node)),
        }
    }

    /// How many nodes the whole list has.
    pub fn total_nodes(&self) -> i64 {
        i64::try_from(self.total).unwrap_or(i64::MAX)
    }
}

/// Checks one of `first` and `last`.
fn check_bound(connection: &str, argument: &str, value: Option<i32>) -> Result<Option<usize>> {
    let Some(value) = value else { return Ok(None) };
    if i64::from(value) > MAX_PAGE_SIZE {
        return Err(GraphQlError::new(
            "EXCESSIVE_PAGINATION",
            format!(
                "Requesting {value} records on the `{connection}` connection exceeds the `{argument}` limit of \
                 {MAX_PAGE_SIZE} records."
            ),
        )
        .into());
    }
    usize::try_from(value).map(Some).map_err(|_| {
        GraphQlError::new(
            "INVALID_PAGINATION",
            format!("`{argument}` on the `{connection}` connection cannot be less than zero."),
        )
        .into()
    })
}

/// Writes the opaque cursor of a node: its key, and its place for when the node is gone by the next page.
fn encode_cursor<T: ConnectionNode>(index: usize, node: &T) -> String {
    hex::encode(format!("{index}:{}", node.key()))
}

/// Finds the place that a cursor names.
fn decode_cursor<T: ConnectionNode>(cursor: &str, items: &[T]) -> Result<usize> {
    let unknown = || {
        GraphQlError::new(
            "INVALID_CURSOR_ARGUMENTS",
            format!("`{cursor}` does not appear to be a valid cursor."),
        )
    };
    let bytes = hex::decode(cursor).map_err(|_| unknown())?;
    let text = String::from_utf8(bytes).map_err(|_| unknown())?;
    let (index_text, key) = text.split_once(':').ok_or_else(unknown)?;
    let index: usize = index_text.parse().map_err(|_| unknown())?;
    Ok(items
        .iter()
        .position(|item| item.key() == key)
        .unwrap_or(index))
}
