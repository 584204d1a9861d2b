//! The driver: finds the collection of an object, and does what all collections have in common.

use crate::{
    client::{Client, Clients},
    collections::{
        admin_passwords::AdminPasswords, allowlists::Allowlists, configurations::Settings,
        executions::Executions, health::Health, immutable_rules::RuleLists, job_queues, labels::Labels,
        members::ProjectMembers, memberships::Memberships, numbered_robots::NumberedRobots,
        preheat_instances::PreheatInstances, preheat_policies::PreheatPolicies,
        project_scanners::ProjectScanners, projects::Projects, registries::Registries,
        replications::Replications, retentions::Retentions, robots::Robots, scanners::Scanners,
        schedules::Schedules, servers::Servers, user_groups::UserGroups, users::Users,
        verifications::Verifications, webhooks::Webhooks,
    },
    failure::{after_creation, rejected},
    manage::{Manage, Sent, Start},
    network::Network,
};
use futures::{FutureExt as _, future::BoxFuture};
use harborstate::{
    KIND, State as _, admin_password::AdminPassword, configuration::Configuration,
    cve_allowlist::CveAllowlist, execution::Execution, health, immutable_rules::ImmutableRules,
    job_queues::JobQueues, label::Label, member::Membership, members::Members, numbered_robot::NumberedRobot,
    preheat_instance::PreheatInstance, preheat_policy::PreheatPolicy, project::Project,
    project_scanner::ProjectScanner, registry::RegistryEndpoint, replication::Replication,
    retention::Retention, robot::Robot, scanner::Scanner, schedule, server::Server, user::User,
    user_group::UserGroup, verification::Verification, webhook::Webhook,
};
use plan::{Contents, External, ObjectKey, System, SystemError};
use runtime::{Answer, At, Collection, ExternalDriver};
use serde_json::Value;
use std::time::Duration;

/// How often an execution is looked at until it has ended.
const EXECUTIONS: Duration = Duration::from_secs(15);

/// How often the queues of JobService are looked at while the operator waits for its jobs.
const JOB_QUEUES: Duration = Duration::from_secs(10);

/// How often a Harbor is asked whether it works, until it does.
const VERIFICATIONS: Duration = Duration::from_secs(10);

/// Manages the objects inside Harbors.
pub struct HarborDriver {
    clients: Clients,
}

impl HarborDriver {
    /// A driver that reaches Harbors over a network, such as [`crate::Internet`].
    pub fn over(network: impl Network) -> Self {
        Self { clients: Clients::new(Box::new(network)) }
    }

    fn client(&self, at: At<'_>, collection: &str, name: &str) -> Connected {
        let System { namespace, name: harbor, .. } = at.system;
        let request_id = match at.owner {
            Some(owner) if owner.namespace.is_empty() => format!("{}/{}", owner.kind, owner.name),
            Some(owner) => format!("{}/{}/{}", owner.kind, owner.namespace, owner.name),
            None => format!("{namespace}/{harbor}/{collection}/{name}"),
        };
        self.clients.get(at.system, at.connection, &request_id)
    }
}

/// Calls a function for the type that manages a collection.
macro_rules! with {
    ($collection:expr, $function:ident($($argument:expr),*)) => {
        match $collection {
            Server::COLLECTION => $function::<Servers>($($argument),*).boxed(),
            health::Health::COLLECTION => $function::<Health>($($argument),*).boxed(),
            Project::COLLECTION => $function::<Projects>($($argument),*).boxed(),
            Members::COLLECTION => $function::<ProjectMembers>($($argument),*).boxed(),
            Robot::COLLECTION => $function::<Robots>($($argument),*).boxed(),
            NumberedRobot::COLLECTION => $function::<NumberedRobots>($($argument),*).boxed(),
            RegistryEndpoint::COLLECTION => $function::<Registries>($($argument),*).boxed(),
            Membership::COLLECTION => $function::<Memberships>($($argument),*).boxed(),
            Retention::COLLECTION => $function::<Retentions>($($argument),*).boxed(),
            ImmutableRules::COLLECTION => $function::<RuleLists>($($argument),*).boxed(),
            Webhook::COLLECTION => $function::<Webhooks>($($argument),*).boxed(),
            Label::COLLECTION => $function::<Labels>($($argument),*).boxed(),
            ProjectScanner::COLLECTION => $function::<ProjectScanners>($($argument),*).boxed(),
            PreheatPolicy::COLLECTION => $function::<PreheatPolicies>($($argument),*).boxed(),
            Replication::COLLECTION => $function::<Replications>($($argument),*).boxed(),
            UserGroup::COLLECTION => $function::<UserGroups>($($argument),*).boxed(),
            AdminPassword::COLLECTION => $function::<AdminPasswords>($($argument),*).boxed(),
            User::COLLECTION => $function::<Users>($($argument),*).boxed(),
            Scanner::COLLECTION => $function::<Scanners>($($argument),*).boxed(),
            PreheatInstance::COLLECTION => $function::<PreheatInstances>($($argument),*).boxed(),
            Configuration::COLLECTION => $function::<Settings>($($argument),*).boxed(),
            CveAllowlist::COLLECTION => $function::<Allowlists>($($argument),*).boxed(),
            schedule::COLLECTION => $function::<Schedules>($($argument),*).boxed(),
            Execution::COLLECTION => $function::<Executions>($($argument),*).boxed(),
            JobQueues::COLLECTION => $function::<job_queues::JobQueues>($($argument),*).boxed(),
            Verification::COLLECTION => $function::<Verifications>($($argument),*).boxed(),
            unknown => futures::future::ready(Err(unmanaged(unknown))).boxed(),
        }
    };
}

