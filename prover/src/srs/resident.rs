// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters that are loaded and ready for proving.

use std::any::Any;

use super::{SrsShape, VerifyingKey};
use crate::cancel::Cancel;
use crate::Result;

/// Parameters that a backend keeps ready; dropping the last reference gives the memory back.
pub trait ResidentSrs: Any + Send + Sync {
    /// Points in each section.
    fn shape(&self) -> &SrsShape;
    /// The verifying key at the file's head.
    fn verifying_key(&self) -> &VerifyingKey;
    /// Whether no proof has to read anything of them any more.
    fn is_loaded(&self) -> bool {
        true
    }
    /// Reads what would otherwise be read by the first proof. Called on the context's rayon pool,
    /// and not while a proof with them is made.
    fn load(&self, _cancel: &Cancel) -> Result<()> {
        Ok(())
    }
    /// Host memory that it takes when everything is read, in bytes.
    fn host_bytes(&self) -> u64;
    /// Device memory that it takes, in bytes.
    fn device_bytes(&self) -> u64;
    /// For the backend that made it, to find its own type again.
    fn as_any(&self) -> &dyn Any;
}
