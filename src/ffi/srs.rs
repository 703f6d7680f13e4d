// SPDX-License-Identifier: MIT OR Apache-2.0
//! Handles of parameter files, reference-counted.

use std::ffi::c_char;
use std::mem::{offset_of, MaybeUninit};
use std::sync::Arc;

use cuzk_prover::cancel::Cancel;
use cuzk_prover::schedule::{Srs, SrsOptions};
use cuzk_prover::srs::{Checks, DIGEST_BYTES};
use cuzk_prover::{Error, ErrorKind, Result};

use super::arguments::{emptied, path, required, text};
use super::boundary::{boundary, ending};
use super::context::cuzk_context;
use super::options::out_of_range;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size::{self, Growing, Output};

/// An open parameter file: the structured reference string (SRS) of one
/// circuit. Handles are counted; a handle does not pin memory: what is in
/// memory is a cache of the context and comes back from the file.
pub struct cuzk_srs {
    pub(super) srs: Srs,
}

/// What is checked of a parameter file's points whenever it is loaded; each
/// level includes those before it. Sizes, counts and the verifying key are
/// always checked in full.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cuzk_srs_checks {
    /// CUZK_SRS_CHECKS_CURVE.
    Default = 0,
    /// Nothing more.
    None = 1,
    /// The encoding of each point.
    Structure = 2,
    /// That each point is on the curve: every damaged byte is noticed.
    Curve = 3,
    /// That each point is in the subgroup of prime order.
    Subgroup = 4,
}

/// How a parameter file is opened. Start it with CUZK_SRS_OPTIONS_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_srs_options {
    /// sizeof(cuzk_srs_options), as CUZK_SRS_OPTIONS_INIT sets it.
    pub struct_size: u32,
    /// A cuzk_srs_checks.
    pub checks: i32,
    /// The first 16 bytes of the file's BLAKE2b-512 as 32 hexadecimal digits,
    /// as Filecoin publishes them; null: not compared.
    pub digest: *const c_char,
}

/// The size of a circuit's parameters. Start it with CUZK_SRS_SHAPE_INIT.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cuzk_srs_shape {
    /// sizeof(cuzk_srs_shape), as CUZK_SRS_SHAPE_INIT sets it.
    pub struct_size: u32,
    /// 1 when the parameters are in memory now, else 0.
    pub resident: u32,
    /// Public inputs, the constant one included.
    pub inputs: u64,
    /// Points of the h query: one less than the domain.
    pub h: u64,
    /// Points of the l query: the auxiliary variables.
    pub l: u64,
    /// Points of the a query.
    pub a: u64,
    /// Points of the b query in G1.
    pub b_g1: u64,
    /// Points of the b query in G2.
    pub b_g2: u64,
    /// Host memory in bytes that they take when in memory.
    pub host_bytes: u64,
    /// Device memory in bytes that they take when in memory.
    pub device_bytes: u64,
}

// SAFETY: integers and a pointer, struct_size first.
unsafe impl Growing for cuzk_srs_options {
    const NAME: &'static str = "cuzk_srs_options";
    const FIRST_SIZE: usize = 16;
}

// SAFETY: integers only, struct_size first.
unsafe impl Growing for cuzk_srs_shape {
    const NAME: &'static str = "cuzk_srs_shape";
    const FIRST_SIZE: usize = 72;
}

const _: () = assert!(size_of::<cuzk_srs_options>() == 16);
const _: () = assert!(offset_of!(cuzk_srs_options, digest) == 8);
const _: () = assert!(size_of::<cuzk_srs_shape>() == 72);
const _: () = assert!(offset_of!(cuzk_srs_shape, inputs) == 8);
const _: () = assert!(offset_of!(cuzk_srs_shape, device_bytes) == 64);

impl cuzk_srs_options {
    /// The options as the prover takes them.
    ///
    /// # Safety
    /// `digest` is null or zero-terminated.
    unsafe fn to_options(self) -> Result<SrsOptions> {
        let checks = match self.checks {
            0 | 3 => Checks::Curve,
            1 => Checks::None,
            2 => Checks::Structure,
            4 => Checks::CurveAndSubgroup,
            other => return Err(out_of_range("options.checks", other, 4)),
        };
        // SAFETY: the caller's contract.
        let digest = unsafe { text(self.digest, "options.digest")? };
        Ok(SrsOptions {
            checks,
            digest: digest.map(digest_from_hex).transpose()?,
            ..SrsOptions::default()
        })
    }
}

