//! What stateright cannot say: whether every wait has an end, and whether Collie works in circles.
//!
//! Its `eventually` overlooks cycles, and a loop that waits is one: it looks, and nothing has changed. So the search writes down which
//! situation leads to which, and two questions are asked of that graph once it is whole:
//!
//! 1. From each situation some way leads to where all loops are ready or over, by what happens by itself and what blockers ask people for
//!    alone: no fault, no chance. A situation without is a wait that nothing ends.
//! 2. No circle of such steps has work of Collie's in it: who works again and again at the same would never end.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy)]
struct Edge {
    from: u64,
    to: u64,
    works: bool,
}

#[derive(Default)]
struct Known {
    fair: Vec<Edge>,
    settled: HashSet<u64>,
    all: HashSet<u64>,
}

/// A situation, as far as the graph goes.
#[derive(Clone, Copy)]
pub struct Node {
    /// What it is known by.
    pub key: u64,
    /// Whether every loop is ready or over; or a promise was broken, which is told by that.
    pub is_end: bool,
}

/// A step.
#[derive(Clone, Copy)]
pub struct Step {
    /// It happens by itself sooner or later, or is what a blocker asks a person for.
    pub fair: bool,
    /// It is work of Collie's.
    pub works: bool,
}

/// Which situation leads to which.
#[derive(Default)]
pub struct Graph(Mutex<Known>);

/// What the graph shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Situations.
    pub situations: usize,
    /// Steps that happen by themselves.
    pub fair_steps: usize,
    /// A situation that nothing ends.
    pub stuck: Option<u64>,
    /// A situation that Collie's work comes back to.
    pub circle: Option<u64>,
}

impl Graph {
    /// Writes a step down.
    pub fn add(&self, from: Node, to: Node, step: Step) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for at in [from, to] {
            if known.all.insert(at.key) && at.is_end {
                known.settled.insert(at.key);
            }
        }
        if step.fair {
            known.fair.push(Edge {
                from: from.key,
                to: to.key,
                works: step.works,
            });
        }
    }

    /// Asks both questions.
    pub fn progress(&self) -> Progress {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: HashMap<u64, usize> = known
            .all
            .iter()
            .enumerate()
            .map(|(number, key)| (*key, number))
            .collect();
        let keys: Vec<u64> = known.all.iter().copied().collect();
        let edges: Vec<(usize, usize, bool)> = known
            .fair
            .iter()
            .map(|edge| (numbers[&edge.from], numbers[&edge.to], edge.works))
            .collect();
        let settled: Vec<usize> = known.settled.iter().map(|key| numbers[key]).collect();
        let reaches = reaching(keys.len(), &edges, &settled);
        let stuck = reaches.iter().position(|reaches| !reaches);
        let components = components(keys.len(), &edges);
        let circle = edges
            .iter()
            .find(|(from, to, works)| *works && components[*from] == components[*to]);
        Progress {
            situations: keys.len(),
            fair_steps: edges.len(),
            stuck: stuck.map(|number| keys[number]),
            circle: circle.map(|(from, ..)| keys[*from]),
        }
    }
}

fn neighbours(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); count];
    for (from, to) in edges {
        lists[from].push(to);
    }
    lists
}

/// From where some way leads to one of `goals`.
fn reaching(count: usize, edges: &[(usize, usize, bool)], goals: &[usize]) -> Vec<bool> {
    let before = neighbours(count, edges.iter().map(|(from, to, _)| (*to, *from)));
    let mut reaches = vec![false; count];
    let mut queue = goals.to_vec();
    while let Some(at) = queue.pop() {
        if !std::mem::replace(&mut reaches[at], true) {
            queue.extend(&before[at]);
        }
    }
    reaches
}

/// The strongly connected component of each (Kosaraju's, without recursion).
fn components(count: usize, edges: &[(usize, usize, bool)]) -> Vec<usize> {
    let after = neighbours(count, edges.iter().map(|(from, to, _)| (*from, *to)));
    let before = neighbours(count, edges.iter().map(|(from, to, _)| (*to, *from)));
    let mut seen = vec![false; count];
    let mut finished = Vec::with_capacity(count);
    for start in 0..count {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((at, next)) = path.pop() {
            match after[at].get(next) {
                Some(to) => {
                    path.push((at, next + 1));
                    if !std::mem::replace(&mut seen[*to], true) {
                        path.push((*to, 0));
                    }
                }
                None => finished.push(at),
            }
        }
    }
    let mut component = vec![usize::MAX; count];
    for start in finished.into_iter().rev() {
        let mut queue = vec![start];
        while let Some(at) = queue.pop() {
            if component[at] == usize::MAX {
                component[at] = start;
                queue.extend(&before[at]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::{components, reaching};

    #[test]
    fn what_leads_nowhere_is_found() {
        let edges = [(0, 1, false), (1, 0, false), (2, 1, false), (2, 3, false)];
        assert_eq!(reaching(4, &edges, &[3]), [false, false, true, true]);
    }

    #[test]
    fn a_circle_is_one_component() {
        let edges = [(0, 1, true), (1, 2, true), (2, 1, true), (2, 3, true)];
        let found = components(4, &edges);
        assert_eq!(found[1], found[2]);
        assert!(found[0] != found[1] && found[3] != found[1]);
    }
}
