// SPDX-License-Identifier: Apache-2.0
//! The error of every call: a kind, a sentence, and what it is about.

use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;

use weft_sys as sys;

/// What went wrong, as in `weft/error.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// This device, file or library cannot do it.
    Unsupported,
    /// An argument is outside its legal range.
    Invalid,
    /// Shapes, ranks or axes do not fit together.
    Shape,
    /// Element types do not fit together.
    Type,
    /// No object of that name exists.
    NotFound,
    /// An object of that name exists already.
    Exists,
    /// A kernel does not compile.
    Compile,
    /// A file or message is malformed.
    Format,
    /// The memory or the budget is exhausted.
    Memory,
    /// A quota is exhausted.
    Quota,
    /// Access was not granted.
    Denied,
    /// The caller cancelled the work.
    Cancelled,
    /// The work did not finish in time.
    Timeout,
    /// The device was lost.
    DeviceLost,
    /// Reading or writing a file failed.
    Io,
    /// Weft itself is wrong: please report it.
    Internal,
}

const KINDS: [ErrorKind; 16] = [
    ErrorKind::Unsupported,
    ErrorKind::Invalid,
    ErrorKind::Shape,
    ErrorKind::Type,
    ErrorKind::NotFound,
    ErrorKind::Exists,
    ErrorKind::Compile,
    ErrorKind::Format,
    ErrorKind::Memory,
    ErrorKind::Quota,
    ErrorKind::Denied,
    ErrorKind::Cancelled,
    ErrorKind::Timeout,
    ErrorKind::DeviceLost,
    ErrorKind::Io,
    ErrorKind::Internal,
];

impl ErrorKind {
    /// All kinds, in the order of the header.
    pub fn all() -> &'static [ErrorKind] {
        &KINDS
    }

    /// `"not-found"`: the name in every language.
    pub fn name(self) -> &'static str {
        let number = KINDS.iter().position(|kind| *kind == self).unwrap_or(15) + 1;
        // Safety: the names are constants of the library.
        unsafe { static_text(sys::weft_error_kind_name(number as sys::weft_error_kind)) }
    }

    pub(crate) fn from_number(number: sys::weft_error_kind) -> ErrorKind {
        let at = (number as usize).wrapping_sub(1);
        KINDS.get(at).copied().unwrap_or(ErrorKind::Internal)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    names: Vec<String>,
}

/// The result of every call.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), names: Vec::new() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Invalid, message)
    }

    /// What kind of trouble it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// One sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The inputs, outputs, tensors or files that are involved.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn from_pool(error: &sys::weft_pool_error) -> Error {
        let kind = ErrorKind::from_number(error.kind);
        // Safety: both are arrays that end in NUL.
        let (message, name) = unsafe { (text(error.message.as_ptr()), text(error.name.as_ptr())) };
        Error { kind, message, names: if name.is_empty() { vec![] } else { vec![name] } }
    }

    /// Takes the error out of a context.
    pub(crate) unsafe fn take(ctx: *mut sys::weft_context) -> Error {
        let raw = &*sys::weft_context_error(ctx);
        let error = if raw.kind == 0 {
            Error::new(ErrorKind::Internal, "the call failed without an error")
        } else {
            Error {
                kind: ErrorKind::from_number(raw.kind),
                message: text(raw.message),
                names: raw.names.iter().take(raw.name_count as usize).map(|n| text(*n)).collect(),
            }
        };
        sys::weft_context_error_clear(ctx);
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {}

/// A copy of a text of the library; NULL is "".
pub(crate) unsafe fn text(from: *const c_char) -> String {
    if from.is_null() {
        return String::new();
    }
    CStr::from_ptr(from).to_string_lossy().into_owned()
}

unsafe fn static_text(from: *const c_char) -> &'static str {
    if from.is_null() {
        return "";
    }
    CStr::from_ptr(from).to_str().unwrap_or("")
}

/// A text for the library.
pub(crate) fn c_text(from: &str) -> Result<CString> {
    CString::new(from)
        .map_err(|_| Error::invalid(format!("a text with a NUL character: {:?}", from)))
}

/// The pointer of a text that may be missing.
pub(crate) fn c_pointer(from: &Option<CString>) -> *const c_char {
    from.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}