fn digest_from_hex(hex: &str) -> Result<[u8; DIGEST_BYTES]> {
    let digits = 2 * DIGEST_BYTES;
    let mut digest = [0; DIGEST_BYTES];
    if hex.len() != digits || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("options.digest is \"{hex}\", {digits} hexadecimal digits are needed"),
        ));
    }
    for (byte, pair) in digest.iter_mut().zip(hex.as_bytes().chunks(2)) {
        let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
        *byte = value(pair[0]) << 4 | value(pair[1]);
    }
    Ok(digest)
}

/// Opens a parameter file, checks it and brings it into memory.
///
/// options is null or started with CUZK_SRS_OPTIONS_INIT. The file is read
/// into the library's own memory and never mapped.
///
/// Ownership: the handle is yours; end it with cuzk_srs_release(). It keeps
/// what it needs of the context.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for the
/// structure; CUZK_STATUS_PARAMETERS_NOT_FOUND without such a file;
/// CUZK_STATUS_IO when it cannot be read; CUZK_STATUS_INVALID_SRS naming
/// section, index and bytes of what is wrong; CUZK_STATUS_OUT_OF_MEMORY or
/// CUZK_STATUS_OUT_OF_DEVICE_MEMORY when the budget cannot hold it.
#[no_mangle]
pub unsafe extern "C" fn cuzk_srs_open(
    context: Option<&cuzk_context>,
    path: *const c_char,
    options: *const cuzk_srs_options,
    srs_out: Option<&mut MaybeUninit<*mut cuzk_srs>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    let srs_out = emptied(srs_out, std::ptr::null_mut());
    boundary(error_out, || {
        let srs_out = required(srs_out, "srs_out")?;
        let context = required(context, "context")?;
        // SAFETY: the header asks for zero-terminated text, and for null or a structure that
        // starts with its size.
        let (path, options) = unsafe {
            (
                required(self::path(path, "path")?, "path")?,
                struct_size::read(options, "options")?.to_options()?,
            )
        };
        let srs = context
            .context
            .open_srs(path, &options, &Cancel::default())?;
        srs_out.write(Arc::into_raw(Arc::new(cuzk_srs { srs })).cast_mut());
        Ok(())
    })
}

/// Counts one more owner of a handle, who ends with cuzk_srs_release().
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when srs is null.
#[no_mangle]
pub extern "C" fn cuzk_srs_retain(
    srs: Option<&cuzk_srs>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let srs = required(srs, "srs")?;
        // SAFETY: every handle comes from Arc::into_raw in cuzk_srs_open, and its owner, who
        // calls, holds a count.
        unsafe { Arc::increment_strong_count(std::ptr::from_ref(srs)) };
        Ok(())
    })
}

/// Ends one owner's use of a handle; null is accepted. The last one closes
/// the file; the parameters stay in memory until it is needed for others.
#[no_mangle]
pub unsafe extern "C" fn cuzk_srs_release(srs: *mut cuzk_srs) {
    ending(|| {
        if !srs.is_null() {
            // SAFETY: the handle comes from Arc::into_raw in cuzk_srs_open, and the caller gives
            // back a count of its own.
            drop(unsafe { Arc::from_raw(srs.cast_const()) });
        }
    });
}

/// Drops the parameters from memory: at once, or when the work that uses them
/// has ended. The handle stays good; the next use loads them again.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT when srs is null.
#[no_mangle]
pub extern "C" fn cuzk_srs_evict(
    srs: Option<&cuzk_srs>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || required(srs, "srs")?.srs.evict())
}

/// Describes the parameters: points in each query, memory, whether resident.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for the
/// structure.
#[no_mangle]
pub unsafe extern "C" fn cuzk_srs_info(
    srs: Option<&cuzk_srs>,
    shape_out: *mut cuzk_srs_shape,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let srs = &required(srs, "srs")?.srs;
        // SAFETY: the header asks for null or a structure that starts with its size.
        let shape_out = unsafe { Output::new(shape_out, "shape_out")? };
        let (shape, memory) = (srs.shape(), srs.memory());
        shape_out.write(&cuzk_srs_shape {
            struct_size: size_of::<cuzk_srs_shape>() as u32,
            resident: u32::from(srs.is_resident()?),
            inputs: shape.ic as u64,
            h: shape.h as u64,
            l: shape.l as u64,
            a: shape.a as u64,
            b_g1: shape.b_g1 as u64,
            b_g2: shape.b_g2 as u64,
            host_bytes: memory.host,
            device_bytes: memory.device,
        });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_32_hexadecimal_digits() {
        let digest = digest_from_hex("000102030405060708090a0b0c0d0eFf").unwrap();
        assert_eq!((digest[1], digest[10], digest[15]), (1, 10, 255));
        for bad in [
            "",
            "00",
            "000102030405060708090a0b0c0d0e0g",
            "é00102030405060708090a0b0c0d0e0",
        ] {
            let error = digest_from_hex(bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{bad}");
        }
    }
}
