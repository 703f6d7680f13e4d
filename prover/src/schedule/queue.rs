// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose turn it is on a device.
//!
//! Each device is a lane, and one partition at a time has it, or as many as the device overlaps. Who waits longest at the highest
//! priority goes next; between partitions the lane is given up, so more urgent work overtakes
//! there and nothing is ever interrupted. Partitions of one request keep its place.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::residents::CANCEL_POLL;
use crate::cancel::Cancel;
use crate::Result;

/// How urgent work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// When there is nothing else to do.
    Low,
    /// The usual.
    #[default]
    Normal,
    /// Before the usual.
    High,
    /// Before everything.
    Critical,
}

/// A request's place in the queue; its partitions share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    // The order of the fields is the order of the queue.
    priority: std::cmp::Reverse<Priority>,
    number: u64,
}

pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free_lanes: Vec<usize>,
    /// Waiters by place; a number keeps the partitions of one place apart.
    waiting: BTreeMap<(Place, u64), ()>,
    next_place: u64,
    next_waiter: u64,
}

/// A lane held; dropping it gives the lane to the next.
pub(super) struct Turn<'q> {
    queue: &'q Queue,
    lane: usize,
}

impl Queue {
    /// A queue for these lanes, the first of which is taken first. A lane named twice takes two
    /// partitions at a time.
    pub(super) fn new(lanes: Vec<usize>) -> Self {
        Self {
            state: Mutex::new(State {
                free_lanes: lanes.into_iter().rev().collect(),
                waiting: BTreeMap::new(),
                next_place: 0,
                next_waiter: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The place behind all of the same priority.
    pub(super) fn place(&self, priority: Priority) -> Place {
        let mut state = self.lock();
        state.next_place += 1;
        Place {
            priority: std::cmp::Reverse(priority),
            number: state.next_place,
        }
    }

    /// Waits for a lane; `Cancelled` when asked to end before.
    pub(super) fn enter(&self, place: Place, cancel: &Cancel) -> Result<Turn<'_>> {
        let mut state = self.lock();
        state.next_waiter += 1;
        let waiter = (place, state.next_waiter);
        state.waiting.insert(waiter, ());
        loop {
            if let Err(error) = cancel.check() {
                state.waiting.remove(&waiter);
                drop(state);
                self.changed.notify_all();
                return Err(error);
            }
            let first = state
                .waiting
                .first_key_value()
                .is_some_and(|(first, ())| *first == waiter);
            if first {
                if let Some(lane) = state.free_lanes.pop() {
                    state.waiting.remove(&waiter);
                    drop(state);
                    self.changed.notify_all();
                    return Ok(Turn { queue: self, lane });
                }
            }
            let waited = self.changed.wait_timeout(state, CANCEL_POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How many wait for a lane.
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Which lane it is.
    pub(super) fn lane(&self) -> usize {
        self.lane
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.queue.lock().free_lanes.push(self.lane);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use crate::ErrorKind;

    fn wait_for(queue: &Queue, waiting: usize) {
        while queue.waiting() != waiting {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn urgent_work_overtakes_and_equals_keep_their_order() {
        let queue = Queue::new((0..1).collect());
        let order = Mutex::new(Vec::new());
        let cancel = Cancel::default();
        let busy = queue.enter(queue.place(Priority::Normal), &cancel).unwrap();
        let arrivals = [
            ("low", Priority::Low),
            ("first", Priority::Normal),
            ("second", Priority::Normal),
            ("critical", Priority::Critical),
            ("high", Priority::High),
        ];
        std::thread::scope(|scope| {
            for (waiting, (name, priority)) in arrivals.into_iter().enumerate() {
                let (queue, order, cancel) = (&queue, &order, &cancel);
                let place = queue.place(priority);
                scope.spawn(move || {
                    let turn = queue.enter(place, cancel).unwrap();
                    order.lock().unwrap().push(name);
                    drop(turn);
                });
                wait_for(queue, waiting + 1);
            }
            drop(busy);
        });
        let expected = ["critical", "high", "first", "second", "low"];
        assert_eq!(*order.lock().unwrap(), expected);
    }

    #[test]
    fn a_request_s_later_partitions_keep_its_place() {
        let queue = Queue::new((0..1).collect());
        let cancel = Cancel::default();
        let early = queue.place(Priority::Normal);
        let late = queue.place(Priority::Normal);
        let busy = queue.enter(early, &cancel).unwrap();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (waiting, (name, place)) in
                [("late", late), ("early", early)].into_iter().enumerate()
            {
                let (queue, order, cancel) = (&queue, &order, &cancel);
                scope.spawn(move || {
                    let turn = queue.enter(place, cancel).unwrap();
                    order.lock().unwrap().push(name);
                    drop(turn);
                });
                wait_for(queue, waiting + 1);
            }
            drop(busy);
        });
        assert_eq!(*order.lock().unwrap(), ["early", "late"]);
    }

    #[test]
    fn each_lane_has_one_at_a_time() {
        let queue = Queue::new((0..3).collect());
        let busy: [AtomicUsize; 3] = Default::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let place = queue.place(Priority::Normal);
                        let turn = queue.enter(place, &Cancel::default()).unwrap();
                        assert_eq!(busy[turn.lane()].fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        busy[turn.lane()].fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(queue.waiting(), 0);
    }

    #[test]
    fn a_cancelled_waiter_leaves_and_lets_others_pass() {
        let queue = Queue::new((0..1).collect());
        let cancel = Cancel::default();
        let busy = queue.enter(queue.place(Priority::Normal), &cancel).unwrap();
        std::thread::scope(|scope| {
            let queue = &queue;
            let cancel = &cancel;
            let first = scope.spawn(move || {
                let place = queue.place(Priority::Critical);
                queue.enter(place, cancel).err().map(|error| error.kind())
            });
            wait_for(queue, 1);
            cancel.cancel();
            assert_eq!(first.join().unwrap(), Some(ErrorKind::Cancelled));
            assert_eq!(queue.waiting(), 0);
            drop(busy);
            queue
                .enter(queue.place(Priority::Low), &Cancel::default())
                .unwrap();
        });
    }
}
