// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is kept in memory between proofs, and how much memory all work may take together.
//!
//! Residents are parameters and compiled circuits. Work takes a [`Lease`] on those it needs,
//! together with the bytes that it will use beside them, all or nothing: whoever waits holds
//! nothing, so two waiters cannot block each other, and whoever holds a lease never asks for a
//! second. Residents without a lease stay until memory is needed, then the least recently used
//! goes first. What is missing is loaded once, by whoever asked first; others wait for it.

use std::any::Any;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::backend::Memory;
use crate::cancel::Cancel;
use crate::error::catch;
use crate::log::{Level, Log};
use crate::{Error, ErrorKind, Result};

/// How often waiters look whether they were cancelled.
pub(super) const CANCEL_POLL: Duration = Duration::from_millis(20);

/// A resident as its users see it.
pub(super) type Value = Arc<dyn Any + Send + Sync>;

/// Something that work needs resident.
pub(super) struct Need<'a, K> {
    /// What it is.
    pub(super) key: K,
    /// How messages call it.
    pub(super) name: String,
    /// Memory that it will take, as far as is known before it is loaded.
    pub(super) memory: Memory,
    /// Makes it, and says what memory it takes.
    pub(super) load: Box<dyn FnOnce() -> Result<(Value, Memory)> + 'a>,
}

/// A resident in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidentInfo {
    /// What it is: a parameter file's path, or a circuit's name.
    pub name: String,
    /// Memory that it takes.
    pub memory: Memory,
    /// Pieces of work that use it now.
    pub in_use: usize,
}

/// Counts since the context was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResidentCounts {
    /// Residents loaded.
    pub loads: u64,
    /// Times that a resident was there already.
    pub hits: u64,
    /// Residents dropped, for want of memory or when asked to.
    pub evictions: u64,
}

pub(super) struct Residents<K> {
    limit: Memory,
    log: Log,
    state: Mutex<State<K>>,
    changed: Condvar,
}

struct State<K> {
    used: Memory,
    peak: Memory,
    entries: HashMap<K, Entry>,
    clock: u64,
    counts: ResidentCounts,
}

struct Entry {
    name: String,
    memory: Memory,
    /// None while it is loaded.
    value: Option<Value>,
    leases: usize,
    last_used: u64,
    /// To be dropped with its last lease.
    evicted: bool,
}

/// Residents and bytes held for one piece of work; dropping it gives them back.
pub(super) struct Lease<'r, K: Eq + Hash + Clone> {
    residents: &'r Residents<K>,
    keys: Vec<K>,
    values: Vec<Value>,
    work: Memory,
    /// Whether something had to be loaded or waited for.
    pub(super) loaded: bool,
}

impl<K: Eq + Hash + Clone> Residents<K> {
    pub(super) fn new(limit: Memory, log: Log) -> Self {
        Self {
            limit,
            log,
            state: Mutex::new(State {
                used: Memory::default(),
                peak: Memory::default(),
                entries: HashMap::new(),
                clock: 0,
                counts: ResidentCounts::default(),
            }),
            changed: Condvar::new(),
        }
    }

    /// The most memory that residents and work may take.
    pub(super) fn limit(&self) -> Memory {
        self.limit
    }

    /// Memory taken now, and the most that was taken at one time.
    pub(super) fn used(&self) -> (Memory, Memory) {
        let state = self.lock();
        (state.used, state.peak)
    }

