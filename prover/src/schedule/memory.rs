// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much memory this process may use: the machine's, or less where a cgroup limits it.

use std::path::{Component, Path, PathBuf};

/// The memory that the process may use in bytes and what says so; nothing when the system does
/// not tell.
pub(super) fn available() -> Option<(u64, String)> {
    available_under(Path::new("/"))
}

/// As `available`, with the system's files looked up under `root`.
fn available_under(root: &Path) -> Option<(u64, String)> {
    let machine = machine_bytes(root).map(|bytes| (bytes, "the machine's memory".to_string()));
    // A limit of none is written as a number near 2^63 in version 1.
    let limits = cgroup_limits(root);
    machine
        .into_iter()
        .chain(limits)
        .min_by_key(|(bytes, _)| *bytes)
}

fn machine_bytes(root: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The limits of the process's memory cgroups and of the groups around them, of both versions.
fn cgroup_limits(root: &Path) -> Vec<(u64, String)> {
    let Ok(groups) = std::fs::read_to_string(root.join("proc/self/cgroup")) else {
        return Vec::new();
    };
    let mounts = std::fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(hierarchy), Some(controllers), Some(group)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let version_2 = hierarchy == "0" && controllers.is_empty();
        let version_1 = controllers
            .split(',')
            .any(|controller| controller == "memory");
        let file = match (version_2, version_1) {
            (true, _) => "memory.max",
            (false, true) => "memory.limit_in_bytes",
            (false, false) => continue,
        };
        let Some((mount_root, mount_point)) = mount(&mounts, version_2) else {
            continue;
        };
        // Inside a container the group's path may lie outside of what is mounted; then the
        // mount point is the group as far as anyone here can see.
        let below = Path::new(group)
            .strip_prefix(&mount_root)
            .unwrap_or(Path::new(""));
        let climbs = below.components().any(|part| part == Component::ParentDir);
        let below = if climbs { Path::new("") } else { below };
        for folder in below.ancestors() {
            let path = mount_point.join(folder).join(file);
            let inside = path.strip_prefix("/").unwrap_or(&path);
            let text = std::fs::read_to_string(root.join(inside)).unwrap_or_default();
            if let Ok(bytes) = text.trim().parse() {
                limits.push((bytes, format!("the cgroup limit in {}", path.display())));
            }
        }
    }
    limits
}

/// The root and the mount point of the cgroup file system of that version with memory limits.
fn mount(mountinfo: &str, version_2: bool) -> Option<(PathBuf, PathBuf)> {
    mountinfo.lines().find_map(|line| {
        let (head, tail) = line.split_once(" - ")?;
        let mut head = head.split(' ').skip(3);
        let (mount_root, mount_point) = (head.next()?, head.next()?);
        let mut tail = tail.split(' ');
        let kind = tail.next()?;
        let options = tail.nth(1)?;
        let memory = options.split(',').any(|option| option == "memory");
        let wanted = match version_2 {
            true => kind == "cgroup2",
            false => kind == "cgroup" && memory,
        };
        wanted.then(|| (PathBuf::from(mount_root), PathBuf::from(mount_point)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up system: files by path and contents.
    struct System(PathBuf);

    impl System {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let name = format!("cuzk-memory-{}-{name}", std::process::id());
            let root = std::env::temp_dir().join(name);
            for (path, contents) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, contents).unwrap();
            }
            Self(root)
        }

        fn available(&self) -> Option<(u64, String)> {
            available_under(&self.0)
        }
    }

    impl Drop for System {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal:       16000 kB\nMemFree: 1 kB\n");

    #[test]
    fn a_machine_without_limits_gives_its_memory() {
        let system = System::new("plain", &[MEMINFO]);
        let machine = (16_384_000, "the machine's memory".to_string());
        assert_eq!(system.available(), Some(machine));
        assert_eq!(System::new("nothing", &[]).available(), None);
    }

    #[test]
    fn the_least_limit_of_the_groups_around_counts_in_version_2() {
        let system = System::new(
            "v2",
            &[
                MEMINFO,
                ("proc/self/cgroup", "0::/a/b\n"),
                (
                    "proc/self/mountinfo",
                    "30 1 0:1 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
                ),
                ("sys/fs/cgroup/a/b/memory.max", "max\n"),
                ("sys/fs/cgroup/a/memory.max", "5000\n"),
                ("sys/fs/cgroup/memory.max", "9000\n"),
            ],
        );
        let (bytes, source) = system.available().unwrap();
        assert_eq!(bytes, 5000);
        assert_eq!(source, "the cgroup limit in /sys/fs/cgroup/a/memory.max");
    }

    #[test]
    fn a_container_sees_its_own_limit_at_the_mount_point() {
        let system = System::new(
            "container",
            &[
                MEMINFO,
                ("proc/self/cgroup", "4:memory:/docker/abc\n0::/\n"),
                (
                    "proc/self/mountinfo",
                    "30 1 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                     31 1 0:2 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
                ),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "7000\n"),
            ],
        );
        assert_eq!(system.available().unwrap().0, 7000);
    }

    #[test]
    fn version_1_without_a_limit_gives_the_machine_s_memory() {
        let system = System::new(
            "v1",
            &[
                MEMINFO,
                ("proc/self/cgroup", "4:cpu,memory:/x\n"),
                (
                    "proc/self/mountinfo",
                    "31 1 0:2 / /cg/memory rw - cgroup cgroup rw,cpu,memory\n",
                ),
                ("cg/memory/x/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        assert_eq!(system.available().unwrap().0, 16_384_000);
    }

    #[test]
    fn this_machine_says_how_much_memory_it_has() {
        let (bytes, source) = available().unwrap();
        assert!(bytes > 1 << 20, "{bytes} bytes from {source}");
    }
}
