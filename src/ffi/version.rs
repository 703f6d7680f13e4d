// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which library this is: release, ABI number and how it was built.

use std::ffi::{c_char, CString};
use std::sync::OnceLock;

use cuzk_prover::gpu::BuildInfo;
use serde_json::json;

/// The ABI that this header describes: the number in the library's soname.
/// A program that loads the library at run time compares it with
/// cuzk_abi_version() before any other call.
pub const CUZK_ABI_VERSION: u32 = 1;
/// Major release number of this header.
pub const CUZK_VERSION_MAJOR: u32 = 0;
/// Minor release number of this header.
pub const CUZK_VERSION_MINOR: u32 = 1;
/// Patch release number of this header.
pub const CUZK_VERSION_PATCH: u32 = 0;

/// Returns the library's release, such as "0.1.0".
///
/// Ownership: the text belongs to the library and stays valid.
#[no_mangle]
pub extern "C" fn cuzk_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the library's ABI number; it must equal CUZK_ABI_VERSION.
#[no_mangle]
pub extern "C" fn cuzk_abi_version() -> u32 {
    CUZK_ABI_VERSION
}

/// Returns how the library was built, as JSON.
///
/// Members: "version", "abi_version", "target", "compiler", "backends" (array
/// of names) and "cuda": an object with "compiled" (boolean), "architectures"
/// (array of text), "toolkit" (text or null) and "driver_floor" (the oldest
/// driver release that serves, or null).
///
/// Ownership: the text belongs to the library and stays valid.
#[no_mangle]
pub extern "C" fn cuzk_build_info() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    TEXT.get_or_init(|| CString::new(build_info().to_string()).unwrap_or_default())
        .as_ptr()
}

/// How the library was built.
pub fn build_info() -> serde_json::Value {
    let cuda = BuildInfo::current();
    let compiled = cuda.toolkit.is_some();
    let architectures: Vec<String> = cuda
        .archs
        .iter()
        .map(|arch| format!("{}.{}", arch / 10, arch % 10))
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "abi_version": CUZK_ABI_VERSION,
        "target": env!("CUZK_TARGET"),
        "compiler": env!("CUZK_COMPILER"),
        "backends": if compiled { ["cpu", "cuda"].as_slice() } else { ["cpu"].as_slice() },
        "cuda": {
            "compiled": compiled,
            "architectures": architectures,
            "toolkit": cuda.toolkit,
            "driver_floor": cuda.driver_floor(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_with_or_without_device_code_says_so() {
        let info = build_info();
        let compiled = info["cuda"]["compiled"].as_bool().unwrap();
        let backends = info["backends"].as_array().unwrap();
        assert_eq!(backends[0], "cpu");
        assert_eq!(backends.contains(&json!("cuda")), compiled);
        assert_eq!(info["cuda"]["toolkit"].is_string(), compiled);
        assert_eq!(info["cuda"]["driver_floor"].is_u64(), compiled);
        let archs = info["cuda"]["architectures"].as_array().unwrap();
        assert_eq!(archs.is_empty(), !compiled);
        assert_eq!(info["abi_version"], CUZK_ABI_VERSION);
        assert!(info["compiler"]
            .as_str()
            .is_some_and(|text| text.starts_with("rustc ")));
    }
}
