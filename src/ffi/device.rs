// SPDX-License-Identifier: MIT OR Apache-2.0
//! The devices that a context would use.

use std::collections::BTreeSet;
use std::ffi::{c_char, CString};
use std::mem::{offset_of, MaybeUninit};
use std::sync::Mutex;

use cuzk_prover::device::{devices, Device};
use cuzk_prover::{Error, ErrorKind};

use super::arguments::{copy_text, required};
use super::boundary::boundary;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{Growing, Output};

/// A device, usable or not. Start it with CUZK_DEVICE_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_device {
    /// sizeof(cuzk_device), as CUZK_DEVICE_INIT sets it.
    pub struct_size: u32,
    /// The number by which a context's device list names it.
    pub ordinal: u32,
    /// Compute capability: the part before the point.
    pub compute_capability_major: u32,
    /// Compute capability: the part after the point.
    pub compute_capability_minor: u32,
    /// Memory of the device in bytes.
    pub total_bytes: u64,
    /// Memory that is free now, in bytes.
    pub free_bytes: u64,
    /// 1 when a context would use it, else 0.
    pub usable: u32,
    /// The name that stays with the card, such as "GPU-2c6e...".
    pub uuid: [c_char; 64],
    /// The product's name.
    pub name: [c_char; 128],
    /// Why it is not usable; empty when it is.
    pub reason: [c_char; 260],
}

// SAFETY: integers only, struct_size first.
unsafe impl Growing for cuzk_device {
    const NAME: &'static str = "cuzk_device";
    const FIRST_SIZE: usize = 488;
}

const _: () = assert!(size_of::<cuzk_device>() == 488);
const _: () = assert!(offset_of!(cuzk_device, total_bytes) == 16);
const _: () = assert!(offset_of!(cuzk_device, usable) == 32);
const _: () = assert!(offset_of!(cuzk_device, uuid) == 36);
const _: () = assert!(offset_of!(cuzk_device, name) == 100);
const _: () = assert!(offset_of!(cuzk_device, reason) == 228);

impl From<&Device> for cuzk_device {
    fn from(device: &Device) -> Self {
        let (major, minor) = device.compute_capability;
        Self {
            struct_size: size_of::<Self>() as u32,
            ordinal: device.ordinal,
            compute_capability_major: major,
            compute_capability_minor: minor,
            total_bytes: device.total_bytes,
            free_bytes: device.free_bytes,
            usable: u32::from(device.refusal.is_none()),
            uuid: copy_text(&device.uuid),
            name: copy_text(&device.name),
            reason: copy_text(device.refusal.as_deref().unwrap_or_default()),
        }
    }
}

/// Counts the devices of this machine, usable or not.
///
/// None is a normal answer: proofs are then made on the CPU. reason_out is
/// null or gets the reason when there is none, else null. These are exactly
/// the devices among which a context chooses.
///
/// Ownership: the text belongs to the library and stays valid.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when count_out is null.
#[no_mangle]
pub extern "C" fn cuzk_device_count(
    count_out: Option<&mut MaybeUninit<usize>>,
    reason_out: Option<&mut MaybeUninit<*const c_char>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let count_out = required(count_out, "count_out")?;
        let devices = devices();
        count_out.write(devices.list.len());
        if let Some(reason_out) = reason_out {
            let reason = devices.none_because.as_deref().map(lasting_text);
            reason_out.write(reason.unwrap_or(std::ptr::null()));
        }
        Ok(())
    })
}

/// Describes device number index, from 0 to cuzk_device_count() - 1.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when there is no such device or
/// device_out is null; CUZK_STATUS_ABI_MISMATCH when device_out has no size that
/// this library can serve.
#[no_mangle]
pub unsafe extern "C" fn cuzk_device_info(
    index: usize,
    device_out: *mut cuzk_device,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        // SAFETY: the header asks for null or a structure that starts with its size.
        let device_out = unsafe { Output::new(device_out, "device_out")? };
        let devices = devices();
        let device = devices.list.get(index).ok_or_else(|| {
            let count = devices.list.len();
            let reason = devices
                .none_because
                .as_ref()
                .map_or(String::new(), |text| format!(": {text}"));
            Error::new(
                ErrorKind::InvalidArgument,
                format!("device index {index} of {count} devices{reason}"),
            )
        })?;
        device_out.write(&device.into());
        Ok(())
    })
}

/// The text as C reads it, kept until the process ends; each text is kept once.
fn lasting_text(text: &str) -> *const c_char {
    static KEPT: Mutex<BTreeSet<CString>> = Mutex::new(BTreeSet::new());
    let text = CString::new(text).unwrap_or_default();
    let mut kept = KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    kept.insert(text.clone());
    // The heap block of a CString does not move with its owner, and nothing is ever removed.
    kept.get(&text)
        .map_or(std::ptr::null(), |text| text.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_text_is_kept_once() {
        let first = lasting_text("no such driver");
        for i in 0..100 {
            lasting_text(&format!("reason {i}"));
        }
        assert_eq!(lasting_text("no such driver"), first);
    }

    #[test]
    fn a_device_of_the_list_comes_out_with_its_reason() {
        let device = Device {
            ordinal: 3,
            uuid: "GPU-1".into(),
            name: "n".repeat(300),
            compute_capability: (6, 1),
            total_bytes: 8,
            free_bytes: 7,
            refusal: Some("compute capability 6.1, 7.0 needed".into()),
        };
        let info = cuzk_device::from(&device);
        assert_eq!((info.ordinal, info.usable, info.free_bytes), (3, 0, 7));
        assert_eq!(info.name[126], b'n' as c_char);
        assert_eq!(info.name[127], 0);
        assert_eq!(info.reason[33], b'd' as c_char);
        assert_eq!(info.reason[34], 0);
    }
}
