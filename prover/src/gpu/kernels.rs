// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions of cuda/launch.h, line by line in its order; a test compares the two. What they
//! do, need and promise is said there.

use std::ffi::{c_char, c_void};

/// `cuzk_msm_plan`: opaque, held by the caller.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct MsmPlan {
    opaque: [u64; 16],
}

/// `cuzk_rows`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct StoredRows {
    pub(super) blocks: *const c_void,
    pub(super) words: *const c_void,
    pub(super) rows: u32,
    pub(super) copies: u32,
    pub(super) own_inputs: u32,
    pub(super) own_aux: u32,
    pub(super) input_stride: u32,
    pub(super) aux_stride: u32,
}

/// `CUZK_SUM_PARTS`: partial sums that one launch of a plain sum leaves.
pub(super) const SUM_PARTS: u32 = 16;
/// `CUZK_SUM_G1_PARTS_SIZE`: their bytes in G1.
pub(super) const SUM_G1_PARTS_SIZE: usize = SUM_PARTS as usize * 192;
/// `CUZK_SUM_G2_PARTS_SIZE`: their bytes in G2.
pub(super) const SUM_G2_PARTS_SIZE: usize = SUM_PARTS as usize * 384;

extern "C" {
    /// The runtime's words for an error code: a static string for any number.
    pub(super) fn cudaGetErrorString(code: i32) -> *const c_char;
}

