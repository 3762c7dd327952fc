// SPDX-License-Identifier: Apache-2.0
//! Objects belong to the process that made them: threads do not survive `fork()`.

use crate::{Error, ErrorKind, Result};

/// The process that made an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process(u32);

impl Process {
    pub fn current() -> Process {
        Process(std::process::id())
    }

    /// Whether this process may use the object, or release it.
    pub fn is_current(self) -> bool {
        self.0 == std::process::id()
    }

    pub fn check(self) -> Result<()> {
        if self.is_current() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Unsupported,
            "the object was made before fork() by the parent of this process: make a new one",
        ))
    }
}
