//! A component whose only child is itself a component.

use super::widget::{Widget, WidgetSpec};
use kube::{CustomResource, ResourceExt as _};
use plan::{Builder, ChildName, Children, Component, Manifest, Observe, PlanError, Readiness, World};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Gadget",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
pub struct GadgetSpec {
    /// What its widget says.
    pub message: String,
    /// A Secret that its widget reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
}

impl Manifest for Widget {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let conditions = self.status.iter().flat_map(|status| &status.conditions);
        let ready = conditions.into_iter().find(|condition| condition.type_ == "Ready");
        match ready {
            Some(ready) if ready.status == "True" => Readiness::Ready,
            Some(ready) => Readiness::Progressing(ready.message.clone().unwrap_or_default()),
            None => Readiness::Progressing("no status yet".into()),
        }
    }
}

pub struct GadgetComponent;

impl Component for GadgetComponent {
    type Owner = Gadget;

    const NAME: &'static str = "gadget";

    fn children() -> Children {
        Children::none().and::<Widget>()
    }

    fn desired(gadget: &Gadget, _: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let name = ChildName::of(&gadget.name_any(), Self::NAME)?;
        let GadgetSpec { message, reads } = gadget.spec.clone();
        let spec = WidgetSpec { message, reads, ..WidgetSpec::default() };
        let mut widget = Widget::new(&name, spec);
        widget.metadata.namespace = gadget.namespace();
        graph.add::<Widget>(widget, ());
        Ok(())
    }
}