    /// Loads what is missing of `needs`, waits for memory where others hold it, and holds all of
    /// it with `work` bytes beside it. `purpose` begins the messages: "proving with x.params".
    ///
    /// Errors: `OutOfMemory` or `OutOfDeviceMemory` with the sizes when the limit is too small,
    /// before anything is loaded; `Cancelled`; what loading reports.
    pub(super) fn lease(
        &self,
        needs: Vec<Need<'_, K>>,
        work: Memory,
        purpose: &str,
        cancel: &Cancel,
    ) -> Result<Lease<'_, K>> {
        let missing = self.reserve(&needs, work, purpose, cancel)?;
        // From here on dropping the lease undoes the reservation, whatever happens.
        let mut lease = Lease {
            residents: self,
            keys: needs.iter().map(|need| need.key.clone()).collect(),
            values: Vec::with_capacity(needs.len()),
            work,
            loaded: missing.contains(&true),
        };
        for (need, missing) in needs.into_iter().zip(missing) {
            let value = match missing {
                true => self.load(need)?,
                false => {
                    let state = self.lock();
                    // A reserved entry that was not missing is ready and stays while leased.
                    let value = state
                        .entries
                        .get(&need.key)
                        .and_then(|entry| entry.value.clone());
                    value.ok_or_else(|| lost(&need.name))?
                }
            };
            lease.values.push(value);
        }
        Ok(lease)
    }

    /// Waits until all fits, marks every need as leased, and says which are missing.
    fn reserve(
        &self,
        needs: &[Need<'_, K>],
        work: Memory,
        purpose: &str,
        cancel: &Cancel,
    ) -> Result<Vec<bool>> {
        let mut state = self.lock();
        loop {
            cancel.check()?;
            let mut dropped = Vec::new();
            if let Some(missing) =
                state.try_reserve(needs, work, purpose, self.limit, &mut dropped)?
            {
                drop(state);
                self.give_back(dropped);
                return Ok(missing);
            }
            if !dropped.is_empty() {
                drop(state);
                self.give_back(dropped);
                state = self.lock();
                continue;
            }
            let waited = self.changed.wait_timeout(state, CANCEL_POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn load(&self, need: Need<'_, K>) -> Result<Value> {
        let loaded = catch(need.load);
        let mut state = self.lock();
        let State {
            used,
            peak,
            entries,
            counts,
            ..
        } = &mut *state;
        let entry = entries.get_mut(&need.key).ok_or_else(|| lost(&need.name))?;
        let (value, memory) = loaded?;
        *used = less(*used, entry.memory) + memory;
        *peak = most(*peak, *used);
        entry.memory = memory;
        entry.value = Some(value.clone());
        counts.loads += 1;
        self.changed.notify_all();
        Ok(value)
    }

    /// Drops a resident: now, or with its last lease. Says whether it was there.
    pub(super) fn evict(&self, key: &K) -> bool {
        let mut state = self.lock();
        let Some(entry) = state.entries.get_mut(key) else {
            return false;
        };
        entry.evicted = true;
        let dropped = state.drop_if_done(key);
        drop(state);
        self.give_back(dropped);
        self.changed.notify_all();
        true
    }

    /// Whether it is in memory.
    pub(super) fn is_resident(&self, key: &K) -> bool {
        let state = self.lock();
        state
            .entries
            .get(key)
            .is_some_and(|entry| entry.value.is_some())
    }

    /// What is in memory, the most recently used first, and the counts.
    pub(super) fn report(&self) -> (Vec<ResidentInfo>, ResidentCounts) {
        let state = self.lock();
        let mut entries: Vec<&Entry> = state.entries.values().collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
        let info = |entry: &&Entry| ResidentInfo {
            name: entry.name.clone(),
            memory: entry.memory,
            in_use: entry.leases,
        };
        (entries.iter().map(info).collect(), state.counts)
    }

    /// Drops residents that left the cache. What may be 47 GB takes a while, and logging calls
    /// the caller's code: neither happens under the lock.
    fn give_back(&self, dropped: impl IntoIterator<Item = Entry>) {
        for entry in dropped {
            if entry.value.is_some() {
                self.log.write(Level::Info, || {
                    let bytes = entry.memory.host + entry.memory.device;
                    format!("dropped {}: {bytes} bytes", entry.name)
                });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> State<K> {
    /// Reserves everything, or nothing and says nothing when others must give memory back or
    /// finish loading first. What was evicted on the way comes out for dropping.
    fn try_reserve(
        &mut self,
        needs: &[Need<'_, K>],
        work: Memory,
        purpose: &str,
        limit: Memory,
        dropped: &mut Vec<Entry>,
    ) -> Result<Option<Vec<bool>>> {
        let memory_of = |need: &Need<'_, K>| match self.entries.get(&need.key) {
            Some(entry) => entry.memory,
            None => need.memory,
        };
        let total: Memory = needs.iter().map(memory_of).sum::<Memory>() + work;
        if !fits(total, limit) {
            let parts = needs
                .iter()
                .map(|need| (need.name.as_str(), memory_of(need)));
            return Err(too_small(parts, work, total, limit, purpose));
        }
        let wait = needs.iter().any(|need| {
            let entry = self.entries.get(&need.key);
            entry.is_some_and(|entry| entry.value.is_none() || entry.evicted)
        });
        if wait {
            return Ok(None);
        }
        let missing: Vec<bool> = needs
            .iter()
            .map(|need| !self.entries.contains_key(&need.key))
            .collect();
        let new = needs.iter().zip(&missing);
        let new: Memory = new
            .filter(|(_, missing)| **missing)
            .map(|(need, _)| need.memory)
            .sum();
        let new = new + work;
        while !fits(self.used + new, limit) {
            let free = |(key, entry): &(&K, &Entry)| {
                entry.leases == 0 && needs.iter().all(|need| need.key != **key)
            };
            let oldest = self
                .entries
                .iter()
                .filter(free)
                .min_by_key(|(_, entry)| entry.last_used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return Ok(None);
            };
            dropped.extend(self.remove(&key));
        }
        self.used = self.used + new;
        self.peak = most(self.peak, self.used);
        self.clock += 1;
        for (need, missing) in needs.iter().zip(&missing) {
            let entry = self
                .entries
                .entry(need.key.clone())
                .or_insert_with(|| Entry {
                    name: need.name.clone(),
                    memory: need.memory,
                    value: None,
                    leases: 0,
                    last_used: 0,
                    evicted: false,
                });
            entry.leases += 1;
            entry.last_used = self.clock;
            self.counts.hits += u64::from(!missing);
        }
        Ok(Some(missing))
    }

    /// Removes an entry that nobody leases and that failed to load or was evicted.
    fn drop_if_done(&mut self, key: &K) -> Option<Entry> {
        let entry = self.entries.get(key)?;
        if entry.leases == 0 && (entry.evicted || entry.value.is_none()) {
            return self.remove(key);
        }
        None
    }

    fn remove(&mut self, key: &K) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.used = less(self.used, entry.memory);
        self.counts.evictions += u64::from(entry.value.is_some());
        Some(entry)
    }
}

impl<K: Eq + Hash + Clone> Lease<'_, K> {
    /// The residents in the order of the needs.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }
}

impl<K: Eq + Hash + Clone> Drop for Lease<'_, K> {
    fn drop(&mut self) {
        self.values.clear();
        let mut dropped = Vec::new();
        let mut state = self.residents.lock();
        state.used = less(state.used, self.work);
        for key in &self.keys {
            if let Some(entry) = state.entries.get_mut(key) {
                entry.leases -= 1;
            }
            dropped.extend(state.drop_if_done(key));
        }
        drop(state);
        self.residents.give_back(dropped);
        self.residents.changed.notify_all();
    }
}

fn fits(needed: Memory, limit: Memory) -> bool {
    needed.host <= limit.host && needed.device <= limit.device
}

fn less(a: Memory, b: Memory) -> Memory {
    Memory {
        host: a.host.saturating_sub(b.host),
        device: a.device.saturating_sub(b.device),
    }
}

fn most(a: Memory, b: Memory) -> Memory {
    Memory {
        host: a.host.max(b.host),
        device: a.device.max(b.device),
    }
}

fn lost(name: &str) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("{name} was dropped while it was leased"),
    )
}

/// The error of a limit that can never hold what is needed.
fn too_small<'n>(
    needs: impl Iterator<Item = (&'n str, Memory)>,
    work: Memory,
    total: Memory,
    limit: Memory,
    purpose: &str,
) -> Error {
    let (kind, place, of): (_, _, fn(&Memory) -> u64) = match total.host > limit.host {
        true => (ErrorKind::OutOfMemory, "host", |memory| memory.host),
        false => (ErrorKind::OutOfDeviceMemory, "device", |memory| {
            memory.device
        }),
    };
    let parts: Vec<String> = needs
        .chain([("work", work)])
        .filter(|(_, memory)| of(memory) > 0)
        .map(|(name, memory)| format!("{name} {}", of(&memory)))
        .collect();
    Error::new(
        kind,
        format!(
            "{purpose} needs {} bytes of {place} memory ({}), the budget is {} bytes",
            of(&total),
            parts.join(", "),
            of(&limit)
        ),
    )
}

#[cfg(test)]
mod tests;
