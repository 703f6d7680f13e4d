// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that commands write: whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use cuzk::{Error, Result};
use cuzk_prover::srs::PendingFile;

/// A file that gets its name when it is whole, in place of one that had it. What is no file, such
/// as a pipe or a terminal, stays what it is and is written to.
pub enum OutputFile {
    Pending(PendingFile),
    Stream(File),
}

impl OutputFile {
    pub fn create(path: &Path) -> Result<Self> {
        match std::fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => File::create(path)
                .map(Self::Stream)
                .map_err(|e| Error::io(path, "creating", &e)),
            _ => PendingFile::replace(path).map(Self::Pending),
        }
    }

    pub fn keep(self) -> Result<()> {
        match self {
            Self::Pending(file) => file.keep(),
            Self::Stream(_) => Ok(()),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pending(file) => Write::write(file, bytes),
            Self::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Pending(file) => file.flush(),
            Self::Stream(file) => file.flush(),
        }
    }
}

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write_all(bytes)
        .map_err(|e| Error::io(path, "writing", &e))?;
    file.keep()
}
