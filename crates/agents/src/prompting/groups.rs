//! A change over the budget, in parts that belong together and are read one by one (§4.4).
//!
//! A test goes with what it tests, a file with what it uses, a folder stays whole where it fits.

use super::file_kind::{FileKind, file_kind};
use super::material::{ChangedFile, Hunk, Material};
use super::review_prompt::{PromptTarget, files_under_review, review_prompt};
use super::token_budget::TokenCounter;
use collie_core::ids::Fingerprint;
use collie_core::tracked_finding::TrackedFinding;
use std::collections::{BTreeMap, BTreeSet};

/// The most readings of one change; what is in none of them stays unseen.
pub const MAX_PARTS: usize = 6;
/// What a file costs beside its changed lines: a heading, a fence.
const FILE_OVERHEAD_TOKENS: u32 = 40;
/// The same of a hunk.
const HUNK_OVERHEAD_TOKENS: u32 = 8;

/// A part of a change that is read for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewPart {
    /// Which, from 1.
    pub number: usize,
    /// How many there are.
    pub total: usize,
    /// Its files, in the order of the change. Of a file that no reading holds, some of its hunks.
    pub files: Vec<ChangedFile>,
    /// What its changed lines take of a prompt, in tokens.
    pub tokens: u32,
}

/// A change in parts, and what is in none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupedChange {
    /// The parts.
    pub parts: Vec<ReviewPart>,
    /// Files that are in none, or not wholly, by their paths, with the tokens that the lacking lines would take.
    pub left: BTreeMap<String, u32>,
}

/// A file, or some hunks of one.
struct Unit {
    file: ChangedFile,
    tokens: u32,
}

/// Puts what is under review into parts that fit into `budget`, each with some room for what helps to judge it. One part or none: there is
/// nothing to divide.
pub fn group_changes(
    material: &Material,
    budget: u32,
    count_tokens: &dyn Fn(&str) -> u32,
    target: PromptTarget,
) -> GroupedChange {
    let files = files_under_review(material);
    let Some(room) = room_for_changes(material, budget, count_tokens, target) else {
        return GroupedChange::default();
    };
    let costed: Vec<CostedFile<'_>> = files
        .iter()
        .filter(|file| !file.hunks.is_empty())
        .map(|file| CostedFile::of(file, count_tokens))
        .collect();
    let total = costed.iter().map(|file| file.tokens);
    let total = total.fold(0, u32::saturating_add);
    let mut grouped = GroupedChange::default();
    for capacity in capacities(room, total) {
        grouped = group_within(&costed, capacity, &material.context.links);
        if grouped.left.is_empty() {
            break;
        }
    }
    grouped
}

fn group_within(
    files: &[CostedFile<'_>],
    capacity: u32,
    links: &BTreeSet<(String, String)>,
) -> GroupedChange {
    let units: Vec<Unit> = files.iter().flat_map(|file| file.units(capacity)).collect();
    let mut clusters = Clusters::of(&units, capacity);
    clusters.join_tests(&units);
    clusters.join_links(&units, links);
    clusters.join_neighbours(&units, |path| Some(folder_of(path)));
    clusters.join_neighbours(&units, |path| path.split('/').next());
    clusters.join_neighbours(&units, |_| Some(""));
    number_parts(&units, clusters)
}

/// Tokens that one part may take for changed lines and what is around them; none where not even the rest fits.
fn room_for_changes(
    material: &Material,
    budget: u32,
    count_tokens: TokenCounter<'_>,
    target: PromptTarget,
) -> Option<u32> {
    let mut bare = material.clone();
    bare.part = Some(ReviewPart {
        number: 1,
        total: MAX_PARTS,
        files: Vec::new(),
        tokens: 0,
    });
    let bare = review_prompt(&bare, budget, count_tokens, target).ok()?;
    // What was said already gives way to changed lines.
    Some(budget.saturating_sub(bare.tokens).max(budget / 3))
}

/// What of that changed lines get: six tenths, and more where six parts would not hold the change otherwise.
fn capacities(room: u32, total: u32) -> [u32; 3] {
    let (usual, most) = (room / 10 * 6, room / 100 * 92);
    let parts = u32::try_from(MAX_PARTS).unwrap_or(u32::MAX);
    // Parts are never full: what belongs together has odd sizes.
    let needed = (total / parts).saturating_add(total / parts / 5);
    [usual, needed.clamp(usual, most), most].map(|capacity| capacity.max(1))
}

/// A file with what its changed lines cost, counted once.
struct CostedFile<'a> {
    file: &'a ChangedFile,
    hunks: Vec<(Hunk, u32)>,
    tokens: u32,
}

