// SPDX-License-Identifier: MIT OR Apache-2.0
//! The devices of this machine, and which of them can prove.

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute, CUresult};

use super::build_info::BuildInfo;
use super::driver;
use crate::device::Device;
use crate::{Error, ErrorKind, Result};

/// Which device is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceSelector {
    /// The driver's number.
    Ordinal(u32),
    /// The name that stays with the card, with or without "GPU-" in front, in either case.
    Uuid(String),
}

impl DeviceSelector {
    /// Reads a list of ordinals and UUIDs, separated by commas; blanks and empty places do not
    /// count.
    pub fn list(text: &str) -> Vec<Self> {
        let names = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        names
            .map(|name| match name.parse() {
                Ok(ordinal) => Self::Ordinal(ordinal),
                Err(_) => Self::Uuid(name.to_owned()),
            })
            .collect()
    }
}

/// The devices of this machine, usable or with the reason why not. The list can be empty; then
/// the error is `NoDevice` with the reason.
///
/// Loads the driver and starts it: the first CUDA call of a process is made here.
pub fn devices() -> Result<Vec<Device>> {
    let none = |reason: String| Error::new(ErrorKind::NoDevice, reason);
    driver::start().map_err(none)?;
    let mut count = 0;
    // SAFETY: writes one integer; the driver was started.
    match unsafe { sys::cuDeviceGetCount(&mut count) } {
        CUresult::CUDA_SUCCESS if count > 0 => {}
        CUresult::CUDA_SUCCESS => {
            return Err(none(
                "the NVIDIA driver is installed and finds no device".to_owned(),
            ))
        }
        code => return Err(none(format!("counting devices: {}", driver::words(code)))),
    }
    let info = BuildInfo::current();
    (0..count as u32)
        .map(|ordinal| describe(ordinal, &info))
        .collect()
}

/// The usable ones among the devices, or among those selected; each once, in order.
///
/// Errors: `NoDevice` when none is left, with each device's reason; `InvalidArgument` when a
/// selector names no device; `NoDevice` when a selected device cannot be used.
pub fn select(selectors: Option<&[DeviceSelector]>) -> Result<Vec<Device>> {
    let all = devices()?;
    let Some(selectors) = selectors else {
        let faults: Vec<String> = all
            .iter()
            .filter_map(|device| device.refusal.clone())
            .collect();
        let usable: Vec<Device> = all.into_iter().filter(|d| d.refusal.is_none()).collect();
        if usable.is_empty() {
            return Err(Error::new(ErrorKind::NoDevice, faults.join("; ")));
        }
        return Ok(usable);
    };
    let mut chosen: Vec<Device> = Vec::new();
    for selector in selectors {
        let found = all.iter().find(|device| match selector {
            DeviceSelector::Ordinal(ordinal) => device.ordinal == *ordinal,
            DeviceSelector::Uuid(uuid) => same_uuid(&device.uuid, uuid),
        });
        let device = found.ok_or_else(|| unknown(selector, all.len()))?;
        if let Some(fault) = &device.refusal {
            return Err(Error::new(ErrorKind::NoDevice, fault.clone()));
        }
        if chosen.iter().all(|other| other.uuid != device.uuid) {
            chosen.push(device.clone());
        }
    }
    if chosen.is_empty() {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            "the list of devices is empty",
        ));
    }
    Ok(chosen)
}

fn unknown(selector: &DeviceSelector, count: usize) -> Error {
    let text = match selector {
        DeviceSelector::Ordinal(ordinal) => {
            format!("device {ordinal} was asked for, there are {count} (counted from 0)")
        }
        DeviceSelector::Uuid(uuid) => {
            format!("device {uuid} was asked for, none of the {count} devices has this UUID")
        }
    };
    Error::new(ErrorKind::InvalidArgument, text)
}

