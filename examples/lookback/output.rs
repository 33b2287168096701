//! Output files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::Result;

/// A file in the making: written beside its place under another name, moved there when it is
/// whole, removed if it never is.
#[derive(Debug)]
pub struct Output {
    /// Where it will lie, and the user's name for that.
    target: PathBuf,
    shown: String,
    temporary: PathBuf,
    file: Option<File>,
}

impl Output {
    /// Claims a place. Fails if it can't be written to; what lies there stays until
    /// [`Output::finish`].
    pub fn create(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let at = |what: &dyn std::fmt::Display| format!("{shown}: {what}");
        // Through a link, so that the file it names is replaced and not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Ok(metadata) = target.metadata() {
            if !metadata.is_file() {
                return Err(at(&"not a regular file").into());
            }
            // To replace a file needs no leave to write to it, but it should.
            OpenOptions::new().write(true).open(&target).map_err(|e| at(&e))?;
        }
        if target.file_name().is_none() {
            return Err(at(&"not the name of a file").into());
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let process = std::process::id();
        for attempt in 0..100 {
            let temporary = folder.join(format!(".lookback-{process}-{attempt}.tmp"));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok(Output { target, shown, temporary, file: Some(file) }),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(at(&format!("can't be written: {e}")).into()),
            }
        }
        Err(at(&"can't be written: files named .lookback-* are in the way").into())
    }

    /// Fails if another output goes to the same place.
    pub fn check_apart_from(&self, other: &Output) -> Result<()> {
        match self.target == other.target {
            true => Err(format!("{} and {} are one file", self.shown, other.shown).into()),
            false => Ok(()),
        }
    }

    /// Writes the content and moves the file to its place.
    pub fn finish(
        mut self,
        content: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
    ) -> Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let mut writer = BufWriter::new(file);
        content(&mut writer)
            .and_then(|()| writer.flush())
            .and_then(|()| {
                // Windows moves no open file.
                drop(writer);
                fs::rename(&self.temporary, &self.target)
            })
            .map_err(|e| format!("{}: can't be written: {e}", self.shown))?;
        // The name is free now; there is nothing left to remove.
        self.temporary = PathBuf::new();
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.file = None;
        if !self.temporary.as_os_str().is_empty() {
            // If it can't be removed, the error on its way says more than this one would.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
