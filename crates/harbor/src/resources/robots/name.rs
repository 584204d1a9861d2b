//! Names of robots.

/// The name that a robot was created with, from the one that Harbor shows: without the prefix of robots, and without the
/// project. `None` if the prefix does not fit, since it can be changed at any time.
pub fn robot_name<'a>(shown: &'a str, prefix: &str, project: Option<&str>) -> Option<&'a str> {
    let stored = shown.strip_prefix(prefix)?;
    match project {
        Some(project) => stored.strip_prefix(project)?.strip_prefix('+'),
        None => Some(stored),
    }
}
