//! One control plane for all test processes of a run.
//!
//! A file in the user's cache names the folder of the control plane. A process locks this file while it joins the
//! running control plane or starts one. Afterwards every process holds its own lease on the folder, so it does not
//! matter which one started the servers, or how any of them ends.

use crate::assets::{self, Assets};
use crate::control_plane::ControlPlane;
use crate::error::StartError;
use crate::keeper::Lease;
use crate::setup::{Parts, Setup};
use std::env;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Long enough for the tests of a run between two that need the servers: those of another control plane take most of a minute.
/// Servers that idle for so long take a fifth of the CPU time of starting them again.
const LINGER: Duration = Duration::from_mins(1);
const STALE: Duration = Duration::from_hours(24);

/// The parts of a shared control plane, and the tests that it is for, if it is not for all.
pub(crate) type Which = (Parts, Option<&'static str>);

pub(crate) async fn control_plane(
    setup: &Setup,
    assets: Assets,
    which: Which,
) -> Result<ControlPlane, StartError> {
    let place = assets::cache().join("envtest");
    fs::create_dir_all(&place).map_err(StartError::file(&place))?;
    let meeting = place.join(key(&assets, which));
    let locked = lock(&meeting).await.map_err(StartError::file(&meeting))?;

    let named = fs::read_to_string(&meeting).map_err(StartError::file(&meeting))?;
    if let Some(running) = join(&assets, Path::new(named.trim())).await {
        return Ok(running);
    }
    remove_stale(&place);
    let (started, _) = setup.launch(&assets, LINGER).await?;
    fs::write(&meeting, started.folder().as_os_str().as_encoded_bytes())
        .map_err(StartError::file(&meeting))?;
    drop(locked);
    Ok(started)
}

/// The running control plane of a folder; `None` if there is none, or if it is ending or was killed.
async fn join(assets: &Assets, folder: &Path) -> Option<ControlPlane> {
    let lease = Lease::join(folder)?;
    let attached = ControlPlane::attach(assets.clone(), folder, lease);
    tokio::time::timeout(Duration::from_secs(10), attached).await.ok()?.ok()
}

/// Identifies a shared control plane: the run id of nextest, otherwise the folder of the test binaries; the servers;
/// and the tests.
fn key(assets: &Assets, which: Which) -> String {
    let run = env::var_os("NEXTEST_RUN_ID").map(PathBuf::from);
    let run = run.or_else(|| env::current_exe().ok()?.parent().map(Path::to_owned));
    let mut hasher = DefaultHasher::new();
    (run, assets.folder(), which).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Waits for the lock on a blocking thread, because the runtime of a test may have only one thread.
pub(crate) async fn lock(path: &Path) -> io::Result<File> {
    let path = path.to_owned();
    let locked = tokio::task::spawn_blocking(move || {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.lock().map(|()| file)
    });
    locked.await.map_err(io::Error::other)?
}

/// Removes old files, because every run creates one.
fn remove_stale(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let age =
            entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > STALE) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::join;
    use crate::assets::Assets;
    use crate::pki::Pki;
    use crate::servers::Ports;
    use crate::{folder, kubeconfig};
    use std::fs;
    use std::path::Path;

    #[tokio::test]
    async fn servers_that_were_killed_are_not_joined() {
        let folder = folder::create().unwrap();
        let assets = Assets::at(Path::new("/nonexistent"));
        assert!(join(&assets, &folder).await.is_none(), "without a lease");

        fs::write(folder.join("lease"), "").unwrap();
        let pki = Pki::create(&folder).unwrap();
        kubeconfig::write(&folder, Ports::free().unwrap().apiserver, &pki).unwrap();
        assert!(join(&assets, &folder).await.is_none(), "without a server");
        fs::remove_dir_all(folder).unwrap();
    }
}
