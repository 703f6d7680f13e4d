// SPDX-License-Identifier: MIT OR Apache-2.0
//! A parameter file, opened and measured; its bytes come when asked for.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cancel::Cancel;
use crate::{room, Error, ErrorKind, Result};

use super::layout::{shape_of, walk, Section, SectionSpan, COUNT_BYTES};
use super::{SrsShape, VerifyingKey};

/// Bytes of a digest: the first 16 of BLAKE2b-512, as Filecoin publishes them.
pub const DIGEST_BYTES: usize = 16;

/// Bytes of one read for the digest.
const DIGEST_CHUNK: usize = 1 << 20;

/// The digest of bytes, as Filecoin publishes those of its files.
pub fn digest_of(bytes: &[u8]) -> [u8; DIGEST_BYTES] {
    first_bytes(blake2b_simd::State::new().update(bytes))
}

fn first_bytes(state: &blake2b_simd::State) -> [u8; DIGEST_BYTES] {
    let mut digest = [0u8; DIGEST_BYTES];
    digest.copy_from_slice(&state.finalize().as_bytes()[..DIGEST_BYTES]);
    digest
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// Device and inode.
    pub inode: (u64, u64),
    /// Bytes.
    pub bytes: u64,
    /// Time of the last change of the contents: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
}

impl FileIdentity {
    fn of(metadata: &Metadata) -> Self {
        Self {
            inode: (metadata.dev(), metadata.ino()),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// An open regular file of known length. Clones are the same open file.
#[derive(Clone, Debug)]
pub(super) struct SrsFile {
    path: PathBuf,
    file: Arc<File>,
    identity: FileIdentity,
}

impl SrsFile {
    /// Opens a file for reading; a missing file is `ParametersNotFound`.
    pub(super) fn open(path: &Path) -> Result<Self> {
        // Not blocking, so that a pipe of that name is refused below instead of waited for.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(path)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => Error::new(
                    ErrorKind::ParametersNotFound,
                    format!("{}: no such file", path.display()),
                ),
                _ => Error::io(path, "opening", &error),
            })?;
        let metadata = file
            .metadata()
            .map_err(|error| Error::io(path, "measuring", &error))?;
        if !metadata.is_file() {
            return Err(Error::new(
                ErrorKind::Io,
                format!("{}: not a regular file", path.display()),
            ));
        }
        Ok(Self {
            path: path.to_path_buf(),
            file: Arc::new(file),
            identity: FileIdentity::of(&metadata),
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.identity.bytes
    }

    /// Fills the buffer from `offset`; `what` is for the message, which does not name the file.
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64, what: &str) -> Result<()> {
        self.file
            .read_exact_at(buffer, offset)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Error::new(
                    ErrorKind::InvalidSrs,
                    format!(
                        "the file became shorter while it was read: {what} needs {} bytes at \
                         offset {offset}",
                        buffer.len()
                    ),
                ),
                _ => Error::new(
                    ErrorKind::Io,
                    format!("reading {what} at offset {offset}: {error}"),
                ),
            })
    }

    pub(super) fn count_at(&self, offset: u64) -> Result<u32> {
        let mut count = [0u8; COUNT_BYTES as usize];
        self.read_at(&mut count, offset, "count")?;
        Ok(u32::from_be_bytes(count))
    }

    fn check_unchanged(&self) -> Result<()> {
        let metadata = self
            .file
            .metadata()
            .map_err(|error| Error::new(ErrorKind::Io, format!("measuring: {error}")))?;
        if FileIdentity::of(&metadata) != self.identity {
            return Err(Error::new(
                ErrorKind::InvalidSrs,
                "the file changed while it was read",
            ));
        }
        Ok(())
    }

    /// Puts the file's path in front of an error's text.
    pub(super) fn named<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| error.context(self.path.display()))
    }
}

/// A parameter file whose size and counts fit and whose verifying key is good.
///
/// The queries are not read yet: `HostSrs::load` reads them for the CPU, `read_section` gives
/// their bytes to whoever decodes them elsewhere. Clones share the open file.
#[derive(Clone, Debug)]
pub struct ParameterFile {
    file: SrsFile,
    spans: [SectionSpan; 6],
    shape: SrsShape,
    verifying_key: VerifyingKey,
}

impl ParameterFile {
    /// Opens a file, walks its counts, and checks the whole verifying key.
    ///
    /// Errors: `ParametersNotFound`, `Io`; `InvalidSrs` when the counts and the file's size do
    /// not fit, when the counts belong to no circuit, or when the verifying key has a bad point.
    pub fn open(path: &Path) -> Result<Self> {
        let file = SrsFile::open(path)?;
        let (spans, verifying_key) = file.named(Self::measure(&file))?;
        Ok(Self {
            file,
            spans,
            shape: shape_of(&spans),
            verifying_key,
        })
    }

