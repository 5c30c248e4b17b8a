//! Queries that carry many pull requests. One that GitHub cannot answer is split, down to the pull request that it is about (§3.2).

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::graphql;
use crate::node_conversion;
use crate::nodes::AccountNode;
use crate::queries;
use collie_core::ids::{LoopId, RepoName, Time};
use collie_core::snapshot::Actor;
use futures::stream::{self, StreamExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Queries on their way at once.
const MAX_CONCURRENT_QUERIES: usize = 4;
/// A smaller size, or a pull request that is asked for alone, is remembered for so long.
const MEMORY_MS: u64 = 15 * 60_000;
/// Connections that one query may come to, a hundred of which cost a point.
const MAX_WEIGHT: u64 = 2_000;

/// What was learnt about how much one form of query may carry.
#[derive(Default)]
pub(crate) struct BatchSizes {
    /// The most that GitHub could answer, and until when that counts.
    limit: Option<(usize, Time)>,
    /// Pull requests that GitHub cannot answer for, and until when they are asked for alone.
    alone: BTreeMap<LoopId, Time>,
}

/// One pull request in a query.
pub(crate) trait BatchItem {
    /// Which it is.
    fn id(&self) -> &LoopId;

    /// Where it is.
    fn repo(&self) -> &RepoName;

    /// Connections that it adds to a query, by GitHub's formula: those of the query, and for each the nodes around it.
    fn weight(&self) -> u64;
}

/// A form of query.
pub(crate) struct QueryForm<'a, I> {
    /// What was learnt about it.
    pub sizes: &'a Mutex<BatchSizes>,
    /// Writes the document that asks for these, with its variables.
    pub write: &'a (dyn Fn(&[&I]) -> (String, Value) + Send + Sync),
}

/// What GitHub says of one pull request.
pub(crate) struct BatchAnswer<T> {
    /// Its part of the answer.
    pub node: T,
    /// The account of the token, where it was asked for.
    pub viewer: Option<Actor>,
}

/// All queries of one reading. After a fault that concerns everything no further one is sent.
pub(crate) struct QueryRound<'a> {
    api: &'a ApiClient,
    batch_size: usize,
    progress: Mutex<RoundProgress>,
}

#[derive(Default)]
struct RoundProgress {
    given_up: Option<ApiFault>,
    /// GitHub has answered something, so that what it does not answer is too much, and no outage.
    answered: bool,
}

/// What the parts of a batch came to.
struct Parts<T> {
    answers: Vec<(usize, Result<BatchAnswer<T>, ApiFault>)>,
    /// The largest part that was answered after one that was not.
    largest_answered: Option<usize>,
    culprits: Vec<usize>,
}

impl<'a> QueryRound<'a> {
    /// A round of queries with at most `batch_size` pull requests each.
    pub fn new(api: &'a ApiClient, batch_size: usize) -> Self {
        Self {
            api,
            batch_size: batch_size.max(1),
            progress: Mutex::default(),
        }
    }

    /// The fault after which nothing more was asked.
    pub fn given_up(&self) -> Option<ApiFault> {
        lock(&self.progress).given_up.clone()
    }

    /// Asks for all of them; one answer each, in order.
    pub async fn ask<I: BatchItem + Sync, T: DeserializeOwned + Send>(
        &self,
        items: &[I],
        form: &QueryForm<'_, I>,
    ) -> Vec<Result<BatchAnswer<T>, ApiFault>> {
        let batches = self.batches(items, form.sizes);
        let asked = batches
            .into_iter()
            .map(|batch| self.ask_in_parts(items, batch, form));
        let parts: Vec<Parts<T>> = stream::iter(asked)
            .buffered(MAX_CONCURRENT_QUERIES)
            .collect()
            .await;
        let mut answers: BTreeMap<usize, _> = BTreeMap::new();
        for part in parts {
            answers.extend(part.answers);
        }
        answers.into_values().collect()
    }

    /// Divides what is asked for: those alone that GitHub could not answer for, the others up to the size and weight of a query.
    fn batches<I: BatchItem>(&self, items: &[I], sizes: &Mutex<BatchSizes>) -> Vec<Vec<usize>> {
        let now = self.api.clock.now();
        let mut sizes = lock(sizes);
        sizes.limit = sizes.limit.filter(|(_, until)| now < *until);
        sizes.alone.retain(|_, until| now < *until);
        let limit = sizes.limit.map_or(self.batch_size, |(limit, _)| limit);
        let (alone, mut together): (Vec<usize>, Vec<usize>) =
            (0..items.len()).partition(|at| sizes.alone.contains_key(items[*at].id()));
        // Where each repository has a token of its own, none answers for another.
        let apart = self.api.has_token_per_repository();
        if apart {
            together.sort_by_key(|at| items[*at].repo());
        }
        let mut batches: Vec<Vec<usize>> = Vec::new();
        let mut weight = 0;
        for at in together {
            let added = items[at].weight();
            match batches.last_mut() {
                Some(batch)
                    if batch.len() < limit
                        && weight + added <= MAX_WEIGHT
                        && !(apart && items[batch[0]].repo() != items[at].repo()) =>
                {
                    batch.push(at);
                    weight += added;
                }
                Some(_) | None => {
                    batches.push(vec![at]);
                    weight = added;
                }
            }
        }
        batches.extend(alone.into_iter().map(|at| vec![at]));
        batches
    }

