// SPDX-License-Identifier: MIT OR Apache-2.0
//! The devices that a context would use: one list, for reports and for the choice alike.

use crate::gpu;

/// A device, usable or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The number by which a context's device list names it.
    pub ordinal: u32,
    /// The name that stays with the card, such as "GPU-2c6e...".
    pub uuid: String,
    /// The product's name.
    pub name: String,
    /// Major and minor compute capability.
    pub compute_capability: (u32, u32),
    /// Memory of the device in bytes.
    pub total_bytes: u64,
    /// Memory that is free now, in bytes.
    pub free_bytes: u64,
    /// Why it cannot be used; none when it can.
    pub refusal: Option<String>,
}

/// The devices of this machine. An empty list is a normal answer and comes with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices {
    /// Usable or not, by ordinal.
    pub list: Vec<Device>,
    /// Why the list is empty.
    pub none_because: Option<String>,
    /// Major and minor CUDA version that the driver supports, where one serves.
    pub driver: Option<(u32, u32)>,
}

/// Looks for devices, unless `BELLMAN_NO_GPU` forbids it. Loads the driver and starts it.
pub fn devices() -> Devices {
    let found = match gpu::forbidden_by_environment() {
        true => Err("BELLMAN_NO_GPU is set".to_owned()),
        false => gpu::devices().map_err(|error| error.message().to_owned()),
    };
    match found {
        Ok(list) => Devices {
            list,
            none_because: None,
            driver: gpu::driver_version(),
        },
        Err(reason) => Devices {
            list: Vec::new(),
            none_because: Some(reason),
            driver: None,
        },
    }
}
