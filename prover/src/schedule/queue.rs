// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose turn it is on a device.
//!
//! Each device is a lane, and one partition at a time has it, or as many as the device overlaps.
//! Who waits longest at the highest priority goes next; between partitions the lane is given up,
//! so more urgent work overtakes there and nothing is ever interrupted. Partitions of one request
//! keep its place, also for the moment between the end of one and the start of the next: nobody
//! behind slips in.

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
    /// The only lane that will do, if there is one; numbers differ, so it orders nothing.
    lane: Option<usize>,
}

pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free_lanes: Vec<usize>,
    /// Those in line, and whether they wait already or are expected back; a number keeps the
    /// partitions of one place apart.
    line: BTreeMap<Waiter, Presence>,
    next_place: u64,
    next_waiter: u64,
}

type Waiter = (Place, u64);

#[derive(Clone, Copy, PartialEq)]
enum Presence {
    Waits,
    /// Will be back at once for the next partition of its request.
    Expected,
}

/// A request in line, for one partition after the other.
pub(super) struct Seat<'q> {
    queue: &'q Queue,
    place: Place,
    /// Its entry in the line while it is expected back.
    kept: Option<Waiter>,
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
                line: BTreeMap::new(),
                next_place: 0,
                next_waiter: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The place behind all of the same priority.
    pub(super) fn place(&self, priority: Priority) -> Place {
        self.place_on(None, priority)
    }

    /// The same, for work that one lane alone may do, if one is named.
    pub(super) fn place_on(&self, lane: Option<usize>, priority: Priority) -> Place {
        let mut state = self.lock();
        state.next_place += 1;
        Place {
            priority: std::cmp::Reverse(priority),
            number: state.next_place,
            lane,
        }
    }

    /// A seat at a place of this queue.
    pub(super) fn seat(&self, place: Place) -> Seat<'_> {
        Seat {
            queue: self,
            place,
            kept: None,
        }
    }

    /// How many wait for a lane.
    pub(super) fn waiting(&self) -> usize {
        let state = self.lock();
        let waits = |presence: &&Presence| **presence == Presence::Waits;
        state.line.values().filter(waits).count()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Which of the free lanes is for `waiter`, by its index, when everybody before it who can
    /// has one too.
    fn reaches(&self, waiter: &Waiter) -> Option<usize> {
        let mut free: Vec<usize> = (0..self.free_lanes.len()).collect();
        for first in self.line.keys() {
            let at = match first.0.lane {
                None => free.len().checked_sub(1),
                Some(lane) => free.iter().rposition(|at| self.free_lanes[*at] == lane),
            };
            let taken = at.map(|at| free.remove(at));
            if first == waiter {
                return taken;
            }
            if free.is_empty() {
                return None;
            }
        }
        None
    }
}

impl<'q> Seat<'q> {
    /// Waits for a lane; `Cancelled` when asked to end before.
    pub(super) fn enter(&mut self, cancel: &Cancel) -> Result<Turn<'q>> {
        let queue = self.queue;
        let mut state = queue.lock();
        let waiter = self.kept.take().unwrap_or_else(|| {
            state.next_waiter += 1;
            (self.place, state.next_waiter)
        });
        state.line.insert(waiter, Presence::Waits);
        loop {
            let outcome = match cancel.check() {
                Err(error) => Some(Err(error)),
                Ok(()) => state
                    .reaches(&waiter)
                    .map(|at| Ok(state.free_lanes.remove(at))),
            };
            if let Some(outcome) = outcome {
                state.line.remove(&waiter);
                drop(state);
                queue.changed.notify_all();
                return outcome.map(|lane| Turn { queue, lane });
            }
            let waited = queue.changed.wait_timeout(state, CANCEL_POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives the lane up, to come back at once: only who stands before this seat goes first.
    pub(super) fn leave_for_now(&mut self, turn: Turn<'q>) {
        let mut state = self.queue.lock();
        state.next_waiter += 1;
        let waiter = (self.place, state.next_waiter);
        state.line.insert(waiter, Presence::Expected);
        self.kept = Some(waiter);
        drop(state);
        drop(turn);
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        if let Some(waiter) = self.kept.take() {
            self.queue.lock().line.remove(&waiter);
            self.queue.changed.notify_all();
        }
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
        let busy = queue
            .seat(queue.place(Priority::Normal))
            .enter(&cancel)
            .unwrap();
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
                    let turn = queue.seat(place).enter(cancel).unwrap();
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
    fn work_for_one_lane_waits_for_that_lane_and_holds_nobody_else_up() {
        let queue = Queue::new((0..2).collect());
        let cancel = Cancel::default();
        let enter = |lane| {
            let place = queue.place_on(lane, Priority::Normal);
            queue.seat(place).enter(&cancel).unwrap()
        };
        let (first, second) = (enter(Some(1)), enter(None));
        assert_eq!((first.lane(), second.lane()), (1, 0));
        drop(second);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| enter(Some(1)).lane());
            wait_for(&queue, 1);
            // Who comes later may have the other lane meanwhile.
            assert_eq!(enter(None).lane(), 0);
            assert_eq!(enter(Some(0)).lane(), 0);
            drop(first);
            assert_eq!(waits.join().unwrap(), 1);
        });
    }

