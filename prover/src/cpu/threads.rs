// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that leave the process's signals alone.

use std::mem::MaybeUninit;

/// Runs `start` with every asynchronous signal blocked on this thread. Threads started within
/// inherit the mask, so the handlers of the program never run on them.
pub fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    let _mask = BlockedSignals::new();
    start()
}

/// Restores the thread's mask when dropped.
struct BlockedSignals(Option<libc::sigset_t>);

impl BlockedSignals {
    fn new() -> Self {
        // Faults of the thread's own instructions must reach it.
        let synchronous = [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGABRT,
            libc::SIGSYS,
        ];
        let mut blocked = MaybeUninit::<libc::sigset_t>::uninit();
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: sigfillset initialises the set that the calls after it change and read;
        // pthread_sigmask writes the former mask when it succeeds, and only then it is read.
        unsafe {
            libc::sigfillset(blocked.as_mut_ptr());
            for signal in synchronous {
                libc::sigdelset(blocked.as_mut_ptr(), signal);
            }
            let code =
                libc::pthread_sigmask(libc::SIG_BLOCK, blocked.as_ptr(), before.as_mut_ptr());
            Self((code == 0).then(|| before.assume_init()))
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // SAFETY: sets this thread's mask to the one it had, which is a valid set.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocked signals of the calling thread, as the kernel shows them.
    fn blocked() -> u64 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("SigBlk:"))
            .unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    }

    #[test]
    fn threads_started_within_block_signals_and_the_starter_does_not() {
        let before = blocked();
        let inside = with_signals_blocked(|| std::thread::spawn(blocked).join().unwrap());
        let bit = |signal: i32| 1u64 << (signal - 1);
        for signal in [
            libc::SIGINT,
            libc::SIGTERM,
            libc::SIGPROF,
            libc::SIGURG,
            libc::SIGCHLD,
        ] {
            assert_ne!(inside & bit(signal), 0, "signal {signal}");
        }
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT] {
            assert_eq!(inside & bit(signal), 0, "signal {signal}");
        }
        assert_eq!(blocked(), before);
    }
}