    /// Asks for a batch, and for its halves where GitHub cannot answer.
    async fn ask_in_parts<I: BatchItem + Sync, T: DeserializeOwned + Send>(
        &self,
        items: &[I],
        batch: Vec<usize>,
        form: &QueryForm<'_, I>,
    ) -> Parts<T> {
        let whole = batch.len();
        let mut parts = Parts {
            answers: Vec::with_capacity(whole),
            largest_answered: None,
            culprits: Vec::new(),
        };
        let mut queue = vec![batch];
        while let Some(part) = queue.pop() {
            if let Some(fault) = self.given_up() {
                let unasked = part.into_iter().map(|at| (at, Err(fault.clone())));
                parts.answers.extend(unasked);
                continue;
            }
            match self.send(items, &part, form).await {
                Ok(answers) => queue.extend(parts.take(whole, &part, answers)),
                Err(fault @ ApiFault::GaveUp(_)) if !self.is_outage(&fault).await => {
                    queue.extend(parts.split(part, &fault));
                }
                Err(fault) => {
                    self.give_up_on(&fault);
                    let failed = part.into_iter().map(|at| (at, Err(fault.clone())));
                    parts.answers.extend(failed);
                }
            }
        }
        self.remember(items, form.sizes, &parts);
        parts
    }

    async fn send<I: BatchItem, T: DeserializeOwned>(
        &self,
        items: &[I],
        part: &[usize],
        form: &QueryForm<'_, I>,
    ) -> Result<Vec<Result<BatchAnswer<T>, ApiFault>>, ApiFault> {
        let asked: Vec<&I> = part.iter().map(|at| &items[*at]).collect();
        let (document, variables) = (form.write)(&asked);
        let mut response = graphql::send(self.api, &document, variables).await?;
        let viewer = response.take_field::<AccountNode>("viewer").ok();
        let viewer = viewer.as_ref().and_then(node_conversion::actor);
        lock(&self.progress).answered = true;
        let answers = (0..part.len()).map(|index| {
            let node = response.take_field(&format!("pull{index}"))?;
            let viewer = viewer.clone();
            Ok(BatchAnswer { node, viewer })
        });
        Ok(answers.collect())
    }

    /// Whether GitHub answers nothing at all. What it cannot answer is looked into only where it answers the least question.
    async fn is_outage(&self, fault: &ApiFault) -> bool {
        if lock(&self.progress).answered {
            return false;
        }
        match graphql::send(self.api, queries::VIEWER, json!({})).await {
            Ok(_) => {
                lock(&self.progress).answered = true;
                false
            }
            Err(_) => {
                lock(&self.progress)
                    .given_up
                    .get_or_insert_with(|| fault.clone());
                true
            }
        }
    }

    fn give_up_on(&self, fault: &ApiFault) {
        match fault {
            ApiFault::Unauthorized
            | ApiFault::Forbidden(_)
            | ApiFault::RateLimited(_)
            | ApiFault::Unreachable(_)
            | ApiFault::App(_)
            | ApiFault::BreakerOpen(_) => {
                lock(&self.progress)
                    .given_up
                    .get_or_insert_with(|| fault.clone());
            }
            ApiFault::NotFound(_)
            | ApiFault::Gone(_)
            | ApiFault::Refused(_)
            | ApiFault::UnknownField(_)
            | ApiFault::GaveUp(_)
            | ApiFault::InvalidResponse(_) => {}
        }
    }

    /// Keeps who is to blame; where nobody is by itself, how much was answered at once.
    fn remember<I: BatchItem, T>(&self, items: &[I], sizes: &Mutex<BatchSizes>, parts: &Parts<T>) {
        let until = self.api.clock.now().plus(MEMORY_MS);
        let mut sizes = lock(sizes);
        for at in &parts.culprits {
            sizes.alone.insert(items[*at].id().clone(), until);
        }
        if let (Some(largest), true) = (parts.largest_answered, parts.culprits.is_empty()) {
            let known = sizes.limit.map_or(largest, |(limit, _)| limit.min(largest));
            sizes.limit = Some((known, until));
        }
    }
}

impl<T> Parts<T> {
    /// Takes an answer in; gives back what is to be asked for once more, since GitHub left it out of a larger answer.
    fn take(
        &mut self,
        whole: usize,
        part: &[usize],
        answers: Vec<Result<BatchAnswer<T>, ApiFault>>,
    ) -> Vec<Vec<usize>> {
        let mut left_out = Vec::new();
        for (at, answer) in part.iter().zip(answers) {
            match answer {
                Err(ApiFault::GaveUp(_)) if part.len() > 1 => left_out.push(*at),
                Err(fault @ ApiFault::GaveUp(_)) => {
                    self.culprits.push(*at);
                    self.answers.push((*at, Err(fault)));
                }
                answer => self.answers.push((*at, answer)),
            }
        }
        let answered = part.len() - left_out.len();
        if answered > 0 && (part.len() < whole || !left_out.is_empty()) {
            self.largest_answered = self.largest_answered.max(Some(answered));
        }
        if left_out.len() < part.len() {
            return if left_out.is_empty() {
                Vec::new()
            } else {
                vec![left_out]
            };
        }
        halves(left_out)
    }

    /// Takes in that a part was not answered; gives back its halves.
    fn split(&mut self, part: Vec<usize>, fault: &ApiFault) -> Vec<Vec<usize>> {
        if let [at] = part.as_slice() {
            self.culprits.push(*at);
            self.answers.push((*at, Err(fault.clone())));
            return Vec::new();
        }
        halves(part)
    }
}

/// Two halves of a list of at least two.
fn halves(mut part: Vec<usize>) -> Vec<Vec<usize>> {
    let second = part.split_off(part.len() / 2);
    vec![part, second]
}