    fn measure(file: &SrsFile) -> Result<([SectionSpan; 6], VerifyingKey)> {
        let spans = walk(file.bytes(), &Section::ALL, |offset| file.count_at(offset))?;
        let spans: [SectionSpan; 6] = std::array::from_fn(|section| spans[section]);
        let shape = shape_of(&spans);
        shape.check()?;
        let mut head = VerifyingKey::file_buffer(shape.ic)?;
        file.read_at(&mut head, 0, "verifying key")?;
        Ok((spans, VerifyingKey::from_bytes(&head)?))
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// What tells this state of the file from another.
    pub fn identity(&self) -> FileIdentity {
        self.file.identity
    }

    /// Points in each section.
    pub fn shape(&self) -> &SrsShape {
        &self.shape
    }

    /// The verifying key at the file's head.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying_key
    }

    /// The bytes of the verifying key at the file's head: what a `.vk` file beside it holds.
    pub fn verifying_key_bytes(&self) -> Result<Vec<u8>> {
        let mut head = self.file.named(VerifyingKey::file_buffer(self.shape.ic))?;
        self.file
            .named(self.file.read_at(&mut head, 0, "verifying key"))?;
        Ok(head)
    }

    /// Where the points of a section lie.
    pub fn section(&self, section: Section) -> SectionSpan {
        self.spans[section as usize]
    }

    /// Reads the encoded points of a section from point `first` on; the buffer's length says how
    /// many, 96 bytes each in G1 and 192 in G2. For backends that decode on their device.
    pub fn read_section(&self, section: Section, first: usize, buffer: &mut [u8]) -> Result<()> {
        let span = self.section(section);
        let wanted = buffer.len() / section.point_bytes();
        if buffer.len() % section.point_bytes() != 0
            || first > span.points
            || wanted > span.points - first
        {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "{} bytes from point {first} of the {section} asked for, it has {} points of \
                     {} bytes",
                    buffer.len(),
                    span.points,
                    section.point_bytes()
                ),
            ));
        }
        let offset = span.offset + first as u64 * section.point_bytes() as u64;
        self.file
            .named(self.file.read_at(buffer, offset, section.name()))
    }

    /// Refuses a file that was written to since it was opened.
    pub fn check_unchanged(&self) -> Result<()> {
        self.file.named(self.file.check_unchanged())
    }

    /// Refuses parameters of another circuit, whose sections would have the counts of `circuit`.
    pub fn check_shape(&self, circuit: &SrsShape) -> Result<()> {
        self.file.named(self.shape.check_equal(circuit))
    }

    /// Refuses parameters that do not go with the verifying key read from `key_path`.
    pub fn check_verifying_key(&self, key: &VerifyingKey, key_path: &Path) -> Result<()> {
        if self.verifying_key == *key {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidSrs,
            format!(
                "{}: its verifying key is not the one of {}",
                self.path().display(),
                key_path.display()
            ),
        ))
    }

    /// The first 16 bytes of the whole file's BLAKE2b-512, as Filecoin publishes them. Reads the
    /// file once, on the calling thread.
    pub fn digest(&self, cancel: &Cancel) -> Result<[u8; DIGEST_BYTES]> {
        let mut state = blake2b_simd::State::new();
        let buffer = room::filled("a buffer for reading", DIGEST_CHUNK, 0u8);
        let mut buffer = self.file.named(buffer)?;
        let mut offset = 0;
        while offset < self.file.bytes() {
            cancel.check()?;
            let left = self.file.bytes() - offset;
            let chunk = &mut buffer[..left.min(DIGEST_CHUNK as u64) as usize];
            self.file
                .named(self.file.read_at(chunk, offset, "contents"))?;
            state.update(chunk);
            offset += chunk.len() as u64;
        }
        self.check_unchanged()?;
        Ok(first_bytes(&state))
    }

    /// Refuses a file with another digest than `expected`.
    pub fn check_digest(&self, expected: &[u8; DIGEST_BYTES], cancel: &Cancel) -> Result<()> {
        let present = self.digest(cancel)?;
        if present == *expected {
            return Ok(());
        }
        let hex = |digest: &[u8]| {
            digest
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>()
        };
        Err(Error::new(
            ErrorKind::InvalidSrs,
            format!(
                "{}: digest {} expected, {} found",
                self.path().display(),
                hex(expected),
                hex(&present)
            ),
        ))
    }
}
