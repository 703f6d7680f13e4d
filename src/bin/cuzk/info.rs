// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cuzk info`.

use std::path::Path;

use cuzk::ffi::version::build_info;
use cuzk::filecoin::params::{aggregation_file, published_digest, ParameterFiles};
use cuzk::filecoin::{porep, SectorSize};
use cuzk::Result;
use cuzk_prover::device::devices;
use cuzk_prover::schedule::ContextInfo;
use serde_json::{json, Value};

use crate::args::InfoArgs;
use crate::report::{self, bytes, list};
use crate::Outcome;

pub fn run(args: &InfoArgs) -> Result<Outcome> {
    let context = args.context.open()?.info()?;
    let parameters = parameters(&context.parameter_folder)?;
    if args.json {
        report::print_json(&json!({
            "build": build_info(),
            "devices": devices_json(),
            "context": context_json(&context),
            "parameters": parameters,
            "aggregation": file(&aggregation_file(&context.parameter_folder)),
        }))?;
    } else {
        report::print(text(&context, &parameters).trim_end())?;
    }
    Ok(Outcome::Done)
}

fn devices_json() -> Value {
    let devices = devices();
    let list: Vec<Value> = devices
        .list
        .iter()
        .map(|device| {
            json!({
                "ordinal": device.ordinal,
                "uuid": device.uuid,
                "name": device.name,
                "compute_capability": [device.compute_capability.0, device.compute_capability.1],
                "total_bytes": device.total_bytes,
                "free_bytes": device.free_bytes,
                "refusal": device.refusal,
            })
        })
        .collect();
    json!({ "list": list, "none_because": devices.none_because })
}

fn context_json(context: &ContextInfo) -> Value {
    json!({
        "backend": context.backends.join(", "),
        "reason": context.reason,
        "threads": context.threads,
        "host_budget_bytes": context.budget.host,
        "host_budget_source": context.host_budget_source,
        "parameter_folder": context.parameter_folder.display().to_string(),
        "self_verification": context.self_verification,
    })
}

/// A file with its bytes or null.
fn file(path: &Path) -> Value {
    json!({
        "path": path.display().to_string(),
        "bytes": std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        "published_digest": published_digest(path),
    })
}

/// For each sector size the files that its proofs need, with their bytes or null.
fn parameters(folder: &Path) -> Result<Vec<Value>> {
    SectorSize::ALL
        .into_iter()
        .map(|size| {
            let files = ParameterFiles::new(folder, size)?;
            Ok(json!({
                "sector_size": size.name(),
                "params": file(&files.params),
                "verifying_key": file(&files.verifying_key),
                "saved_circuit_bytes": porep::saved(size).len(),
            }))
        })
        .collect()
}

fn text(context: &ContextInfo, parameters: &[Value]) -> String {
    let build = build_info();
    let word = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    let mut rows = vec![
        ("version".to_owned(), word(&build["version"])),
        ("target".to_owned(), word(&build["target"])),
        ("compiler".to_owned(), word(&build["compiler"])),
        ("proves on".to_owned(), context.backends.join(", ")),
        ("because".to_owned(), context.reason.clone()),
        ("threads".to_owned(), context.threads.to_string()),
        (
            "host memory".to_owned(),
            format!(
                "at most {}, {}",
                bytes(context.budget.host),
                context.host_budget_source
            ),
        ),
    ];
    let devices = devices();
    for device in &devices.list {
        let state = match &device.refusal {
            None => format!("{} free", bytes(device.free_bytes)),
            Some(reason) => format!("not used: {reason}"),
        };
        rows.push((
            format!("GPU {}", device.ordinal),
            format!("{} ({}), {state}", device.name, device.uuid),
        ));
    }
    if let Some(reason) = &devices.none_because {
        rows.push(("GPUs".to_owned(), format!("none: {reason}")));
    }
    rows.push((
        "parameters".to_owned(),
        context.parameter_folder.display().to_string(),
    ));
    let state = |file: &Value| match file["bytes"].as_u64() {
        Some(count) => bytes(count),
        None => "missing".to_owned(),
    };
    for size in parameters {
        rows.push((
            format!("  {}", word(&size["sector_size"])),
            format!(
                "params {}, verifying key {}, circuit built in ({})",
                state(&size["params"]),
                state(&size["verifying_key"]),
                bytes(size["saved_circuit_bytes"].as_u64().unwrap_or(0))
            ),
        ));
    }
    rows.push((
        "  aggregation".to_owned(),
        state(&file(&aggregation_file(&context.parameter_folder))),
    ));
    list(&rows)
}
