// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing files so that no half-written one is ever seen.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use group::UncompressedEncoding;

use super::{Section, VerifyingKey};
use crate::{Error, ErrorKind, Result};

/// A file under a temporary name in its folder. [`PendingFile::keep`] gives it its own name;
/// dropped without that, it is removed. Errors say its own name.
#[derive(Debug)]
pub struct PendingFile {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    renamed: bool,
}

impl PendingFile {
    /// Makes an empty file in the folder of `path`, which must exist.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` when `path` exists already (nothing is ever overwritten) or names no
    /// file, `Io` when the temporary file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        let invalid = |what| {
            let message = format!("{} {what}", path.display());
            Error::new(ErrorKind::InvalidArgument, message)
        };
        if path.symlink_metadata().is_ok() {
            return Err(invalid("exists and is not overwritten"));
        }
        Self::beside(path.to_path_buf())
    }

    /// As [`PendingFile::create`], but takes the place of a file that has the name, or to which a
    /// link of that name leads.
    ///
    /// # Errors
    ///
    /// As there, for a name of no file and a temporary file that cannot be made.
    pub fn replace(path: &Path) -> Result<Self> {
        Self::beside(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()))
    }

    fn beside(path: PathBuf) -> Result<Self> {
        let name = path.file_name().ok_or_else(|| {
            let message = format!("{} names no file", path.display());
            Error::new(ErrorKind::InvalidArgument, message)
        })?;
        let mut temporary_name = name.to_os_string();
        temporary_name.push(format!(".{}.partial", std::process::id()));
        let temporary = path.with_file_name(temporary_name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(|error| Error::io(&path, "creating", &error))?;
        Ok(Self {
            file,
            temporary,
            path,
            renamed: false,
        })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|error| Error::io(&self.path, "writing", &error))
    }

    /// Leaves room for bytes that `write_at` fills in, and says where it starts.
    pub fn skip(&mut self, bytes: u64) -> Result<u64> {
        let start = self.bytes()?;
        self.file
            .set_len(start + bytes)
            .and_then(|()| self.file.seek(SeekFrom::Start(start + bytes)))
            .map_err(|error| Error::io(&self.path, "growing", &error))?;
        Ok(start)
    }

    /// Writes bytes into room that was left for them.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file
            .write_all_at(bytes, offset)
            .map_err(|error| Error::io(&self.path, "writing", &error))
    }

    /// Appends the count of a section, which a parameter file keeps in 32 bits.
    pub fn write_count(&mut self, section: Section, points: usize) -> Result<()> {
        let count = u32::try_from(points).map_err(|_| {
            let message = format!("{section} has {points} points, a file holds {}", u32::MAX);
            Error::new(ErrorKind::Unsupported, message)
        })?;
        self.write(&count.to_be_bytes())
    }

    /// Bytes written.
    pub fn bytes(&mut self) -> Result<u64> {
        self.file
            .stream_position()
            .map_err(|error| Error::io(&self.path, "measuring", &error))
    }

    /// Waits until the contents are on the disk and gives the file its name.
    pub fn keep(self) -> Result<()> {
        Self::keep_all([self])
    }

    /// Keeps several files in their order, or none: who sees the last sees all.
    pub fn keep_all(files: impl IntoIterator<Item = Self>) -> Result<()> {
        let mut files: Vec<Self> = files.into_iter().collect();
        for Self { file, path, .. } in &files {
            file.sync_all()
                .map_err(|error| Error::io(path, "flushing", &error))?;
        }
        for i in 0..files.len() {
            let this = &mut files[i];
            match std::fs::rename(&this.temporary, &this.path) {
                Ok(()) => this.renamed = true,
                Err(error) => {
                    let error = Error::io(&this.path, "renaming to", &error);
                    for kept in &files[..i] {
                        // The error that led here is the one to report.
                        let _ = std::fs::remove_file(&kept.path);
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// Errors do not name the file.
impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if !self.renamed {
            // The error that led here is the one to report.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

impl VerifyingKey {
    /// The key as it stands in a `.vk` file and at the head of a parameter file.
    ///
    /// # Errors
    ///
    /// `Unsupported` when it has more inputs than 32 bits count.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let inputs = u32::try_from(self.ic.len()).map_err(|_| {
            let message = format!("ic has {} points, a file holds {}", self.ic.len(), u32::MAX);
            Error::new(ErrorKind::Unsupported, message)
        })?;
        let mut bytes = Vec::with_capacity(Self::file_bytes(self.ic.len()) as usize);
        bytes.extend(self.alpha_g1.to_uncompressed());
        bytes.extend(self.beta_g1.to_uncompressed());
        bytes.extend(self.beta_g2.to_uncompressed());
        bytes.extend(self.gamma_g2.to_uncompressed());
        bytes.extend(self.delta_g1.to_uncompressed());
        bytes.extend(self.delta_g2.to_uncompressed());
        bytes.extend(inputs.to_be_bytes());
        for point in &self.ic {
            bytes.extend(UncompressedEncoding::to_uncompressed(point).as_ref());
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cuzk-write-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entry = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        std::fs::read_dir(folder).unwrap().map(entry).collect()
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = folder("whole");
        let path = folder.join("x.vk");
        let mut pending = PendingFile::create(&path).unwrap();
        pending.write(b"abc").unwrap();
        assert!(!path.exists());
        drop(pending);
        assert!(names(&folder).is_empty());

        let mut pending = PendingFile::create(&path).unwrap();
        pending.write(b"abc").unwrap();
        pending.write_count(Section::H, 5).unwrap();
        assert_eq!(pending.bytes().unwrap(), 7);
        let room = pending.skip(4).unwrap();
        pending.write(b"xyz").unwrap();
        pending.write_at(b"gh", room + 2).unwrap();
        pending.write_at(b"ef", room).unwrap();
        pending.keep().unwrap();
        assert_eq!(names(&folder), ["x.vk"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"abc\0\0\0\x05efghxyz");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_existing_file_is_kept_and_a_missing_folder_named() {
        let folder = folder("existing");
        let path = folder.join("x.vk");
        std::fs::write(&path, b"old").unwrap();
        let error = PendingFile::create(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(
            error.message(),
            format!("{} exists and is not overwritten", path.display())
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        std::fs::remove_dir_all(&folder).unwrap();
        let error = PendingFile::create(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.message().starts_with("creating "), "{error}");
    }

    #[test]
    fn a_file_is_replaced_whole_also_behind_a_link() {
        let folder = folder("replaced");
        let (path, link) = (folder.join("x"), folder.join("link"));
        std::fs::write(&path, b"old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut pending = PendingFile::replace(&link).unwrap();
        pending.write(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        pending.keep().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(names(&folder).len(), 2);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn of_several_files_all_are_kept_or_none() {
        let folder = folder("several");
        let apart = folder.join("apart");
        let paths = [folder.join("x"), folder.join("y"), apart.join("z")];
        let pending = || {
            paths
                .each_ref()
                .map(|path| PendingFile::create(path).unwrap())
        };
        std::fs::create_dir(&apart).unwrap();
        let files = pending();
        std::fs::remove_dir_all(&apart).unwrap();
        let error = PendingFile::keep_all(files).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        let text = format!("renaming to {}: ", paths[2].display());
        assert!(error.message().starts_with(&text), "{error}");
        assert!(names(&folder).is_empty());

        std::fs::create_dir(&apart).unwrap();
        PendingFile::keep_all(pending()).unwrap();
        assert!(paths.iter().all(|path| path.exists()));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_count_of_more_than_32_bits_is_refused() {
        let folder = folder("count");
        let mut pending = PendingFile::create(&folder.join("x")).unwrap();
        let error = pending.write_count(Section::L, 1 << 32).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(pending.bytes().unwrap(), 0);
        drop(pending);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
