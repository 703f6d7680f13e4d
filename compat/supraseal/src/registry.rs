// SPDX-License-Identifier: MIT OR Apache-2.0
//! Things that callers hold as an opaque pointer: it is a number and points nowhere, so that one
//! that was ended already, or never given out, is an error and no fault of memory.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values by number. Numbers are never given out twice.
pub(crate) struct Registry<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    last: usize,
    values: Option<HashMap<usize, T>>,
}

impl<T> Registry<T> {
    pub(crate) const fn new() -> Self {
        let (last, values) = (0, None);
        Self {
            state: Mutex::new(State { last, values }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a value; never null.
    pub(crate) fn keep(&self, value: T) -> *mut c_void {
        let mut state = self.lock();
        // Steps of a pointer's size, in case somebody looks at its alignment.
        state.last += size_of::<usize>();
        let number = state.last;
        state
            .values
            .get_or_insert_with(HashMap::new)
            .insert(number, value);
        std::ptr::without_provenance_mut(number)
    }

    /// Gives the value up.
    pub(crate) fn take(&self, handle: *mut c_void) -> Option<T> {
        self.lock().values.as_mut()?.remove(&handle.addr())
    }

    /// A copy of the value.
    pub(crate) fn get(&self, handle: *mut c_void) -> Option<T>
    where
        T: Clone,
    {
        self.lock().values.as_ref()?.get(&handle.addr()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_or_never_given_is_not_there() {
        let registry = Registry::new();
        assert_eq!(registry.take(std::ptr::null_mut()), None::<u8>);
        let (a, b) = (registry.keep(1), registry.keep(2));
        assert!(!a.is_null() && a != b);
        assert_eq!(registry.get(a), Some(1));
        assert_eq!(registry.take(a), Some(1));
        assert_eq!(registry.take(a), None);
        assert_eq!(registry.get(a), None);
        assert_ne!(registry.keep(3), a);
        assert_eq!(registry.take(b), Some(2));
        assert_eq!(registry.get(std::ptr::null_mut()), None);
    }
}
