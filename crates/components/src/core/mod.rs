//! Core: Harbor's API server.

use api::v1beta1;
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::Core`].
pub struct Core;

impl Component for Core {
    type Owner = v1beta1::Core;

    const NAME: &'static str = "core";

    fn children() -> Children {
        Children::none()
    }

    fn desired(_: &v1beta1::Core, _: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
        Ok(())
    }
}
