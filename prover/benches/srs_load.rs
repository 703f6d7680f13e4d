// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seconds to load a parameter file at each level of checks, and to digest it.
//!
//! `cargo bench -p cuzk-prover --bench srs_load [-- FILE]`; without a file, one of the size of the
//! 2 KiB PoRep's is made up (the same 65,536 points over and over) and removed afterwards.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use cuzk_prover::cancel::Cancel;
use cuzk_prover::curve::{G1Affine, G1Projective, G2Affine, G2Projective};
use cuzk_prover::srs::{Checks, HostSrs, ParameterFile};
use group::{Curve, Group};

/// Distinct points in the made-up file.
const BLOCK: usize = 1 << 16;

fn main() {
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let made_up = given.is_none();
    let path = given.map_or_else(make_up, PathBuf::from);
    measure(&path);
    if made_up {
        let _ = std::fs::remove_file(path);
    }
}

fn measure(path: &Path) {
    let cancel = Cancel::default();
    let file = ParameterFile::open(path).expect("a good parameter file");
    let bytes = file.identity().bytes;
    println!(
        "{}: {bytes} bytes, {} threads",
        path.display(),
        rayon::current_num_threads()
    );
    let report = |what: &str, work: &dyn Fn()| {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        work();
        let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        println!("{what:<18} {wall:6.2} s, {cpu:6.2} s of processors");
    };
    report("digest", &|| {
        let _ = file.digest(&cancel).expect("readable");
    });
    let levels = [
        Checks::None,
        Checks::Structure,
        Checks::Curve,
        Checks::CurveAndSubgroup,
    ];
    for checks in levels {
        report(&format!("{checks:?}"), &|| {
            drop(HostSrs::load(&file, checks, &cancel).expect("good points"));
        });
    }
}

/// Processor time of this process, user and system.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<f64> = after_name
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    fields.iter().skip(11).take(2).sum::<f64>() / 100.0
}

fn make_up() -> PathBuf {
    let path = std::env::temp_dir().join(format!("cuzk-srs-{}.params", std::process::id()));
    let mut g1 = vec![G1Affine::default(); BLOCK];
    let multiples = std::iter::successors(Some(G1Projective::generator()), |p| {
        Some(p + G1Projective::generator())
    });
    G1Projective::batch_normalize(&multiples.take(BLOCK).collect::<Vec<_>>(), &mut g1);
    let mut g2 = vec![G2Affine::default(); BLOCK];
    let multiples = std::iter::successors(Some(G2Projective::generator()), |p| {
        Some(p + G2Projective::generator())
    });
    G2Projective::batch_normalize(&multiples.take(BLOCK).collect::<Vec<_>>(), &mut g2);
    let g1: Vec<_> = g1.iter().map(G1Affine::to_uncompressed).collect();
    let g2: Vec<_> = g2.iter().map(G2Affine::to_uncompressed).collect();

    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(&path)?);
        for point in [&g1[0], &g1[1]] {
            file.write_all(point)?;
        }
        file.write_all(&g2[0])?;
        file.write_all(&g2[1])?;
        file.write_all(&g1[2])?;
        file.write_all(&g2[2])?;
        for n in [40, (1 << 22) - 1, 2_685_673, 2_040_000, 700_000usize] {
            file.write_all(&(n as u32).to_be_bytes())?;
            for index in 0..n {
                file.write_all(&g1[index % BLOCK])?;
            }
        }
        let n = 700_000usize;
        file.write_all(&(n as u32).to_be_bytes())?;
        for index in 0..n {
            file.write_all(&g2[index % BLOCK])?;
        }
        file.flush()
    };
    write().expect("room for 1.1 GB in the folder for temporary files");
    path
}