impl<'a> CostedFile<'a> {
    fn of(file: &'a ChangedFile, count_tokens: TokenCounter<'_>) -> Self {
        let costed = |hunk: Hunk| {
            let tokens = count_tokens(&hunk.render()).saturating_add(HUNK_OVERHEAD_TOKENS);
            (hunk, tokens)
        };
        let hunks: Vec<(Hunk, u32)> = file
            .hunks
            .iter()
            .flat_map(Hunk::split)
            .map(costed)
            .collect();
        let tokens = hunks.iter().map(|(_, tokens)| *tokens);
        Self {
            file,
            tokens: tokens.fold(FILE_OVERHEAD_TOKENS, u32::saturating_add),
            hunks,
        }
    }

    /// The file as it is, or in pieces where no part holds it.
    fn units(&self, capacity: u32) -> Vec<Unit> {
        if self.tokens <= capacity {
            return vec![Unit {
                file: self.file.clone(),
                tokens: self.tokens,
            }];
        }
        let mut units: Vec<Unit> = Vec::new();
        let room = capacity.saturating_sub(FILE_OVERHEAD_TOKENS).max(1);
        let hunks = self.hunks.iter();
        for (hunk, tokens) in hunks.flat_map(|(hunk, tokens)| pieces_of(hunk, *tokens, room)) {
            match units.last_mut() {
                Some(unit) if unit.tokens.saturating_add(tokens) <= capacity => {
                    unit.file.hunks.push(hunk);
                    unit.tokens += tokens;
                }
                _ => units.push(Unit {
                    tokens: tokens.saturating_add(FILE_OVERHEAD_TOKENS),
                    file: ChangedFile {
                        hunks: vec![hunk],
                        // Between these hunks lie others, so that nothing around them is shown as unchanged.
                        content_at_head: None,
                        content_at_base: None,
                        ..self.file.clone()
                    },
                }),
            }
        }
        units
    }
}

/// A hunk, or pieces of it that have room each. What a piece costs is told from its length.
fn pieces_of(hunk: &Hunk, tokens: u32, room: u32) -> Vec<(Hunk, u32)> {
    if tokens <= room {
        return vec![(hunk.clone(), tokens)];
    }
    let lines = u32::try_from(hunk.lines.len()).unwrap_or(u32::MAX).max(1);
    // Some lines are longer than others.
    let of_line = (tokens / lines).saturating_mul(5) / 4 + 1;
    let pieces = hunk.split_by((room / of_line) as usize).into_iter();
    let cost = |piece: &Hunk| {
        let lines = u32::try_from(piece.lines.len()).unwrap_or(u32::MAX);
        lines.saturating_mul(of_line)
    };
    pieces
        .map(|piece| (cost(&piece), piece))
        .map(|(cost, piece)| (piece, cost))
        .collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Which units are read together.
struct Clusters {
    /// The cluster of each unit, by the smallest unit in it.
    of_unit: Vec<usize>,
    tokens: BTreeMap<usize, u32>,
    capacity: u32,
}

impl Clusters {
    fn of(units: &[Unit], capacity: u32) -> Self {
        Self {
            of_unit: (0..units.len()).collect(),
            tokens: units.iter().map(|unit| unit.tokens).enumerate().collect(),
            capacity,
        }
    }

    /// Puts two units together, with all that are with them, where one reading holds them.
    fn join(&mut self, one: usize, other: usize) {
        let (a, b) = (self.of_unit[one], self.of_unit[other]);
        let (first, second) = (a.min(b), a.max(b));
        let size = |at: usize| self.tokens.get(&at).copied().unwrap_or_default();
        let both = size(first).saturating_add(size(second));
        if first == second || both > self.capacity {
            return;
        }
        self.tokens.remove(&second);
        self.tokens.insert(first, both);
        for cluster in self
            .of_unit
            .iter_mut()
            .filter(|cluster| **cluster == second)
        {
            *cluster = first;
        }
    }

    /// A test with what it tests: the file that it is named after, the nearest where there are several.
    fn join_tests(&mut self, units: &[Unit]) {
        for (at, test) in units.iter().enumerate() {
            let path = &test.file.path;
            if file_kind(path) != FileKind::Test {
                continue;
            }
            let subject = units.iter().enumerate().filter(|(_, other)| {
                file_kind(&other.file.path) == FileKind::Code
                    && stem_of(&other.file.path) == stem_of(path)
            });
            let shared = |other: &str| {
                path.split('/')
                    .zip(other.split('/'))
                    .take_while(|(a, b)| a == b)
                    .count()
            };
            if let Some((subject, _)) = subject.max_by_key(|(_, other)| shared(&other.file.path)) {
                self.join(at, subject);
            }
        }
    }

    /// A file with what it uses.
    fn join_links(&mut self, units: &[Unit], links: &BTreeSet<(String, String)>) {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, unit) in units.iter().enumerate() {
            places.entry(&unit.file.path).or_default().push(at);
        }
        for (user, used) in links {
            let place = |path: &String| places.get(path.as_str()).and_then(|all| all.first());
            if let (Some(user), Some(used)) = (place(user), place(used)) {
                self.join(*user, *used);
            }
        }
    }

    /// Neighbours in the order of the change that share what `key` says.
    fn join_neighbours(&mut self, units: &[Unit], key: impl Fn(&str) -> Option<&str>) {
        for at in 1..units.len() {
            let (before, here) = (key(&units[at - 1].file.path), key(&units[at].file.path));
            if before == here {
                self.join(at - 1, at);
            }
        }
        // What an earlier one had no room for may fit with a later one.
        let mut smallest: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (at, unit) in units.iter().enumerate() {
            smallest.entry(key(&unit.file.path)).or_default().push(at);
        }
        for places in smallest.values() {
            for (turn, one) in places.iter().enumerate() {
                for other in &places[turn + 1..] {
                    self.join(*one, *other);
                }
            }
        }
    }
}