impl ExternalDriver for HarborDriver {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn describe(&self, system: &System) -> String {
        match system.namespace.as_str() {
            "" => format!("the Harbor of HarborServerConfiguration {}", system.name),
            namespace => match harborstate::core_of(system) {
                Some(core) => format!("the Harbor of Core {namespace}/{core}"),
                None => format!("Harbor {namespace}/{}", system.name),
            },
        }
    }

    fn part<'a>(&self, collection: &str, name: &'a str) -> Option<&'a str> {
        harborstate::part(collection, name)
    }

    fn interval(&self, collection: &str) -> Option<Duration> {
        match collection {
            Execution::COLLECTION => Some(EXECUTIONS),
            JobQueues::COLLECTION => Some(JOB_QUEUES),
            Verification::COLLECTION => Some(VERIFICATIONS),
            _ => None,
        }
    }

    fn reports_failures(&self, collection: &str) -> bool {
        collection == health::Health::COLLECTION
    }

    fn list<'a>(
        &'a self,
        at: At<'a>,
        collection: Collection<'a>,
    ) -> BoxFuture<'a, Result<Answer, SystemError>> {
        let client = self.client(at, collection.name, collection.part.unwrap_or_default());
        with!(collection.name, list(client, collection.part))
    }

    fn create<'a>(&'a self, at: At<'a>, wanted: &'a External) -> BoxFuture<'a, Result<Value, SystemError>> {
        let client = self.client(at, &wanted.collection, &wanted.name);
        with!(wanted.collection.as_str(), create(client, wanted))
    }

    fn update<'a>(
        &'a self,
        at: At<'a>,
        wanted: &'a External,
        actual: &'a Value,
    ) -> BoxFuture<'a, Result<Value, SystemError>> {
        let client = self.client(at, &wanted.collection, &wanted.name);
        with!(wanted.collection.as_str(), update(client, wanted, actual))
    }

    fn delete<'a>(
        &'a self,
        at: At<'a>,
        object: &'a ObjectKey,
        _: &'a Value,
        contents: Contents,
    ) -> BoxFuture<'a, Result<(), SystemError>> {
        let client = self.client(at, &object.kind, &object.name);
        with!(object.kind.as_str(), delete(client, object, contents))
    }
}

/// A client, unless there can be none.
type Connected = Result<Client, SystemError>;

async fn list<M: Manage>(client: Connected, part: Option<&str>) -> Result<Answer, SystemError> {
    let client = match client {
        Ok(client) => client,
        Err(error) => return Ok(Answer { objects: M::unlisted(error)?, requests: 0 }),
    };
    let objects = M::list(&client, part).await?;
    Ok(Answer { objects, requests: client.harbor.sent() })
}

async fn create<M: Manage>(client: Connected, wanted: &External) -> Result<Value, SystemError> {
    created::<M>(&client?, wanted).await
}

async fn created<M: Manage>(client: &Client, wanted: &External) -> Result<Value, SystemError> {
    match M::create(client, wanted).await {
        Ok(()) => completed::<M>(client, wanted).await.map_err(after_creation),
        Err(SystemError::Exists) => Err(taken::<M>(client, wanted).await?),
        Err(error) => Err(error),
    }
}

/// Why Harbor answers that an object exists: it may be another one, such as a user with the same mail
/// address.
async fn taken<M: Manage>(client: &Client, wanted: &External) -> Result<SystemError, SystemError> {
    Ok(match M::find(client, &wanted.collection, &wanted.name).await? {
        Some(_) => SystemError::Exists,
        None => rejected(
            format!("another {} has something that must be unique", wanted.collection),
            "choose another address, name or mail address",
        ),
    })
}

async fn completed<M: Manage>(client: &Client, wanted: &External) -> Result<Value, SystemError> {
    let created = stored::<M>(client, wanted).await?;
    match M::complete(client, wanted, &created).await? {
        Sent::Nothing => Ok(created),
        Sent::Something => stored::<M>(client, wanted).await,
    }
}

async fn update<M: Manage>(
    client: Connected,
    wanted: &External,
    known: &Value,
) -> Result<Value, SystemError> {
    let client = client?;
    if let Some(extended) = M::extend(&client, wanted, known).await? {
        return Ok(extended);
    }
    match M::UPDATES {
        Start::Known => M::update(&client, wanted, known).await?,
        Start::Present => match M::find(&client, &wanted.collection, &wanted.name).await? {
            Some(actual) => M::update(&client, wanted, &actual).await?,
            None => return created::<M>(&client, wanted).await,
        },
    }
    stored::<M>(&client, wanted).await
}

async fn stored<M: Manage>(client: &Client, wanted: &External) -> Result<Value, SystemError> {
    let found = M::find(client, &wanted.collection, &wanted.name).await?;
    found.ok_or_else(|| SystemError::Unreachable("Harbor does not show what was just written".into()))
}

async fn delete<M: Manage>(
    client: Connected,
    object: &ObjectKey,
    contents: Contents,
) -> Result<(), SystemError> {
    let client = client?;
    let Some(actual) = M::find(&client, &object.kind, &object.name).await? else { return Ok(()) };
    match (M::delete(&client, &object.name, &actual).await, contents) {
        (Err(SystemError::NotEmpty { .. }), Contents::Deleted) => {
            M::empty(&client, &object.name).await?;
            match M::find(&client, &object.kind, &object.name).await? {
                Some(actual) => M::delete(&client, &object.name, &actual).await,
                None => Ok(()),
            }
        }
        (deleted, _) => deleted,
    }
}

fn unmanaged(collection: &str) -> SystemError {
    rejected(
        format!("the operator knows no collection {collection}"),
        "report this as a defect of the operator",
    )
}
