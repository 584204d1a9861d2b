//! What the senders of recorded requests know: passwords that the script set, and secrets that the server made.

use crate::recording::Request;
use serde_json::Value;
use std::collections::BTreeMap;

pub const ADMIN_PASSWORD: &str = "Harbor12345";
const WRONG: &str = "Wrong12345";

/// Passwords and secrets by name. Robots are kept without their prefix, which changes.
pub struct Credentials {
    secrets: BTreeMap<String, String>,
    robots: BTreeMap<i64, String>,
    users: BTreeMap<i64, String>,
}

impl Credentials {
    pub fn new() -> Self {
        let secrets = BTreeMap::from([("admin".to_owned(), ADMIN_PASSWORD.to_owned())]);
        let users = BTreeMap::from([(1, "admin".to_owned())]);
        Self { secrets, robots: BTreeMap::new(), users }
    }

    /// The user name and password of a step.
    pub fn of(&self, step: &str, sender: &str) -> Option<(String, String)> {
        let known = |name: &str| self.secrets.get(plain(name)).cloned().unwrap_or_else(|| WRONG.to_owned());
        match (step, sender) {
            (_, "nobody") => None,
            // The script sent the password that the robot had set.
            ("admin password: back", _) => Some(("admin".to_owned(), known("admin"))),
            (_, "admin, wrong password") => Some(("admin".to_owned(), WRONG.to_owned())),
            ("as robot: secret of the request" | "as robot: wrong secret", name) => {
                Some((name.to_owned(), WRONG.to_owned()))
            }
            (_, name) => Some((name.to_owned(), known(name))),
        }
    }

    /// Learns from an exchange that succeeded.
    pub fn learn(&mut self, request: &Request, location: Option<&str>, answer: &Value) {
        let sent = |key: &str| request.body.as_ref().and_then(|body| body[key].as_str()).map(secret);
        let number = |path: &str| path.rsplit('/').find_map(|part| part.parse::<i64>().ok());
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/api/v2.0/users") => {
                if let (Some(name), Some(password)) = (sent("username"), sent("password")) {
                    self.users.extend(location.and_then(number).map(|id| (id, name.clone())));
                    self.secrets.insert(name, password);
                }
            }
            ("PUT", path) if path.ends_with("/password") => {
                let name = number(path).and_then(|id| self.users.get(&id)).cloned();
                if let (Some(name), Some(password)) = (name, sent("new_password")) {
                    self.secrets.insert(name, password);
                }
            }
            ("POST", "/api/v2.0/robots") => {
                if let (Some(name), Some(secret)) = (answer["name"].as_str(), answer["secret"].as_str()) {
                    self.robots.extend(answer["id"].as_i64().map(|id| (id, plain(name).to_owned())));
                    self.secrets.insert(plain(name).to_owned(), secret.to_owned());
                }
            }
            ("PATCH", path) if path.starts_with("/api/v2.0/robots/") => {
                let name = number(path).and_then(|id| self.robots.get(&id)).cloned();
                let made = answer["secret"].as_str().map(str::to_owned);
                if let (Some(name), Some(secret)) = (name, made.or_else(|| sent("secret"))) {
                    self.secrets.insert(name, secret);
                }
            }
            _ => {}
        }
    }
}

/// A name without the prefixes that the script gives robots.
fn plain(name: &str) -> &str {
    name.strip_prefix("robot$").or_else(|| name.strip_prefix("bot-")).unwrap_or(name)
}

/// A recorded text with the administrator's password put back.
pub fn secret(text: &str) -> String {
    text.replace("<admin password>", ADMIN_PASSWORD)
}
