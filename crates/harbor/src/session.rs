//! What is known about a server: its version, mode and settings that decide how it is used.

use crate::{
    Harbor,
    configurations::Configurations,
    error::{Error, Failure, Message},
    system::AuthMode,
    version::{Feature, Version},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Mutex, time::Instant};

/// How long it counts.
const FRESH: Duration = Duration::from_mins(5);

/// What is known about a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its version.
    pub version: Version,
    /// Whether it refuses writes.
    pub read_only: bool,
    /// How users log in.
    pub auth_mode: AuthMode,
    /// The address that users have for it.
    pub external_url: String,
    /// What only an administrator may read; `None` for other accounts.
    pub settings: Option<Settings>,
}

/// Settings that decide how a Harbor is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the names of robots begin with.
    pub robot_name_prefix: String,
    /// Whether the way in which users log in may change. It may not once there are other users than `admin`.
    pub auth_mode_editable: bool,
    /// Whether the environment of Core overwrites all settings, so that none may be changed.
    pub overwritten: bool,
}

impl ServerInfo {
    /// Whether the server has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.version.has(feature)
    }
}

/// The last known [`ServerInfo`], shared by the clones of a client.
#[derive(Debug, Default)]
pub(crate) struct Session {
    known: Mutex<Option<(Instant, Arc<ServerInfo>)>>,
    /// Whether something happened that may have changed it.
    doubtful: AtomicBool,
}

impl Session {
    /// Reads again next time: an error may mean that the server has another version or mode now.
    pub(crate) fn distrust(&self) {
        self.doubtful.store(true, Ordering::Relaxed);
    }
}

impl Harbor {
    /// What is known about the server. It is read at most every five minutes, unless a call has failed since.
    pub async fn server_info(&self) -> Result<Arc<ServerInfo>, Error> {
        let mut known = self.session().known.lock().await;
        let doubtful = self.session().doubtful.swap(false, Ordering::Relaxed);
        if let Some((read, info)) = known.as_ref().filter(|_| !doubtful)
            && read.elapsed() < FRESH
        {
            return Ok(Arc::clone(info));
        }
        *known = None;
        let info = Arc::new(self.read_server_info().await?);
        *known = Some((Instant::now(), Arc::clone(&info)));
        Ok(info)
    }

    /// Reads [`Harbor::server_info`] again next time, such as after a change of the settings.
    pub fn forget_server_info(&self) {
        self.session().distrust();
    }

    async fn read_server_info(&self) -> Result<ServerInfo, Error> {
        let general = self.system().info().await?;
        let settings = match self.configurations().get().await {
            Ok(configurations) => Some(settings(&configurations)),
            Err(error) if matches!(error.failure(), Failure::Forbidden(_)) => None,
            Err(error) => return Err(error),
        };
        // That an account may not read the settings is normal and changes nothing.
        self.session().doubtful.store(false, Ordering::Relaxed);
        let version = general.harbor_version.parse::<Version>().map_err(|_| {
            let shown = Message::new(&format!("the version of Harbor is {:?}", general.harbor_version));
            Error::new(crate::error::CallName::get("/systeminfo"), Failure::Unexpected(shown))
        })?;
        Ok(ServerInfo {
            version,
            read_only: general.read_only,
            auth_mode: general.auth_mode,
            external_url: general.external_url,
            settings,
        })
    }
}

fn settings(configurations: &Configurations) -> Settings {
    Settings {
        robot_name_prefix: configurations.text("robot_name_prefix").unwrap_or_default().to_owned(),
        auth_mode_editable: configurations.is_editable("auth_mode"),
        overwritten: !configurations.is_editable("read_only"),
    }
}