/// The name that a test and what it tests share: `orders` of `test_orders.py`, `orders.spec.ts`, `OrdersTest.java`.
fn stem_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let stem = stem.strip_prefix("test_").unwrap_or(&stem);
    let ends = ["_tests", "_test", "_spec", "tests", "test", "spec"];
    let bare = ends.iter().find_map(|end| stem.strip_suffix(end));
    bare.filter(|bare| !bare.is_empty())
        .unwrap_or(stem)
        .to_owned()
}

/// Numbers the parts in the order of the change; of more than are read, those with code come first.
fn number_parts(units: &[Unit], clusters: Clusters) -> GroupedChange {
    let mut of_cluster: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (unit, cluster) in clusters.of_unit.iter().enumerate() {
        of_cluster.entry(*cluster).or_default().push(unit);
    }
    let mut parts: Vec<Vec<usize>> = of_cluster.into_values().collect();
    let importance = |part: &Vec<usize>| {
        let kinds = part.iter().map(|at| file_kind(&units[*at].file.path));
        kinds.map(kind_order).min().unwrap_or_default()
    };
    parts.sort_by_key(|part| (importance(part), part.first().copied()));
    let left = parts.split_off(parts.len().min(MAX_PARTS));
    parts.sort();
    let total = parts.len();
    let of_part = |(at, part): (usize, &Vec<usize>)| ReviewPart {
        number: at + 1,
        total,
        files: part.iter().map(|unit| units[*unit].file.clone()).collect(),
        tokens: part.iter().map(|unit| units[*unit].tokens).sum(),
    };
    let mut lacking: BTreeMap<String, u32> = BTreeMap::new();
    for unit in left.iter().flatten().map(|unit| &units[*unit]) {
        let tokens = lacking.entry(unit.file.path.clone()).or_default();
        *tokens = tokens.saturating_add(unit.tokens);
    }
    GroupedChange {
        parts: parts.iter().enumerate().map(of_part).collect(),
        left: lacking,
    }
}

fn kind_order(kind: FileKind) -> u8 {
    match kind {
        FileKind::Code => 0,
        FileKind::Test => 1,
        FileKind::Prose => 2,
        FileKind::Generated => 3,
    }
}

impl Material {
    /// What a reading of one part is given: its earlier findings are those about its files, the first part's also those about none of them.
    pub fn for_part(&self, part: &ReviewPart, all: &[ReviewPart]) -> Self {
        let own: BTreeSet<&Fingerprint> = self
            .earlier_findings()
            .map(|known| &known.fingerprint)
            .collect();
        let asked: BTreeSet<&Fingerprint> = self
            .earlier_findings_of_part(part, all)
            .map(|known| &known.fingerprint)
            .collect();
        let mut of_part = self.clone();
        of_part.tracked_findings.retain(|known| {
            let print = &known.fingerprint;
            !own.contains(print) || asked.contains(print)
        });
        of_part.part = Some(part.clone());
        of_part
    }

    /// The earlier findings that a reading of one part is asked about.
    pub fn earlier_findings_of_part(
        &self,
        part: &ReviewPart,
        all: &[ReviewPart],
    ) -> impl Iterator<Item = &TrackedFinding> {
        let holds = |part: &ReviewPart, path: &str| part.files.iter().any(|file| file.path == path);
        let first_with = move |path: &str| {
            let found = all.iter().find(|part| holds(part, path));
            found.map_or(1, |part| part.number)
        };
        let number = part.number;
        self.earlier_findings()
            .filter(move |known| first_with(&known.finding.file) == number)
    }
}
