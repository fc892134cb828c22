//! The sets of scheduled backups, for tools: `coterie backup verify`, and the part of
//! `coterie restore` that reads a set.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::boot::data_dir::HISTORY;
use crate::cli::{REFUSED, copy, say};
use crate::config::BackupAccess;
use crate::log::{self, LogFormat};
use backup::manifest::{Copied, Manifest};
use backup::object::BackupStoreFault;
use backup::place::PlaceOfSet;
use backup::set::{SetFault, Sets};
use backup::store::BackupStore;
use base::bounds::places::Places;
use outgoing::Outgoing;
use outgoing::network::Network;
use outgoing::resolver::SystemResolver;

/// The sets at a place, and the thread on which they are read.
pub(super) struct OpenSets {
    sets: Sets,
    system: actix::SystemRunner,
}

impl OpenSets {
    /// Opens the sets at a place.
    pub(super) fn at(from: &PlaceOfSet, access: &BackupAccess) -> Result<Self, String> {
        let access = access.read(&from.place).map_err(|error| error.to_string())?;
        let system = actix::System::new();
        let resolver = Arc::new(SystemResolver::default());
        let outgoing = Outgoing::new(Network::all(), resolver, &Places::default());
        let store = BackupStore::open(&from.place, access.credentials.as_ref(), &outgoing);
        let store = store.map_err(|fault| fault.to_string())?;
        Ok(Self { sets: Sets { store, key: access.key }, system })
    }

    /// The name and the manifest of the wanted set.
    pub(super) fn find(&self, until: Option<&str>) -> Result<(String, Manifest), String> {
        let found = self.system.block_on(async {
            let name = self.sets.newest(until).await?;
            let manifest = self.sets.manifest(&name).await?;
            Ok::<_, SetFault>((name, manifest))
        });
        found.map_err(|fault| fault.to_string())
    }

    /// Copies every file of a set below a folder, and compares it with the manifest.
    pub(super) fn copy_all(&self, manifest: &Manifest, to: &Path) -> Result<(), String> {
        self.system.block_on(async {
            for file in manifest.files.iter().filter(|file| file.path != HISTORY) {
                self.copy(file, to).await.map_err(|fault| fault.to_string())?;
            }
            Ok(())
        })
    }

    async fn copy(&self, file: &Copied, to: &Path) -> Result<(), SetFault> {
        let failed = |source| BackupStoreFault::file(&file.path, source);
        let path = to.join(&file.path);
        copy::make_folder(path.parent().unwrap_or(to)).map_err(failed)?;
        let mut options = OpenOptions::new();
        let content = options.write(true).create_new(true).mode(0o600).open(&path);
        let mut content = content.map_err(failed)?;
        self.sets.read(file, &mut content).await?;
        Ok(content.sync_all().map_err(failed)?)
    }
}

/// Reads every object of every set, or of the wanted one.
pub(super) fn verify(
    from: &PlaceOfSet,
    access: &BackupAccess,
    log: &str,
) -> Result<ExitCode, String> {
    log::start(log, LogFormat::Text)?;
    let open = OpenSets::at(from, access)?;
    let verified = open.system.block_on(async {
        // Also of all sets, the newest one must exist.
        let newest = open.sets.newest(from.until.as_deref()).await?;
        open.sets.verify(from.until.as_ref().map(|_| &*newest)).await
    });
    let verified = verified.map_err(|fault| fault.to_string())?;
    verified.problems.iter().try_for_each(|problem| say(problem))?;
    say(&format!(
        "verified: {} sets, {} objects, {} bytes",
        verified.sets, verified.objects, verified.bytes
    ))?;
    Ok(if verified.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}