    #[test]
    fn a_request_s_later_partitions_keep_its_place() {
        let queue = Queue::new((0..1).collect());
        let cancel = Cancel::default();
        let early = queue.place(Priority::Normal);
        let late = queue.place(Priority::Normal);
        let busy = queue.seat(early).enter(&cancel).unwrap();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for (waiting, (name, place)) in
                [("late", late), ("early", early)].into_iter().enumerate()
            {
                let (queue, order, cancel) = (&queue, &order, &cancel);
                scope.spawn(move || {
                    let turn = queue.seat(place).enter(cancel).unwrap();
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
    fn nobody_behind_slips_in_between_two_partitions() {
        let queue = Queue::new((0..1).collect());
        let cancel = Cancel::default();
        let mut critical = queue.seat(queue.place(Priority::Critical));
        let turn = critical.enter(&cancel).unwrap();
        let order = Mutex::new(Vec::new());
        let high = queue.place(Priority::High);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let turn = queue.seat(high).enter(&cancel).unwrap();
                order.lock().unwrap().push("high");
                drop(turn);
            });
            wait_for(&queue, 1);
            critical.leave_for_now(turn);
            // Long enough for a waiter that would take the free lane.
            std::thread::sleep(4 * CANCEL_POLL);
            order.lock().unwrap().push("critical");
            let turn = critical.enter(&cancel).unwrap();
            critical.leave_for_now(turn);
            // A request that ends early holds nobody up.
            drop(critical);
        });
        assert_eq!(*order.lock().unwrap(), ["critical", "high"]);
        assert_eq!(queue.waiting(), 0);
    }

    #[test]
    fn who_is_expected_back_holds_up_one_lane_only() {
        let queue = Queue::new((0..2).collect());
        let cancel = Cancel::default();
        let mut first = queue.seat(queue.place(Priority::High));
        let turn = first.enter(&cancel).unwrap();
        first.leave_for_now(turn);
        let low = queue.place(Priority::Low);
        let other = queue.seat(low).enter(&cancel).unwrap();
        let again = first.enter(&cancel).unwrap();
        assert_ne!(other.lane(), again.lane());
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
                        let turn = queue.seat(place).enter(&Cancel::default()).unwrap();
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
        let busy = queue
            .seat(queue.place(Priority::Normal))
            .enter(&cancel)
            .unwrap();
        std::thread::scope(|scope| {
            let queue = &queue;
            let cancel = &cancel;
            let first = scope.spawn(move || {
                let place = queue.place(Priority::Critical);
                queue
                    .seat(place)
                    .enter(cancel)
                    .err()
                    .map(|error| error.kind())
            });
            wait_for(queue, 1);
            cancel.cancel();
            assert_eq!(first.join().unwrap(), Some(ErrorKind::Cancelled));
            assert_eq!(queue.waiting(), 0);
            drop(busy);
            let low = queue.place(Priority::Low);
            queue.seat(low).enter(&Cancel::default()).unwrap();
        });
    }
}
