// SPDX-License-Identifier: MIT OR Apache-2.0

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::*;

fn host(bytes: u64) -> Memory {
    Memory {
        host: bytes,
        device: 0,
    }
}

fn cache(limit: u64) -> Residents<&'static str> {
    Residents::new(host(limit), Log::off())
}

/// A need of the given size whose value is its key.
fn need(key: &'static str, bytes: u64) -> Need<'static, &'static str> {
    Need {
        key,
        name: format!("{key}.params"),
        memory: host(bytes),
        load: Box::new(move || Ok((Arc::new(key) as Value, host(bytes)))),
    }
}

fn lease<'r>(
    cache: &'r Residents<&'static str>,
    needs: Vec<Need<'_, &'static str>>,
    work: u64,
) -> Result<Lease<'r, &'static str>> {
    cache.lease(needs, host(work), "proving", &Cancel::default())
}

#[test]
fn the_least_recently_used_goes_first_and_the_limit_is_kept() {
    let cache = cache(100);
    for key in ["a", "b", "c"] {
        drop(lease(&cache, vec![need(key, 30)], 10).unwrap());
    }
    drop(lease(&cache, vec![need("a", 30)], 0).unwrap());
    drop(lease(&cache, vec![need("d", 30)], 0).unwrap());
    assert!(!cache.is_resident(&"b"));
    for key in ["a", "c", "d"] {
        assert!(cache.is_resident(&key), "{key}");
    }
    let (used, peak) = cache.used();
    assert_eq!(used, host(90));
    assert!(peak.host <= 100);
    let (residents, counts) = cache.report();
    let names: Vec<&str> = residents.iter().map(|info| info.name.as_str()).collect();
    assert_eq!(names, ["d.params", "a.params", "c.params"]);
    let expected = ResidentCounts {
        loads: 4,
        hits: 1,
        evictions: 1,
    };
    assert_eq!(counts, expected);
}

#[test]
fn a_limit_that_is_too_small_is_refused_with_the_sizes_before_anything_is_loaded() {
    let cache = cache(100);
    let never = Need {
        key: "a",
        name: "a.params".to_string(),
        memory: host(95),
        load: Box::new(|| panic!("loaded although it does not fit")),
    };
    let error = lease(&cache, vec![never], 6).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert_eq!(
        error.to_string(),
        "proving needs 101 bytes of host memory (a.params 95, work 6), the budget is 100 bytes"
    );
    let device = Need {
        memory: Memory { host: 1, device: 7 },
        ..need("b", 1)
    };
    let error = lease(&cache, vec![device], 0).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::OutOfDeviceMemory);
    assert!(
        error
            .to_string()
            .contains("7 bytes of device memory (b.params 7)"),
        "{error}"
    );
    assert_eq!(cache.used().0, host(0));
}

#[test]
fn two_threads_that_want_the_same_load_it_once() {
    let cache = cache(100);
    let loads = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let slow = Need {
                    load: Box::new(|| {
                        loads.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(50));
                        Ok((Arc::new("a") as Value, host(40)))
                    }),
                    ..need("a", 40)
                };
                let lease = lease(&cache, vec![slow], 5).unwrap();
                assert_eq!(lease.values()[0].downcast_ref::<&str>(), Some(&"a"));
            });
        }
    });
    assert_eq!(loads.load(Ordering::SeqCst), 1);
    assert_eq!(cache.used().0, host(40));
    assert!(cache.used().1.host <= 80);
}

#[test]
fn a_load_that_fails_or_panics_leaves_nothing_behind() {
    let cache = cache(100);
    let failing = Need {
        load: Box::new(|| Err(Error::new(ErrorKind::Io, "the disk is gone"))),
        ..need("a", 40)
    };
    let error = lease(&cache, vec![need("b", 20), failing], 5)
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    let panicking = Need {
        load: Box::new(|| panic!("x {}", 1)),
        ..need("a", 40)
    };
    let error = lease(&cache, vec![panicking], 5).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(error.to_string().ends_with("x 1"), "{error}");
    assert!(!cache.is_resident(&"a"));
    assert_eq!(cache.used().0, host(20));
    // The next one who asks loads it.
    assert!(lease(&cache, vec![need("a", 40)], 5).unwrap().loaded);
}

