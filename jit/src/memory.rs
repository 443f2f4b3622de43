//! Machine code in memory: written first, then executable and never written again; freed with its owner.

use memmap2::{Mmap, MmapMut};

use crate::call::{Compiled, Given};
use crate::error::Error;

/// The functions of a model. Each is found by where it begins.
pub(crate) struct Code {
    pages: Mmap,
}

impl Code {
    /// Copies machine code to pages of its own and makes them executable.
    ///
    /// # Errors
    /// Where the operating system does not allow it.
    pub fn new(bytes: &[u8]) -> Result<Code, Error> {
        // The system has no empty mappings.
        let mut pages = MmapMut::map_anon(bytes.len().max(1)).map_err(Error::Memory)?;
        pages[..bytes.len()].copy_from_slice(bytes);
        let pages = pages.make_exec().map_err(Error::Memory)?;
        Ok(Code { pages })
    }

    /// Calls the function that begins at `offset`.
    ///
    /// # Safety
    /// A function that `translate` has compiled begins there; `given` and `results` are valid for it: every list of
    /// values that it reads, at the places that it is given, and room for every output.
    #[inline]
    pub unsafe fn call(&self, offset: u32, given: &Given, results: &[*mut f64]) {
        let start = self.pages[offset as usize..].as_ptr();
        // SAFETY: the function's contract says that machine code with this signature begins there.
        let function = unsafe { std::mem::transmute::<*const u8, Compiled>(start) };
        // SAFETY: by the function's contract.
        unsafe { function(given, results.as_ptr()) }
    }
}
