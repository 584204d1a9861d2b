//! One client per Harbor, and what it knows about that Harbor.

use crate::{index::Index, network::Network};
use harbor::Harbor;
use harborstate::Access;
use plan::{Connection, System, SystemError};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::time::Instant;

/// The most Harbors that are remembered.
const MOST: usize = 512;

/// A client of one Harbor, for requests about one object or collection.
pub(crate) struct Client {
    /// The client.
    pub(crate) harbor: Harbor,
    /// Numbers and names of objects that others refer to.
    pub(crate) index: Arc<Index>,
    /// The name of the account.
    pub(crate) username: String,
}

/// The clients of all Harbors.
pub(crate) struct Clients {
    network: Box<dyn Network>,
    known: Mutex<BTreeMap<System, Known>>,
}

struct Known {
    connection: Connection,
    harbor: Harbor,
    index: Arc<Index>,
    username: String,
    used: Instant,
}

impl Clients {
    pub(crate) fn new(network: Box<dyn Network>) -> Self {
        Self { network, known: Mutex::default() }
    }

    /// The client of a Harbor, whose requests carry this identifier in the log of Core.
    pub(crate) fn get(
        &self,
        system: &System,
        connection: &Connection,
        request_id: &str,
    ) -> Result<Client, SystemError> {
        // The table is whole whatever panicked.
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = match all.remove(system).filter(|known| known.connection == *connection) {
            Some(known) => known,
            None => self.connect(connection)?,
        };
        known.used = Instant::now();
        let client = Client {
            harbor: known.harbor.with_request_id(request_id),
            index: Arc::clone(&known.index),
            username: known.username.clone(),
        };
        all.insert(system.clone(), known);
        drop_oldest(&mut all);
        Ok(client)
    }

    fn connect(&self, connection: &Connection) -> Result<Known, SystemError> {
        let Some(access) = Access::of(connection) else {
            return Err(crate::failure::rejected(
                "the connection is not one to a Harbor",
                "report this as a defect of the operator",
            ));
        };
        let harbor = self.network.connect(&access).map_err(|problem| {
            let problem = problem.to_string();
            let remedy = "correct the address and the certificate authority of the Harbor".to_owned();
            SystemError::Rejected { problem, remedy }
        })?;
        Ok(Known {
            connection: connection.clone(),
            harbor,
            index: Arc::default(),
            username: access.username,
            used: Instant::now(),
        })
    }
}

fn drop_oldest(known: &mut BTreeMap<System, Known>) {
    while known.len() > MOST {
        let oldest = known.iter().min_by_key(|(_, known)| known.used).map(|(system, _)| system.clone());
        match oldest {
            Some(oldest) => known.remove(&oldest),
            None => return,
        };
    }
}