fn describe(ordinal: u32, info: &BuildInfo) -> Result<Device> {
    let failed = |code: CUresult, what: &str| {
        let text = format!(
            "GPU {ordinal}: asking for its {what}: {}",
            driver::words(code)
        );
        Error::new(ErrorKind::NoDevice, text)
    };
    let handle = handle(ordinal)?;
    let mut name = [0 as std::ffi::c_char; 256];
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    let mut total = 0usize;
    // SAFETY: each call writes into the value given, within the length given.
    unsafe {
        check(sys::cuDeviceGetName(name.as_mut_ptr(), 256, handle))
            .map_err(|c| failed(c, "name"))?;
        check(sys::cuDeviceGetUuid_v2(&mut uuid, handle)).map_err(|c| failed(c, "UUID"))?;
        check(sys::cuDeviceTotalMem_v2(&mut total, handle)).map_err(|c| failed(c, "memory"))?;
    }
    let name: Vec<u8> = name
        .iter()
        .map(|c| *c as u8)
        .take_while(|c| *c != 0)
        .collect();
    use CUdevice_attribute as Attribute;
    let major = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
    let minor = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
    let ask = |what| attribute(handle, what).map_err(|code| failed(code, "compute capability"));
    let compute_capability = (ask(major)?, ask(minor)?);
    let fault = info.fault(compute_capability);
    let (free_bytes, fault) = match fault {
        Some(fault) => (0, Some(fault)),
        None => match free_bytes(handle) {
            Ok(free) => (free as u64, None),
            Err(code) => (0, Some(driver::words(code))),
        },
    };
    Ok(Device {
        ordinal,
        uuid: uuid_text(uuid.bytes.map(|byte| byte as u8)),
        name: String::from_utf8_lossy(&name).into_owned(),
        compute_capability,
        total_bytes: total as u64,
        free_bytes,
        refusal: fault.map(|fault| format!("GPU {ordinal}: {fault}")),
    })
}

/// The driver's handle of a device.
pub(super) fn handle(ordinal: u32) -> Result<CUdevice> {
    let mut handle = 0;
    // SAFETY: writes one integer; every caller started the driver.
    check(unsafe { sys::cuDeviceGet(&mut handle, ordinal as i32) }).map_err(|code| {
        Error::new(
            ErrorKind::NoDevice,
            format!("GPU {ordinal}: {}", driver::words(code)),
        )
    })?;
    Ok(handle)
}

/// Memory free on a device. Only a context can tell, so one is held for the moment.
fn free_bytes(device: CUdevice) -> std::result::Result<usize, CUresult> {
    let mut context = std::ptr::null_mut();
    let (mut free, mut total) = (0, 0);
    // SAFETY: the primary context is retained, made current, asked, and given back in order.
    unsafe {
        check(sys::cuDevicePrimaryCtxRetain(&mut context, device))?;
        let asked = check(sys::cuCtxPushCurrent_v2(context)).and_then(|()| {
            let asked = check(sys::cuMemGetInfo_v2(&mut free, &mut total));
            check(sys::cuCtxPopCurrent_v2(&mut context)).and(asked)
        });
        check(sys::cuDevicePrimaryCtxRelease_v2(device)).and(asked)?;
    }
    Ok(free)
}

/// A number that the driver tells of a device.
pub(super) fn attribute(
    device: CUdevice,
    what: CUdevice_attribute,
) -> std::result::Result<u32, CUresult> {
    let mut value = 0;
    // SAFETY: writes one integer.
    check(unsafe { sys::cuDeviceGetAttribute(&mut value, what, device) })?;
    Ok(value as u32)
}

fn check(code: CUresult) -> std::result::Result<(), CUresult> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(code),
    }
}

/// The form that nvidia-smi prints.
fn uuid_text(uuid: [u8; 16]) -> String {
    let mut text = "GPU".to_owned();
    for (i, byte) in uuid.iter().enumerate() {
        if [0, 4, 6, 8, 10].contains(&i) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

fn same_uuid(of_device: &str, asked: &str) -> bool {
    let digits = of_device.strip_prefix("GPU-").unwrap_or(of_device);
    let asked = asked.strip_prefix("GPU-").unwrap_or(asked);
    digits.eq_ignore_ascii_case(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_devices_mixes_ordinals_and_uuids() {
        let selectors = DeviceSelector::list("0, GPU-2c6e ,,12");
        let uuid = DeviceSelector::Uuid("GPU-2c6e".to_owned());
        let ordinal = DeviceSelector::Ordinal;
        assert_eq!(selectors, [ordinal(0), uuid, ordinal(12)]);
        assert_eq!(DeviceSelector::list(" "), []);
    }

    #[test]
    fn a_device_is_known_by_its_uuid_in_the_forms_people_write() {
        let text = uuid_text(std::array::from_fn(|i| 17 * i as u8));
        assert_eq!(text, "GPU-00112233-4455-6677-8899-aabbccddeeff");
        assert!(same_uuid(&text, &text));
        assert!(same_uuid(&text, "00112233-4455-6677-8899-AABBCCDDEEFF"));
        for other in [
            "",
            "GPU-",
            "GPU-00112233",
            "GPU-00112233-4455-6677-8899-aabbccddeefe",
        ] {
            assert!(!same_uuid(&text, other), "{other}");
        }
    }
}
