// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locks that callers make, one for each GPU: a proof holds the lock that it is given while it
//! uses the device. Without one the context's own queue decides.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::registry::Registry;
use crate::Error;

static MUTEXES: Registry<Arc<Mutex<()>>> = Registry::new();

/// Makes a lock; never null. It ends with [`destroy_gpu_mutex`].
pub fn create_gpu_mutex() -> *mut c_void {
    MUTEXES.keep(Arc::default())
}

/// Ends a lock: proofs that hold it finish. Null, and what is no lock, is left alone.
pub fn destroy_gpu_mutex(mutex: *mut c_void) {
    drop(MUTEXES.take(mutex));
}

/// A caller's lock, or none.
pub(crate) struct GpuMutex(Option<Arc<Mutex<()>>>);

impl GpuMutex {
    /// The lock of a pointer that a caller brought; null is none.
    pub(crate) fn of(pointer: *mut c_void) -> Result<Self, Error> {
        if pointer.is_null() {
            return Ok(Self(None));
        }
        match MUTEXES.get(pointer) {
            Some(mutex) => Ok(Self(Some(mutex))),
            None => Err(Error::invalid(
                "gpu_mtx is no lock that create_gpu_mutex made and destroy_gpu_mutex left",
            )),
        }
    }

    /// Waits for the lock and holds it.
    pub(crate) fn hold(&self) -> Option<MutexGuard<'_, ()>> {
        let mutex = self.0.as_ref()?;
        Some(mutex.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_may_end_meanwhile() {
        let pointer = create_gpu_mutex();
        let (one, other) = (
            GpuMutex::of(pointer).unwrap(),
            GpuMutex::of(pointer).unwrap(),
        );
        let held = one.hold();
        assert!(held.is_some());
        assert!(other.0.as_ref().unwrap().try_lock().is_err());
        destroy_gpu_mutex(pointer);
        drop(held);
        assert!(other.hold().is_some());
        assert!(GpuMutex::of(pointer).is_err());
        destroy_gpu_mutex(pointer);
        destroy_gpu_mutex(std::ptr::null_mut());
        assert!(GpuMutex::of(std::ptr::null_mut()).unwrap().hold().is_none());
    }
}