// The mirror is whole, whether or not each function is called from here.
#[allow(dead_code)]
extern "C" {
    pub(super) fn cuzk_ntt_tables_size(log_n: u32) -> usize;
    pub(super) fn cuzk_launch_ntt_tables(
        stream: *mut c_void,
        log_n: u32,
        tables: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_ntt_to_reversed(
        stream: *mut c_void,
        tables: *const c_void,
        log_n: u32,
        data: *mut c_void,
        inverse: i32,
        coset: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_ntt_from_reversed(
        stream: *mut c_void,
        tables: *const c_void,
        log_n: u32,
        data: *mut c_void,
        inverse: i32,
        coset: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_ntt(
        stream: *mut c_void,
        tables: *const c_void,
        log_n: u32,
        r#in: *mut c_void,
        out: *mut c_void,
        inverse: i32,
        coset: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_quotient_begin(
        stream: *mut c_void,
        tables: *const c_void,
        log_n: u32,
        which: i32,
        values: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_quotient_end(
        stream: *mut c_void,
        tables: *const c_void,
        log_n: u32,
        a: *mut c_void,
        b: *const c_void,
        c: *const c_void,
        h: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_msm_make_plan(
        plan_out: *mut MsmPlan,
        g2: i32,
        n: u64,
        multiprocessors: i32,
        scratch_limit: usize,
    ) -> u64;
    pub(super) fn cuzk_msm_scratch_size(plan: *const MsmPlan) -> usize;
    pub(super) fn cuzk_msm_sums_size(plan: *const MsmPlan) -> usize;
    pub(super) fn cuzk_launch_msm_g1_add(
        stream: *mut c_void,
        plan: *const MsmPlan,
        scratch: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        scalars: *const c_void,
        sources: *const u32,
        n: u32,
        montgomery: i32,
        first: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_msm_g2_add(
        stream: *mut c_void,
        plan: *const MsmPlan,
        scratch: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        scalars: *const c_void,
        sources: *const u32,
        n: u32,
        montgomery: i32,
        first: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_msm_g1_finish(
        stream: *mut c_void,
        plan: *const MsmPlan,
        scratch: *mut c_void,
        sums: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_msm_g2_finish(
        stream: *mut c_void,
        plan: *const MsmPlan,
        scratch: *mut c_void,
        sums: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_msm_g1_combine(
        plan: *const MsmPlan,
        sums: *const c_void,
        point_out: *mut c_void,
    );
    pub(super) fn cuzk_msm_g2_combine(
        plan: *const MsmPlan,
        sums: *const c_void,
        point_out: *mut c_void,
    );
    pub(super) fn cuzk_sum_g1_scratch_size(n: u32, multiprocessors: i32) -> usize;
    pub(super) fn cuzk_sum_g2_scratch_size(n: u32, multiprocessors: i32) -> usize;
    pub(super) fn cuzk_launch_sum_g1(
        stream: *mut c_void,
        multiprocessors: i32,
        scratch: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        n: u32,
        parts: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_sum_g2(
        stream: *mut c_void,
        multiprocessors: i32,
        scratch: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        n: u32,
        parts: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_running_sum_g1_size(multiprocessors: i32) -> usize;
    pub(super) fn cuzk_running_sum_g2_size(multiprocessors: i32) -> usize;
    pub(super) fn cuzk_launch_running_sum_g1(
        stream: *mut c_void,
        multiprocessors: i32,
        state: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        n: u32,
        first: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_running_sum_g2(
        stream: *mut c_void,
        multiprocessors: i32,
        state: *mut c_void,
        points: *const c_void,
        indices: *const u32,
        n: u32,
        first: i32,
    ) -> i32;
    pub(super) fn cuzk_launch_running_sum_g1_end(
        stream: *mut c_void,
        multiprocessors: i32,
        state: *const c_void,
        parts: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_running_sum_g2_end(
        stream: *mut c_void,
        multiprocessors: i32,
        state: *const c_void,
        parts: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_sum_g1_combine(parts: *const c_void, n: u32, point_out: *mut c_void);
    pub(super) fn cuzk_sum_g2_combine(parts: *const c_void, n: u32, point_out: *mut c_void);
    pub(super) fn cuzk_launch_classify(
        stream: *mut c_void,
        assignment: *const c_void,
        n: u32,
        ones: *mut u32,
        full: *mut u32,
    ) -> i32;
    pub(super) fn cuzk_split_scratch_size(n: u32) -> usize;
    pub(super) fn cuzk_launch_split(
        stream: *mut c_void,
        scratch: *mut c_void,
        n: u32,
        ones: *const u32,
        full: *const u32,
        density: *const u32,
        first_point: u32,
        compact: i32,
        one_points: *mut u32,
        rest_points: *mut u32,
        rest_values: *mut u32,
        counts: *mut u32,
    ) -> i32;
    pub(super) fn cuzk_launch_collect(
        stream: *mut c_void,
        points: *const c_void,
        point_bytes: u32,
        indices: *const u32,
        scalars: *const c_void,
        sources: *const u32,
        n: u32,
        points_out: *mut c_void,
        scalars_out: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_evaluate(
        stream: *mut c_void,
        rows: *const StoredRows,
        coefficients: *const c_void,
        inputs: *const c_void,
        n_inputs: u32,
        values: *const c_void,
        ones: *const u32,
        full: *const u32,
        ranks: *const u32,
        out: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_decode_g1(
        stream: *mut c_void,
        points: *mut c_void,
        n: u32,
        first: u64,
        checks: u32,
        fault: *mut u64,
    ) -> i32;
    pub(super) fn cuzk_launch_decode_g2(
        stream: *mut c_void,
        points: *mut c_void,
        n: u32,
        first: u64,
        checks: u32,
        fault: *mut u64,
    ) -> i32;
    pub(super) fn cuzk_launch_encode_g1(stream: *mut c_void, points: *mut c_void, n: u32) -> i32;
    pub(super) fn cuzk_launch_encode_g2(stream: *mut c_void, points: *mut c_void, n: u32) -> i32;
    pub(super) fn cuzk_launch_subgroup_g1(
        stream: *mut c_void,
        points: *const c_void,
        n: u32,
        first: u64,
        fault: *mut u64,
    ) -> i32;
    pub(super) fn cuzk_launch_subgroup_g2(
        stream: *mut c_void,
        points: *const c_void,
        n: u32,
        first: u64,
        fault: *mut u64,
    ) -> i32;
    pub(super) fn cuzk_multiples_g1_table_size() -> usize;
    pub(super) fn cuzk_multiples_g2_table_size() -> usize;
    pub(super) fn cuzk_launch_multiples_g1_table(
        stream: *mut c_void,
        generator: *const c_void,
        table: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_multiples_g2_table(
        stream: *mut c_void,
        generator: *const c_void,
        table: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_multiples_g1(
        stream: *mut c_void,
        table: *const c_void,
        scalars: *const c_void,
        n: u32,
        points: *mut c_void,
    ) -> i32;
    pub(super) fn cuzk_launch_multiples_g2(
        stream: *mut c_void,
        table: *const c_void,
        scalars: *const c_void,
        n: u32,
        points: *mut c_void,
    ) -> i32;
}

#[cfg(test)]
mod tests {
    /// A prototype: name, parameters and result in Rust's words.
    type Prototype = (String, Vec<String>, String);

    fn collapse(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn rust_type(c: &str) -> &'static str {
        match collapse(&c.replace('*', " * ")).as_str() {
            "int" => "i32",
            "uint32_t" => "u32",
            "uint64_t" => "u64",
            "size_t" => "usize",
            "void" => "",
            "cuzk_stream" | "void *" => "*mut c_void",
            "const void *" => "*const c_void",
            "uint32_t *" => "*mut u32",
            "const uint32_t *" => "*const u32",
            "uint64_t *" => "*mut u64",
            "const uint64_t *" => "*const u64",
            "cuzk_msm_plan *" => "*mut MsmPlan",
            "const cuzk_msm_plan *" => "*const MsmPlan",
            "const cuzk_rows *" => "*const StoredRows",
            other => panic!("launch.h uses the type {other:?}"),
        }
    }

    /// The prototypes of the header, in its order.
    fn of_header(header: &str) -> Vec<Prototype> {
        let code: String = header
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .filter(|line| !line.starts_with('#'))
            .map(|line| format!("{line} "))
            .collect();
        let prototype = |statement: &str| {
            let (head, parameters) = statement.split_once('(')?;
            let (result, name) = head.rsplit_once(' ')?;
            let result = result.rsplit('{').next()?;
            let parameters = parameters.trim_end().strip_suffix(')')?.split(',');
            let parameters = parameters.filter(|parameter| *parameter != "void");
            let parameters = parameters.map(|parameter| {
                let at = parameter.rfind([' ', '*']).expect("a type and a name") + 1;
                let (c, name) = parameter.split_at(at);
                format!("{name}: {}", rust_type(c))
            });
            Some((name.into(), parameters.collect(), rust_type(result).into()))
        };
        code.split(';').filter_map(prototype).collect()
    }

    /// The functions of the last block above, in its order.
    fn of_mirror(source: &str) -> Vec<Prototype> {
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.rsplit("extern \"C\" {").next().unwrap_or_default();
        let prototype = |statement: &str| {
            let (_, function) = statement.split_once("fn ")?;
            let (name, rest) = function.split_once('(')?;
            let (parameters, result) = rest.rsplit_once(')')?;
            let parameters = parameters
                .split(',')
                .map(collapse)
                .filter(|p| !p.is_empty());
            let parameters = parameters.map(|p| p.trim_start_matches("r#").to_owned());
            let result = collapse(result.trim().trim_start_matches("->"));
            Some((name.into(), parameters.collect(), result))
        };
        code.split(';').filter_map(prototype).collect()
    }

    #[test]
    fn the_mirror_says_what_the_header_says() {
        let header = of_header(include_str!("../../../cuda/launch.h"));
        let mirror = of_mirror(include_str!("kernels.rs"));
        assert!(header.len() > 20, "{} prototypes found", header.len());
        for (header, mirror) in header.iter().zip(&mirror) {
            assert_eq!(header, mirror);
        }
        assert_eq!(header.len(), mirror.len());
    }

    #[test]
    fn the_mirror_has_the_headers_constants() {
        let header = include_str!("../../../cuda/launch.h");
        for line in [
            "#define CUZK_MSM_PLAN_SIZE 128",
            "#define CUZK_SUM_PARTS 16",
            "#define CUZK_SUM_G1_PARTS_SIZE (CUZK_SUM_PARTS * 192)",
            "#define CUZK_SUM_G2_PARTS_SIZE (CUZK_SUM_PARTS * 384)",
        ] {
            assert!(
                header.lines().any(|present| present.trim() == line),
                "{line}"
            );
        }
        assert_eq!(size_of::<super::MsmPlan>(), 128);
    }
}
