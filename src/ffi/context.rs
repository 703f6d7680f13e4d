// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contexts: devices, budgets, threads and caches.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use cuzk_prover::backend::Memory;
use cuzk_prover::schedule::{Context, ContextInfo};
use serde_json::{json, Value};

use super::arguments::{emptied, required, TextOut};
use super::boundary::{boundary, ending, settle_in_process};
use super::options::cuzk_context_options;
use super::status::{cuzk_error, cuzk_status};
use super::struct_size;

/// What proofs are made with: devices, memory budgets, threads, and the
/// parameters and circuits that are in memory. Most programs need one.
pub struct cuzk_context {
    pub(super) context: Context,
}

/// A context made in Rust, for C code to use.
impl From<Context> for cuzk_context {
    fn from(context: Context) -> Self {
        settle_in_process();
        Self { context }
    }
}

/// Makes a context and starts its threads.
///
/// options is null or started with CUZK_CONTEXT_OPTIONS_INIT. The environment
/// is read now and never again; the introduction has the table.
///
/// Ownership: the context is yours; end it with cuzk_context_free().
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT for an option or a variable of the
/// environment that makes no sense, CUZK_STATUS_ABI_MISMATCH for the
/// structure, CUZK_STATUS_NO_DEVICE when a GPU was asked for and none can be
/// used, CUZK_STATUS_OUT_OF_MEMORY when threads cannot be started.
#[no_mangle]
pub unsafe extern "C" fn cuzk_context_new(
    options: *const cuzk_context_options,
    context_out: Option<&mut MaybeUninit<Option<Box<cuzk_context>>>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    let context_out = emptied(context_out, None);
    boundary(error_out, || {
        let context_out = required(context_out, "context_out")?;
        // SAFETY: the header asks for null or a structure that starts with its size, for texts
        // that end with a zero, and for a log function that lives as long as the context.
        let options = unsafe { struct_size::read(options, "options")?.to_options()? };
        settle_in_process();
        let context = Context::new(options)?;
        context_out.write(Some(Box::new(context.into())));
        Ok(())
    })
}

/// Ends a context; null is accepted.
///
/// Calls on the context must have returned. SRS handles may still be open:
/// they keep what they need, and its threads and memory go with the last.
#[no_mangle]
pub extern "C" fn cuzk_context_free(context: Option<Box<cuzk_context>>) {
    // In a forked child the threads to wait for are not there: what the handle owns is left.
    let context = std::mem::ManuallyDrop::new(context);
    ending(|| drop(std::mem::ManuallyDrop::into_inner(context)));
}

/// Writes what a context chose and why, its budgets, what is in memory and
/// its counters, as JSON, zero-terminated.
///
/// length_out is null or gets the length without the closing zero, also when
/// the text does not fit: call once with capacity 0 to learn it, and leave
/// some room, since the text changes.
///
/// Errors: CUZK_STATUS_INVALID_ARGUMENT, CUZK_STATUS_BUFFER_TOO_SMALL.
#[no_mangle]
pub unsafe extern "C" fn cuzk_context_info(
    context: Option<&cuzk_context>,
    json_out: *mut c_char,
    capacity: usize,
    length_out: Option<&mut MaybeUninit<usize>>,
    error_out: *mut cuzk_error,
) -> cuzk_status {
    boundary(error_out, || {
        let context = required(context, "context")?;
        // SAFETY: the header asks for a buffer of `capacity` bytes.
        let out = unsafe { TextOut::new(json_out, capacity, length_out, "json_out")? };
        out.write(&info_json(&context.context.info()?).to_string())
    })
}

/// A context's state as JSON.
pub fn info_json(info: &ContextInfo) -> Value {
    let memory = |memory: Memory| json!({"host_bytes": memory.host, "device_bytes": memory.device});
    let residents: Vec<Value> = info
        .residents
        .iter()
        .map(|resident| {
            json!({
                "name": resident.name,
                "memory": memory(resident.memory),
                "in_use": resident.in_use,
            })
        })
        .collect();
    json!({
        "backends": info.backends,
        "reason": info.reason,
        "threads": info.threads,
        "parameter_directory": info.parameter_folder.to_string_lossy(),
        "self_verification": info.self_verification,
        "budget": memory(info.budget),
        "host_budget_source": info.host_budget_source,
        "used": memory(info.used),
        "peak": memory(info.peak),
        "residents": residents,
        "loads": info.resident_counts.loads,
        "hits": info.resident_counts.hits,
        "evictions": info.resident_counts.evictions,
        "waiting": info.waiting,
        "proofs": info.proofs,
        "failures": info.failures,
        "self_check_retries": info.self_check_retries,
    })
}
