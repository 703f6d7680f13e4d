// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this build can do on GPUs.

/// The toolkit and the architectures of the kernels in this build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildInfo {
    /// The CUDA toolkit that compiled the kernels, such as "13.0.88"; none in a build without.
    pub toolkit: Option<&'static str>,
    /// Architectures with machine code, as 10 * major + minor, ascending.
    pub archs: Vec<u32>,
}

impl BuildInfo {
    /// This build's.
    pub fn current() -> Self {
        let toolkit = env!("CUZK_CUDA_TOOLKIT");
        Self {
            toolkit: (!toolkit.is_empty()).then_some(toolkit),
            archs: env!("CUZK_CUDA_BUILT_ARCHS")
                .split(',')
                .filter_map(|arch| arch.parse().ok())
                .collect(),
        }
    }

    /// The oldest driver that runs the kernels, as NVIDIA numbers its release branches.
    pub fn driver_floor(&self) -> Option<u32> {
        self.toolkit_major().and_then(Self::driver_release)
    }

    pub(super) fn toolkit_major(&self) -> Option<u32> {
        self.toolkit?.split('.').next()?.parse().ok()
    }

    /// The first driver branch of a CUDA major version.
    pub(super) fn driver_release(major: u32) -> Option<u32> {
        match major {
            12 => Some(525),
            13 => Some(580),
            _ => None,
        }
    }

    /// Why the kernels do not run on a device of this compute capability, if they do not.
    ///
    /// Machine code runs on later minor versions of its major; the newest is there as PTX too,
    /// which the driver compiles for anything later.
    pub(super) fn fault(&self, (major, minor): (u32, u32)) -> Option<String> {
        let device = 10 * major + minor;
        let (Some(&oldest), Some(&newest)) = (self.archs.first(), self.archs.last()) else {
            return Some("this build has no CUDA kernels (built with CUZK_CUDA=0)".to_owned());
        };
        let name = |arch: u32| format!("{}.{}", arch / 10, arch % 10);
        if device < oldest {
            return Some(format!(
                "compute capability {}, need >= {}",
                name(device),
                name(oldest)
            ));
        }
        let native = self
            .archs
            .iter()
            .any(|&arch| arch / 10 == major && arch <= device);
        if native || device > newest {
            return None;
        }
        let archs: Vec<String> = self.archs.iter().map(|&arch| name(arch)).collect();
        Some(format!(
            "compute capability {}, this build has kernels for {}",
            name(device),
            archs.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_usable_with_machine_code_of_its_major_version_or_ptx() {
        let info = BuildInfo {
            toolkit: Some("13.0.88"),
            archs: vec![75, 80, 90],
        };
        assert_eq!(info.driver_floor(), Some(580));
        for usable in [(7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (12, 1)] {
            assert_eq!(info.fault(usable), None, "{usable:?}");
        }
        let pascal = info.fault((6, 1));
        assert_eq!(
            pascal.as_deref(),
            Some("compute capability 6.1, need >= 7.5")
        );
        let short = BuildInfo {
            archs: vec![75, 90],
            ..info
        };
        let ampere = short.fault((8, 0)).unwrap_or_default();
        assert_eq!(
            ampere,
            "compute capability 8.0, this build has kernels for 7.5, 9.0"
        );
    }

    #[test]
    fn a_build_without_kernels_says_so() {
        let info = BuildInfo {
            toolkit: None,
            archs: vec![],
        };
        assert_eq!(info.driver_floor(), None);
        assert!(info
            .fault((9, 0))
            .unwrap_or_default()
            .contains("CUZK_CUDA=0"));
    }
}
