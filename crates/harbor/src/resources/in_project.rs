//! What belongs to one project.

use crate::{Harbor, client::Path};

impl Harbor {
    /// What belongs to the project with this name.
    pub fn project<'h>(&'h self, name: &'h str) -> InProject<'h> {
        InProject { harbor: self, name }
    }
}

/// What belongs to one project.
#[derive(Clone, Copy, Debug)]
pub struct InProject<'h> {
    harbor: &'h Harbor,
    name: &'h str,
}

impl<'h> InProject<'h> {
    pub(super) fn harbor(self) -> &'h Harbor {
        self.harbor
    }

    pub(super) fn path(self, part: &'static str) -> Path {
        Path::new("/projects").name(self.name).then(part)
    }
}
