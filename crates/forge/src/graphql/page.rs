//! Connections: GitHub's lists in pages.

use std::borrow::Cow;

use async_graphql::{Context, Object, OutputType, Result, SimpleObject, TypeName};

use super::error::Failure;

/// The most nodes that one page may hold.
const PAGE_LIMIT: i64 = 100;

/// A thing that comes in connections.
pub trait Listed: OutputType + Clone {
    /// The type's name, from which GitHub derives `NameConnection` and `NameEdge`.
    const NAME: &'static str;

    /// Returns a key that stays the same while the list around it grows.
    fn key(&self) -> String;
}

/// The arguments that every connection takes.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
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
    page: Vec<T>,
    start: usize,
    total: usize,
}

/// One node with its cursor.
#[derive(SimpleObject)]
#[graphql(name_type)]
pub struct Edge<T: Listed> {
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

impl<T: Listed> TypeName for Connection<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Connection", T::NAME).into()
    }
}

impl<T: Listed> TypeName for Edge<T> {
    fn type_name() -> Cow<'static, str> {
        format!("{}Edge", T::NAME).into()
    }
}

impl<T: Listed> Edge<T> {
    /// Builds the edge of the node at `place` in its list.
    pub fn new(place: usize, node: T) -> Self {
        Self {
            cursor: cursor(place, &node),
            node: Some(node),
        }
    }
}

#[Object(name_type)]
impl<T: Listed> Connection<T> {
    async fn edges(&self) -> Option<Vec<Option<Edge<T>>>> {
        Some(self.edge_list())
    }

    async fn nodes(&self) -> Option<Vec<Option<T>>> {
        Some(self.page.iter().cloned().map(Some).collect())
    }

    async fn page_info(&self) -> PageInfo {
        self.info()
    }

    async fn total_count(&self) -> i64 {
        self.total()
    }
}

impl<T: Listed> Connection<T> {
    /// Cuts the page that `bounds` asks for out of `items`.
    ///
    /// Fails as GitHub does: without `first` and `last`, with more than 100, or with a cursor it never gave out.
    pub fn of(ctx: &Context<'_>, bounds: Bounds, items: Vec<T>) -> Result<Self> {
        let name = ctx.field().name();
        let first = bound(name, "first", bounds.first)?;
        let last = bound(name, "last", bounds.last)?;
        if first.is_none() && last.is_none() {
            return Err(Failure::new(
                "MISSING_PAGINATION_BOUNDARIES",
                format!(
                    "You must provide a `first` or `last` value to properly paginate the `{name}` connection."
                ),
            )
            .into());
        }
        let total = items.len();
        let mut start = match &bounds.after {
            Some(cursor) => place_of(cursor, &items)? + 1,
            None => 0,
        }
        .min(total);
        let mut end = match &bounds.before {
            Some(cursor) => place_of(cursor, &items)?.max(start),
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
        Ok(Self { page, start, total })
    }

    /// The page's nodes.
    pub fn page(&self) -> &[T] {
        &self.page
    }

    /// The page's nodes with their cursors.
    pub fn edge_list(&self) -> Vec<Option<Edge<T>>> {
        self.page
            .iter()
            .enumerate()
            .map(|(place, node)| Some(Edge::new(self.start + place, node.clone())))
            .collect()
    }

    /// Where the page lies in its list.
    pub fn info(&self) -> PageInfo {
        let end = self.start + self.page.len();
        PageInfo {
            end_cursor: self.page.last().map(|node| cursor(end - 1, node)),
            has_next_page: end < self.total,
            has_previous_page: self.start > 0,
            start_cursor: self.page.first().map(|node| cursor(self.start, node)),
        }
    }

    /// How many nodes the whole list has.
    pub fn total(&self) -> i64 {
        i64::try_from(self.total).unwrap_or(i64::MAX)
    }
}

/// Checks one of `first` and `last`.
fn bound(connection: &str, argument: &str, value: Option<i32>) -> Result<Option<usize>> {
    let Some(value) = value else { return Ok(None) };
    if i64::from(value) > PAGE_LIMIT {
        return Err(Failure::new(
            "EXCESSIVE_PAGINATION",
            format!(
                "Requesting {value} records on the `{connection}` connection exceeds the `{argument}` limit of \
                 {PAGE_LIMIT} records."
            ),
        )
        .into());
    }
    usize::try_from(value).map(Some).map_err(|_| {
        Failure::new(
            "INVALID_PAGINATION",
            format!("`{argument}` on the `{connection}` connection cannot be less than zero."),
        )
        .into()
    })
}

/// Writes the opaque cursor of a node: its key, and its place for when the node is gone by the next page.
fn cursor<T: Listed>(place: usize, node: &T) -> String {
    hex::encode(format!("{place}:{}", node.key()))
}

/// Finds the place that a cursor names.
fn place_of<T: Listed>(cursor: &str, items: &[T]) -> Result<usize> {
    let unknown = || {
        Failure::new(
            "INVALID_CURSOR_ARGUMENTS",
            format!("`{cursor}` does not appear to be a valid cursor."),
        )
    };
    let bytes = hex::decode(cursor).map_err(|_| unknown())?;
    let text = String::from_utf8(bytes).map_err(|_| unknown())?;
    let (place, key) = text.split_once(':').ok_or_else(unknown)?;
    let place: usize = place.parse().map_err(|_| unknown())?;
    Ok(items
        .iter()
        .position(|item| item.key() == key)
        .unwrap_or(place))
}
