//! The quiet of JobService while what it and Core authenticate to each other with is rotated: Core refuses a job that begins with
//! one value and ends with the other.

use super::{
    outlook,
    passes::{Look, Pass},
    turns::Turns,
};
use crate::harbor::{
    part::Part,
    quiet::{self, Drain, Occasion},
    validated::Validated,
};
use plan::{PlanError, World};

/// Why JobService is to be quiet, if a rotation under way needs that. The operator waits for jobs from the moment at which it has
/// generated the first new Secret.
pub(in super::super) fn occasion(
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Option<Occasion>, PlanError> {
    let limit = harbor.installation.rotation.as_ref().and_then(|rotation| rotation.drain_timeout.as_ref());
    let longest = quiet::longest(limit, "spec.rotation.drainTimeout")?;
    let (_, turns) = Turns::with_issuers(harbor, world)?;
    let passes = turns.passes(harbor, world)?;
    let running = passes.iter().find(|progress| progress.pass == Pass::JobSecrets && !progress.has_ended());
    let Some(running) = running.filter(|it| it.pass.look(it.step, Part::JobService) == Some(Look::Stopped))
    else {
        return Ok(None);
    };
    let generated = running.members.iter().filter_map(|it| turns.newest.get(it)?.created);
    let drain = match generated.min() {
        Some(since) if running.step == 0 => Drain::since(since, longest),
        _ => Drain::Over,
    };
    let until = format!("Core and the registry have the new {}", outlook::named(&running.members));
    Ok(Some(Occasion { drain, until }))
}
