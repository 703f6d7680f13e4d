// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names that libcuzk and the libraries around it use too, with other contents.

use blst::{
    blst_p1, blst_p1_add_or_double, blst_p1_compress, blst_p1_generator, blst_p1_mult,
    blst_p1_on_curve,
};

/// supraseal-c2 has a function of this name that reads parameters. This one writes `n` times the
/// generator of G1, compressed to 48 bytes, and says whether adding comes to the same.
///
/// # Safety
/// `out` has room for 48 bytes.
#[no_mangle]
pub unsafe extern "C" fn create_SRS(out: *mut u8, n: u8) -> bool {
    let (mut product, mut sum) = (blst_p1::default(), blst_p1::default());
    let mut bytes = [0; 48];
    // SAFETY: every pointer is to a value of the right type on this stack, `out` as promised.
    unsafe {
        blst_p1_mult(&mut product, blst_p1_generator(), &n, 8);
        for _ in 0..n {
            let so_far = sum;
            blst_p1_add_or_double(&mut sum, &so_far, blst_p1_generator());
        }
        blst_p1_compress(bytes.as_mut_ptr(), &sum);
        blst_p1_compress(out, &product);
        blst_p1_on_curve(&product) && std::slice::from_raw_parts(out, 48) == bytes.as_slice()
    }
}

/// The address of this library's blst.
#[no_mangle]
pub extern "C" fn beside_blst() -> *const std::ffi::c_void {
    blst_p1_generator as *const std::ffi::c_void
}
