//! The spec of a HarborCluster, whose fields v1beta1 has moved.
//!
//! v1alpha3 has the spec of a Harbor, in which `redis`, `database` and `imageChartStorage` describe services that
//! exist, and beside it `inClusterCache`, `inClusterDatabase` and `inClusterStorage` for services that the operator
//! runs, which win. v1beta1 has one field for each service, with a kind and the settings of that kind.

mod redirect;
mod schema;

pub use self::schema::lower_schema;

use super::{ConversionError, object_in};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// A service that a Harbor needs.
struct Service {
    /// Its field in v1beta1.
    field: &'static str,
    /// The one that the operator runs.
    in_cluster: InCluster,
    /// The ones that exist, in the order in which v1alpha3 prefers them.
    external: &'static [External],
}

/// A service that the operator runs.
struct InCluster {
    /// Its field in v1alpha3.
    field: &'static str,
    /// The only kind that v1alpha3 has of it.
    kind: &'static str,
    /// The field of its settings in v1alpha3.
    settings: &'static str,
    /// The same in v1beta1.
    choice: Choice,
    /// The version of the other operator, which v1beta1 requires and v1alpha3 lacks.
    operator_version: &'static str,
}

/// A service that exists.
struct External {
    /// The object of the spec in which v1alpha3 has its settings, unless it is the spec itself.
    within: Option<&'static str>,
    /// The field of its settings in v1alpha3.
    settings: &'static str,
    /// The same in v1beta1.
    choice: Choice,
}

/// A kind of a service in v1beta1, and the field of its settings.
struct Choice {
    kind: &'static str,
    settings: &'static str,
}

/// Where v1alpha3 has the stores that exist.
const STORE: &str = "imageChartStorage";

static SERVICES: [Service; 3] = [
    Service {
        field: "cache",
        in_cluster: InCluster {
            field: "inClusterCache",
            kind: "Redis",
            settings: "redisSpec",
            choice: Choice { kind: "RedisFailover", settings: "redisFailover" },
            operator_version: "1.0.0",
        },
        external: &[External {
            within: None,
            settings: "redis",
            choice: Choice { kind: "Redis", settings: "redis" },
        }],
    },
    Service {
        field: "database",
        in_cluster: InCluster {
            field: "inClusterDatabase",
            kind: "PostgresSQL",
            settings: "postgresSqlSpec",
            choice: Choice { kind: "Zlando/PostgreSQL", settings: "zlandoPostgreSql" },
            operator_version: "1.5.0",
        },
        external: &[External {
            within: None,
            settings: "database",
            choice: Choice { kind: "PostgreSQL", settings: "postgresql" },
        }],
    },
    Service {
        field: "storage",
        in_cluster: InCluster {
            field: "inClusterStorage",
            kind: "MinIO",
            settings: "minIOSpec",
            choice: Choice { kind: "MinIO", settings: "minIO" },
            operator_version: "4.0.6",
        },
        external: &[
            External {
                within: Some(STORE),
                settings: "filesystem",
                choice: Choice { kind: "FileSystem", settings: "fileSystem" },
            },
            External { within: Some(STORE), settings: "s3", choice: Choice { kind: "S3", settings: "s3" } },
            External {
                within: Some(STORE),
                settings: "swift",
                choice: Choice { kind: "Swift", settings: "swift" },
            },
        ],
    },
];

/// Turns the spec into that of v1beta1. A service that v1alpha3 says nothing about stays absent: the object can be
/// read, and the API server and the operator say what is missing.
pub fn raise(spec: &mut Object) -> Result<(), ConversionError> {
    for service in &SERVICES {
        service.refuse_v1beta1(spec)?;
    }
    let redirect = redirect::raise(spec)?;
    for service in &SERVICES {
        if let Some(raised) = service.raise(spec)? {
            spec.insert(service.field.to_owned(), raised);
        }
    }
    if let Some(store) = take_object(spec, STORE)? {
        refuse_rest(&store).map_err(|error| error.within(STORE))?;
    }
    if let Some(redirect) = redirect {
        let storage = spec.entry("storage").or_insert_with(|| json!({"spec": {}}));
        storage["spec"]["redirect"] = redirect;
    }
    Ok(())
}

