//! Which symbols a change touches: what it redefines, what it removes, what its new lines use.

use super::outline::{Definition, Outline, ReferenceKind, SymbolKind, outline};
use collie_core::code_context::innermost_spans;
use std::collections::{BTreeMap, BTreeSet};

/// More symbols of one change are not looked for.
const MAX_SYMBOLS: usize = 80;
/// A shorter name stands for too many things.
const MIN_NAME_CHARS: usize = 3;
/// Names that are defined and used everywhere: looking for them finds others.
const COMMON_NAMES: [&str; 39] = [
    "main",
    "get",
    "set",
    "len",
    "next",
    "from",
    "into",
    "fmt",
    "clone",
    "default",
    "drop",
    "eq",
    "hash",
    "cmp",
    "String",
    "string",
    "Error",
    "error",
    "Result",
    "Option",
    "Some",
    "None",
    "Vec",
    "print",
    "println",
    "format",
    "assert",
    "assert_eq",
    "self",
    "this",
    "Self",
    "super",
    "toString",
    "equals",
    "str",
    "int",
    "name",
    "value",
    "setUp",
];
/// Names of what makes an object: others call it by the type's name.
const CONSTRUCTORS: [&str; 6] = [
    "__init__",
    "__new__",
    "constructor",
    "initialize",
    "new",
    "init",
];

/// A changed file, as text on both sides.
#[derive(Clone, Copy, Debug)]
pub struct ChangedSource<'a> {
    /// Its path at the head; of a removed file, its last.
    pub path: &'a str,
    /// What it was; none where there was no such file.
    pub before: Option<&'a str>,
    /// What it is; none where it is gone.
    pub after: Option<&'a str>,
    /// Lines of the head that are new, from 1.
    pub added: &'a BTreeSet<u32>,
    /// Lines from before that are gone, from 1.
    pub removed: &'a BTreeSet<u32>,
}

/// What a change does to a symbol; what others feel most comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolChange {
    /// It is defined nowhere in the changed files any more.
    Removed,
    /// What callers rely on is another.
    SignatureChanged,
    /// Its new lines use it, and no changed file defines it.
    Used,
    /// Something in its body is another.
    BodyChanged,
}

/// A symbol that a change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedSymbol {
    /// Its name, as others write it.
    pub name: String,
    /// What it stands for; none where only its use is known.
    pub kind: Option<SymbolKind>,
    /// What the change does to it.
    pub change: SymbolChange,
    /// The files of the change that touch it, sorted.
    pub paths: BTreeSet<String>,
}

impl TouchedSymbol {
    /// The first file of the change that touches it.
    pub(super) fn path(&self) -> &str {
        self.paths.first().map_or("", String::as_str)
    }
}

/// The symbols that a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedSymbols {
    /// Those that others feel most come first; each name once. At most 80.
    pub symbols: Vec<TouchedSymbol>,
    /// Pairs of files of the change of which the first uses what the second alone defines, by their paths.
    pub links: BTreeSet<(String, String)>,
}

impl TouchedSymbols {
    /// Their names, to be looked for.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let names = self.symbols.iter().map(|symbol| symbol.name.clone());
        names.collect()
    }

    /// The ends of names of files in the languages of the change, without the point.
    #[must_use]
    pub fn file_extensions(&self) -> Vec<String> {
        let paths = self.symbols.iter().flat_map(|symbol| &symbol.paths);
        let found: BTreeSet<&str> = paths.flat_map(|path| extensions_beside(path)).collect();
        found.into_iter().map(str::to_owned).collect()
    }
}

/// The extensions of files that see what a file defines.
fn extensions_beside(path: &str) -> Vec<&str> {
    const FAMILIES: [&[&str]; 3] = [
        &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"],
        &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx"],
        &["java", "kt", "kts", "scala"],
    ];
    let Some((_, extension)) = path.rsplit_once('.') else {
        return Vec::new();
    };
    let family = FAMILIES.iter().find(|family| family.contains(&extension));
    family.map_or_else(|| vec![extension], |family| family.to_vec())
}

/// Whether files of both paths may see each other's symbols.
pub(super) fn is_same_language(one: &str, other: &str) -> bool {
    let extension = other
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    extensions_beside(one).contains(&extension)
}

/// A changed file with its outlines.
struct Sides<'a> {
    source: &'a ChangedSource<'a>,
    before: Outline,
    after: Outline,
}