#[test]
fn a_need_after_a_failed_one_is_not_left_half_loaded() {
    let cache = cache(100);
    let failing = Need {
        load: Box::new(|| Err(Error::new(ErrorKind::Io, "the disk is gone"))),
        ..need("a", 40)
    };
    assert!(lease(&cache, vec![failing, need("b", 20)], 5).is_err());
    assert_eq!(cache.used().0, host(0));
    assert!(lease(&cache, vec![need("b", 20)], 5).unwrap().loaded);
}

#[test]
fn work_waits_for_memory_that_others_hold_and_then_goes_on() {
    let cache = cache(100);
    let held = lease(&cache, vec![need("a", 60)], 0).unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let cache = &cache;
        scope.spawn(move || {
            let lease = lease(cache, vec![need("b", 60)], 0).unwrap();
            sender.send(lease.loaded).unwrap();
        });
        let early = receiver.recv_timeout(Duration::from_millis(60));
        assert!(early.is_err(), "did not wait");
        drop(held);
        assert!(receiver.recv().unwrap());
    });
    assert!(!cache.is_resident(&"a"));
    assert!(cache.used().1.host <= 100);
}

#[test]
fn a_waiter_can_be_cancelled() {
    let cache = cache(100);
    let held = lease(&cache, vec![need("a", 60)], 0).unwrap();
    let cancel = Cancel::default();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let outcome = cache.lease(vec![need("b", 60)], host(0), "proving", &cancel);
            outcome.err().unwrap()
        });
        std::thread::sleep(Duration::from_millis(30));
        cancel.cancel();
        assert_eq!(waiter.join().unwrap().kind(), ErrorKind::Cancelled);
    });
    drop(held);
    assert_eq!(cache.used().0, host(60));
}

#[test]
fn evicting_takes_effect_when_the_last_lease_ends() {
    let cache = cache(100);
    let held = lease(&cache, vec![need("a", 60)], 5).unwrap();
    assert!(cache.evict(&"a"));
    assert!(cache.is_resident(&"a"));
    assert_eq!(held.values()[0].downcast_ref::<&str>(), Some(&"a"));
    drop(held);
    assert!(!cache.is_resident(&"a"));
    assert_eq!(cache.used().0, host(0));
    assert!(!cache.evict(&"a"));
    drop(lease(&cache, vec![need("a", 60)], 5).unwrap());
    assert!(cache.evict(&"a"));
    assert_eq!(cache.used().0, host(0));
}

#[test]
fn the_size_found_after_loading_replaces_the_estimate() {
    let cache = cache(100);
    let estimated = Need {
        load: Box::new(|| Ok((Arc::new(()) as Value, host(25)))),
        ..need("a", 50)
    };
    let lease = lease(&cache, vec![estimated], 10).unwrap();
    assert_eq!(cache.used(), (host(35), host(60)));
    drop(lease);
    assert_eq!(cache.used().0, host(25));
}

#[test]
fn many_threads_with_different_needs_never_exceed_the_limit_and_never_block() {
    let cache = cache(100);
    let keys = ["a", "b", "c", "d", "e", "f"];
    std::thread::scope(|scope| {
        for thread in 0..8usize {
            let cache = &cache;
            scope.spawn(move || {
                for round in 0..200usize {
                    let key = keys[(thread * 7 + round * 5) % keys.len()];
                    let other = keys[(thread * 7 + round * 5 + 1 + round % 3) % keys.len()];
                    let needs = vec![need(key, 20), need(other, 25)];
                    let lease = lease(cache, needs, 30).unwrap();
                    assert_eq!(lease.values()[0].downcast_ref::<&str>(), Some(&key));
                    assert_eq!(lease.values()[1].downcast_ref::<&str>(), Some(&other));
                    if round % 13 == 0 {
                        cache.evict(&key);
                    }
                }
            });
        }
    });
    let (used, peak) = cache.used();
    assert!(peak.host <= 100, "{peak:?}");
    let (residents, _) = cache.report();
    assert!(residents.iter().all(|resident| resident.in_use == 0));
    assert_eq!(used, residents.iter().map(|resident| resident.memory).sum());
}
