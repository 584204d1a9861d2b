//! All schedules.

use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    jobs::Schedule,
    rest::{Column, Filter, Reply, Route, Row, Shown},
    state::Id,
};

pub(super) const ROUTES: &[Route] =
    &[Route::get("/schedules", list).since(7), Route::get("/schedules/{job_type}/paused", paused).since(7)];

const RESOURCE: &str = "jobservice-monitor";

struct Listed<'a>(Id<Schedule>, &'a Schedule);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        (name == "id").then(|| Column::Number(self.0.number()))
    }
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "list")?;
    let schedules = call.data.jobs.schedules.iter().map(|(id, schedule)| Listed(id, schedule));
    call.listed(&Filter::default(), "id", schedules, |Listed(id, schedule)| {
        Shown::new()
            .with("id", id.number())
            .with("cron", schedule.cron.as_str())
            .with("vendor_type", schedule.vendor.name())
            .nonzero("vendor_id", schedule.vendor_id)
            .with("update_time", date_time(schedule.updated))
            .into()
    })
}

/// Schedules stand still while the queue of the scheduler is paused.
fn paused(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "list")?;
    Ok(Reply::json(Shown::new().with("paused", call.data.jobs.paused.contains("SCHEDULER"))))
}