/// Finds which symbols a change touches.
#[must_use]
pub fn touched_symbols(files: &[ChangedSource<'_>]) -> TouchedSymbols {
    let side = |path: &str, text: Option<&str>| text.and_then(|text| outline(path, text));
    let sides: Vec<Sides<'_>> = files
        .iter()
        .map(|source| Sides {
            source,
            before: side(source.path, source.before).unwrap_or_default(),
            after: side(source.path, source.after).unwrap_or_default(),
        })
        .collect();
    let defined: BTreeSet<&str> = sides
        .iter()
        .flat_map(|file| &file.after.definitions)
        .map(|definition| definition.name.as_str())
        .collect();
    let mut found = BTreeMap::new();
    for file in &sides {
        add_redefined(&mut found, file, &defined);
        add_used(&mut found, file, &defined);
    }
    let mut symbols: Vec<TouchedSymbol> = found.into_values().collect();
    symbols.sort_by(|a, b| (a.change, a.path(), &a.name).cmp(&(b.change, b.path(), &b.name)));
    symbols.truncate(MAX_SYMBOLS);
    let links = links_between(&sides);
    TouchedSymbols { symbols, links }
}

/// Adds a symbol that a file touches; of what is done to it, what others feel most counts.
fn add(
    found: &mut BTreeMap<String, TouchedSymbol>,
    name: &str,
    (kind, change): (Option<SymbolKind>, SymbolChange),
    path: &str,
) {
    if name.chars().count() < MIN_NAME_CHARS || COMMON_NAMES.contains(&name) {
        return;
    }
    let symbol = found
        .entry(name.to_owned())
        .or_insert_with(|| TouchedSymbol {
            name: name.to_owned(),
            kind,
            change,
            paths: BTreeSet::new(),
        });
    symbol.paths.insert(path.to_owned());
    if change < symbol.change {
        (symbol.change, symbol.kind) = (change, kind);
    }
}

/// More links say nothing that these do not.
const MAX_LINKS: usize = 2_000;

/// Which files of a change use what another of them alone defines.
fn links_between(files: &[Sides<'_>]) -> BTreeSet<(String, String)> {
    let mut homes: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for file in files {
        for definition in &file.after.definitions {
            let name = definition.name.as_str();
            if name.chars().count() < MIN_NAME_CHARS || COMMON_NAMES.contains(&name) {
                continue;
            }
            let path = file.source.path;
            let home = homes.entry(name).or_insert(Some(path));
            // What two of them define tells nothing.
            *home = home.filter(|known| *known == path);
        }
    }
    let mut links = BTreeSet::new();
    for file in files {
        for reference in &file.after.references {
            let home = homes.get(reference.name.as_str()).copied().flatten();
            if let Some(home) = home.filter(|home| *home != file.source.path)
                && links.len() < MAX_LINKS
                && is_same_language(file.source.path, home)
            {
                links.insert((file.source.path.to_owned(), home.to_owned()));
            }
        }
    }
    links
}

/// What others call a definition by: an object's constructor by its type.
fn public_name(definition: &Definition) -> &str {
    match &definition.container {
        Some(container) if CONSTRUCTORS.contains(&definition.name.as_str()) => container,
        _ => &definition.name,
    }
}

/// Adds what the change takes away or makes another of what was there before.
fn add_redefined(
    found: &mut BTreeMap<String, TouchedSymbol>,
    file: &Sides<'_>,
    defined: &BTreeSet<&str>,
) {
    let path = file.source.path;
    let touched_before = innermost_of(&file.before, file.source.removed);
    let touched_after = innermost_of(&file.after, file.source.added);
    for definition in &file.before.definitions {
        let kind = Some(definition.kind);
        let is_touched = touched_before.contains(&key(definition));
        if !defined.contains(definition.name.as_str()) {
            add(
                found,
                public_name(definition),
                (kind, SymbolChange::Removed),
                path,
            );
            continue;
        }
        let same = |other: &&Definition| key(other) == key(definition);
        let mut now = file.after.definitions.iter().filter(same).peekable();
        if now.peek().is_none() {
            if is_touched {
                // It has moved, or another has its name.
                let change = SymbolChange::SignatureChanged;
                add(found, public_name(definition), (kind, change), path);
            }
            continue;
        }
        let change = match now.any(|other| other.signature == definition.signature) {
            true if is_touched || touched_after.contains(&key(definition)) => {
                SymbolChange::BodyChanged
            }
            true => continue,
            false => SymbolChange::SignatureChanged,
        };
        add(found, public_name(definition), (kind, change), path);
    }
}

/// What tells a definition from others of its name in one file.
type DefinitionKey<'a> = (Option<&'a str>, &'a str, SymbolKind);

fn key(definition: &Definition) -> DefinitionKey<'_> {
    let container = definition.container.as_deref();
    (container, &definition.name, definition.kind)
}

/// The innermost definitions that these lines are in.
fn innermost_of<'a>(outline: &'a Outline, lines: &BTreeSet<u32>) -> BTreeSet<DefinitionKey<'a>> {
    let definitions = &outline.definitions;
    let spans: Vec<(u32, u32)> = definitions
        .iter()
        .map(|one| (one.first, one.last))
        .collect();
    innermost_spans(lines.iter().copied(), &spans)
        .into_iter()
        .filter_map(|(_, at)| Some(key(&definitions[at?])))
        .collect()
}

/// Adds what the new lines use and no changed file defines.
fn add_used(
    found: &mut BTreeMap<String, TouchedSymbol>,
    file: &Sides<'_>,
    defined: &BTreeSet<&str>,
) {
    let used = file.after.references.iter();
    let used = used.filter(|reference| file.source.added.contains(&reference.line));
    for reference in used {
        let is_wanted = match reference.kind {
            ReferenceKind::Call | ReferenceKind::Type | ReferenceKind::Import => true,
            ReferenceKind::Other => is_constant_name(&reference.name),
        };
        if is_wanted && !defined.contains(reference.name.as_str()) {
            let change = (None, SymbolChange::Used);
            add(found, &reference.name, change, file.source.path);
        }
    }
}

/// Whether a name is written as constants and types are: `MAX_SIZE`, `NotFound`.
fn is_constant_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