/// Turns the spec into that of v1alpha3, with fields that v1alpha3 lacks. Of each service it has the one that the kind
/// names, and none if v1alpha3 does not know the kind.
pub fn lower(spec: &mut Object) {
    let redirect = spec.get("storage").and_then(|storage| storage.pointer("/spec/redirect")).cloned();
    let services = SERVICES.each_ref().map(|service| (service, take(spec, service.field)));
    // Fields of v1alpha3 mean nothing in v1beta1.
    for service in &SERVICES {
        spec.remove(service.in_cluster.field);
        for external in service.external {
            spec.remove(external.within.unwrap_or(external.settings));
        }
    }
    for (service, value) in &services {
        if let Some(value) = value {
            service.lower(value, spec);
        }
    }
    if let Some(Value::Object(redirect)) = redirect {
        redirect::lower(redirect, spec);
    }
}

impl Service {
    /// Refuses an object that is written as in v1beta1, although it says v1alpha3.
    fn refuse_v1beta1(&self, spec: &Object) -> Result<(), ConversionError> {
        let Some(value) = spec.get(self.field).filter(|value| !value.is_null()) else { return Ok(()) };
        let in_both = self.external.iter().any(|external| external.settings == self.field);
        if in_both && value.get("kind").is_none() {
            return Ok(());
        }
        Err(ConversionError::field(
            self.field,
            "is a field of v1beta1, but apiVersion is goharbor.io/v1alpha3; change one of them",
        ))
    }

    fn raise(&self, spec: &mut Object) -> Result<Option<Value>, ConversionError> {
        let mut kind = None;
        let mut settings = Object::new();
        if let Some(in_cluster) = take_object(spec, self.in_cluster.field)? {
            kind = Some(self.in_cluster.choice.kind);
            let of_kind = self.in_cluster.raise(in_cluster);
            if let Some(of_kind) = of_kind.map_err(|error| error.within(self.in_cluster.field))? {
                settings.insert(self.in_cluster.choice.settings.to_owned(), of_kind.into());
            }
        }
        for external in self.external {
            let within = match external.within {
                Some(within) => object_in(spec, within)?,
                None => Some(&mut *spec),
            };
            if let Some(of_kind) = within.and_then(|within| take(within, external.settings)) {
                kind = kind.or(Some(external.choice.kind));
                settings.insert(external.choice.settings.to_owned(), of_kind);
            }
        }
        Ok(kind.map(|kind| json!({"kind": kind, "spec": settings})))
    }

    fn lower(&self, value: &Value, spec: &mut Object) {
        let Some(kind) = value["kind"].as_str() else { return };
        let in_cluster = &self.in_cluster;
        if kind == in_cluster.choice.kind {
            let mut lowered = json!({"kind": in_cluster.kind});
            if let settings @ Value::Object(_) = &value["spec"][in_cluster.choice.settings] {
                lowered[in_cluster.settings] = settings.clone();
            }
            spec.insert(in_cluster.field.to_owned(), lowered);
        } else if let Some(external) = self.external.iter().find(|external| kind == external.choice.kind) {
            let settings = value["spec"][external.choice.settings].clone();
            match external.within {
                Some(within) => spec.insert(within.to_owned(), json!({external.settings: settings})),
                None => spec.insert(external.settings.to_owned(), settings),
            };
        }
    }
}

impl InCluster {
    /// The settings in v1beta1.
    fn raise(&self, mut in_cluster: Object) -> Result<Option<Object>, ConversionError> {
        in_cluster.remove("kind");
        let mut settings = take_object(&mut in_cluster, self.settings)?;
        refuse_rest(&in_cluster)?;
        if let Some(settings) = &mut settings {
            settings.entry("operatorVersion").or_insert_with(|| self.operator_version.into());
        }
        Ok(settings)
    }
}

/// Takes a value out of an object. `null` counts as absent.
fn take(object: &mut Object, name: &str) -> Option<Value> {
    object.remove(name).filter(|value| !value.is_null())
}

/// Takes an object out of another.
fn take_object(object: &mut Object, name: &str) -> Result<Option<Object>, ConversionError> {
    match take(object, name) {
        Some(Value::Object(taken)) => Ok(Some(taken)),
        Some(other) => Err(ConversionError::not_an_object(name, &other)),
        None => Ok(None),
    }
}

/// Refuses fields that v1alpha3 lacks and that have no place in v1beta1.
fn refuse_rest(object: &Object) -> Result<(), ConversionError> {
    match object.keys().next() {
        Some(name) => Err(ConversionError::field(name, "is not a field of v1alpha3; remove it")),
        None => Ok(()),
    }
}
