//! Reading users.

use super::{ADMIN, Listed, User};
use crate::{
    access::Identity,
    call::Call,
    failure::Failure,
    rest::{Filter, Page, Reply, Sort, Term},
    state::Id,
    version::Change,
};
use serde_json::json;

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let (page, filter) = (Page::of(call.request)?, call.filter()?);
    call.on_system("user", "list")?;
    let mut users: Vec<_> = call.data.other_users().filter(|user| filter.keeps(user)).collect();
    Sort::of(call.request, "username").apply(&mut users);
    let admin = call.data.users.get(ADMIN).map(|user| Listed(ADMIN, user));
    let counts_admin =
        !call.has(Change::CountsUsersWithoutAdmin) && admin.is_some_and(|it| filter.keeps(&it));
    let total = users.len() + usize::from(counts_admin);
    let shown = page.cut(users).into_iter().map(|user| user.1.show(user.0)).collect();
    Ok(page.answer(call.request, total, shown))
}

pub(super) fn search(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let name = call.request.required("username")?.to_owned();
    call.authenticated()?;
    let filter = Filter::default().and("username", Term::Fuzzy(name));
    call.listed(
        &filter,
        "username",
        call.data.other_users(),
        |user| json!({ "user_id": user.0.number(), "username": user.1.name }),
    )
}

pub(super) fn current(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.authenticated()?;
    let kind = match &call.identity {
        Identity::User { id, .. } => {
            let user = call.data.users.get(*id).ok_or_else(Failure::unauthorized)?;
            return Ok(Reply::json(user.show(*id)));
        }
        Identity::Robot { .. } => "robot",
        Identity::Component | Identity::Anonymous => "solution_user",
    };
    Err(Failure::precondition(format!("get current user not available for security context: {kind}")))
}

/// Only administrators get the list of permissions.
pub(super) fn permissions(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.authenticated()?;
    Ok(Reply::json(json!([])))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<User> = call.id("user_id")?;
    call.authenticated()?;
    if !matches!(call.identity, Identity::User { id: asking, .. } if asking == id) {
        call.on_system("user", "read")?;
    }
    let user = call.data.users.get(id).ok_or_else(|| Failure::not_found(format!("user {id} not found")))?;
    Ok(Reply::json(user.show(id)))
}
