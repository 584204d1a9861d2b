//! One call of the API: what is asked, and in which form the answer is wanted.

use super::{Filter, Harbor, Path, decode::decode, exchange::Answer};
use crate::{
    Secret,
    error::{CallName, Error, Failure, Masks, Message, classify::Checks},
};
use bytes::Bytes;
use http::Method;
use serde::{Serialize, de::DeserializeOwned};

/// A request that can be sent more than once. It may contain secrets, so it has no `Debug` output.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: Path,
    pub(super) query: Vec<(&'static str, String)>,
    pub(super) body: Option<Bytes>,
    /// The secrets of the body.
    pub(super) masks: Masks,
    pub(super) sender: Sender,
    /// The token of an account, if that is sent instead of its password.
    pub(super) token: Option<Secret>,
    pub(super) accept: Accept,
    pub(super) checks: Checks,
    pub(super) route: Route,
    pub(super) answer_for: AnswerFor,
    /// The account's own new password, if the request sets it.
    pub(super) new_password: Option<Secret>,
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    Account,
    Anonymous,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accept {
    Json,
    /// Core answers 422 to a request for text that accepts only JSON.
    Anything,
}

/// Who answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Core,
    /// Core asks JobService and passes its status on, even a 401.
    JobService,
}

/// Who gets an answer. To Harbor, an account with a wrong password is a visitor without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerFor {
    /// Accounts that Harbor accepts.
    Accounts,
    /// Anyone, but visitors get a part: a list of projects without the private ones.
    AnyoneInPart,
    /// Anyone.
    Anyone,
}

impl Request {
    pub(super) fn new(method: Method, path: Path) -> Self {
        Self {
            method,
            path,
            query: Vec::new(),
            body: None,
            masks: Masks::default(),
            sender: Sender::Account,
            token: None,
            accept: Accept::Json,
            checks: Checks::Nothing,
            route: Route::Core,
            answer_for: AnswerFor::Accounts,
            new_password: None,
        }
    }

    pub(super) fn anonymously(mut self) -> Self {
        self.sender = Sender::Anonymous;
        self
    }

    pub(super) fn fails(&self, failure: Failure) -> Error {
        let call = CallName { method: self.method.clone(), path: self.path.as_str().to_owned() };
        Error::new(call, failure)
    }
}

/// Whether a deletion found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// The object was deleted.
    Deleted,
    /// There was no such object.
    Absent,
}

/// A call under construction.
pub(crate) struct Call<'h> {
    harbor: &'h Harbor,
    request: Request,
}

impl<'h> Call<'h> {
    pub(super) fn new(harbor: &'h Harbor, request: Request) -> Self {
        Self { harbor, request }
    }

    /// Adds a parameter.
    pub(crate) fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.request.query.push((name, value.to_string()));
        self
    }

    /// Lists only what matches.
    pub(crate) fn filter(self, filter: &Filter) -> Self {
        match filter.value() {
            Some(value) => self.query("q", value),
            None => self,
        }
    }

    /// Adds a body.
    pub(crate) fn body(mut self, body: &impl Serialize) -> Self {
        // Bodies are structs with text keys, which always have a JSON form.
        let value = serde_json::to_value(body).unwrap_or_default();
        self.request.masks = Masks::of_body(&value);
        self.request.body = Some(value.to_string().into());
        self
    }

    /// Sends no credentials.
    pub(crate) fn anonymously(mut self) -> Self {
        self.request = self.request.anonymously();
        self
    }

    /// Sends a token instead of the password, as clients of the registry do.
    pub(crate) fn with_token(mut self, token: &Secret) -> Self {
        self.request.token = Some(token.clone());
        self.anonymously()
    }

    /// Harbor contacts another system before it answers.
    pub(crate) fn checks_remote(mut self) -> Self {
        self.request.checks = Checks::Remote;
        self
    }

    /// Anyone gets the answer, so it does not prove that Harbor accepts the credentials.
    pub(crate) fn answers_anyone(mut self) -> Self {
        self.request.answer_for = AnswerFor::Anyone;
        self
    }

    /// Anyone gets an answer, but only an account that Harbor accepts gets the right one.
    pub(crate) fn answers_anyone_in_part(mut self) -> Self {
        self.request.answer_for = AnswerFor::AnyoneInPart;
        self
    }

    /// Also accepts text, which is all that Core offers for some requests. It refuses those that accept only JSON.
    pub(crate) fn accepts_text(mut self) -> Self {
        self.request.accept = Accept::Anything;
        self
    }

    /// Core asks JobService.
    pub(crate) fn reaches_jobservice(mut self) -> Self {
        self.request.route = Route::JobService;
        self
    }

    /// Sets the password of the account itself. No other request is under way meanwhile: with the old password it would be
    /// rejected, and would lock the account.
    pub(crate) fn sets_own_password(mut self, new: &Secret) -> Self {
        self.request.new_password = Some(new.clone());
        self
    }

    /// Wants no answer but a success.
    pub(crate) async fn done(self) -> Result<(), Error> {
        self.send().await.map(drop)
    }

    /// Wants a JSON body.
    pub(crate) async fn json<T: DeserializeOwned>(self) -> Result<T, Error> {
        let answer = self.send().await?;
        decode(&answer.body).map_err(|problem| self.unexpected(problem))
    }

    /// Wants a JSON body, or none, if there is nothing to show.
    pub(crate) async fn json_if_any<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        let answer = self.send().await?;
        let body = answer.body.trim_ascii();
        if body.is_empty() || body == b"null" {
            return Ok(None);
        }
        decode(body).map(Some).map_err(|problem| self.unexpected(problem))
    }

    /// Wants a JSON body, or none, if the object does not exist.
    pub(crate) async fn json_if_found<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        match self.json().await {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.failure(), Failure::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Wants the object deleted.
    pub(crate) async fn gone(self) -> Result<Deletion, Error> {
        match self.send().await {
            Ok(_) => Ok(Deletion::Deleted),
            Err(error) if matches!(error.failure(), Failure::NotFound(_)) => Ok(Deletion::Absent),
            Err(error) => Err(error),
        }
    }

    /// Wants the number of the new object.
    pub(crate) async fn created<T: From<i64>>(self) -> Result<T, Error> {
        let answer = self.send().await?;
        let id = answer.created().and_then(|name| name.parse::<i64>().ok());
        id.map(T::from)
            .ok_or_else(|| self.unexpected(Message::new("the number of the new object is missing")))
    }

    /// Wants the name of the new object.
    pub(crate) async fn created_name(self) -> Result<String, Error> {
        let answer = self.send().await?;
        let name = answer.created().map(str::to_owned);
        name.ok_or_else(|| self.unexpected(Message::new("the name of the new object is missing")))
    }

    /// Wants text.
    pub(crate) async fn text(self) -> Result<String, Error> {
        let answer = self.accepts_text().send().await?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The answer to the call.
    pub(super) async fn send(&self) -> Result<Answer, Error> {
        self.harbor.send(&self.request).await
    }

    pub(crate) fn unexpected(&self, problem: Message) -> Error {
        self.harbor.session().distrust();
        self.request.fails(Failure::Unexpected(problem))
    }

    /// The same call for one page of a list.
    pub(super) fn page(&self, number: u32, size: usize) -> Call<'h> {
        let call = Call { harbor: self.harbor, request: self.request.clone() };
        call.query("page", number).query("page_size", size)
    }
}
