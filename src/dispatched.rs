//! What is known of a call that was submitted.

use std::sync::atomic::Ordering;

use crate::context::Context;
use crate::error::Error;
use crate::slice::GpuSlice;

/// A call that was submitted.
#[derive(Clone, Debug)]
pub struct Dispatched {
    pub(crate) context: Context,
    pub(crate) status: Option<GpuSlice<u32>>,
    /// The tiles that had given up before.
    pub(crate) before: u32,
}

impl Dispatched {
    /// Whether the call has a result. For a single pass, submits a copy and waits for it and for
    /// all work submitted before; else does nothing.
    ///
    /// Errors: [`Error::Stalled`] if a tile has given up, of this call, of one beside it, or of an
    /// earlier one that nobody checked; [`Error::DeviceLost`].
    pub fn check(&self) -> Result<(), Error> {
        match &self.status {
            None => Ok(()),
            Some(status) => self.compare(&self.context.download(status)?),
        }
    }

    /// [`Dispatched::check`] without blocking the thread.
    pub async fn check_async(&self) -> Result<(), Error> {
        match &self.status {
            None => Ok(()),
            Some(status) => self.compare(&self.context.download_async(status).await?),
        }
    }

    fn compare(&self, given_up: &[u32]) -> Result<(), Error> {
        let now = given_up.first().copied().unwrap_or(self.before);
        self.context.given_up().fetch_max(now, Ordering::SeqCst);
        if now == self.before { Ok(()) } else { Err(Error::Stalled) }
    }
}
