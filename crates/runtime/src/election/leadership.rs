//! Whether we lead, and a client that writes only while we do.

use http::{Method, Request};
use kube::{Client, client::Body};
use std::sync::Arc;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// Whether this operator leads. What it says is true for the moment it is asked, and is acted upon by the guard of its client.
#[derive(Clone, Debug)]
pub struct Leadership(Arc<watch::Sender<Term>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    /// Somebody else may lead.
    None,
    /// Nobody else does before then.
    Until(Instant),
    /// There is nobody else.
    Forever,
}

impl Term {
    fn lasts(self) -> bool {
        match self {
            Self::None => false,
            Self::Until(end) => Instant::now() < end,
            Self::Forever => true,
        }
    }
}

/// Why a request was not sent.
#[derive(Debug, thiserror::Error)]
#[error("another operator leads, so this one changes nothing")]
struct NotLeading;

impl Leadership {
    /// Of an operator that has no rivals.
    pub(crate) fn unrivalled() -> Self {
        Self(Arc::new(watch::Sender::new(Term::Forever)))
    }

    /// Of an operator that has not won an election yet.
    pub(crate) fn contested() -> Self {
        Self(Arc::new(watch::Sender::new(Term::None)))
    }

    /// Whether we lead.
    pub fn leads(&self) -> bool {
        self.0.borrow().lasts()
    }

    /// We lead until then, unless it is prolonged.
    pub(crate) fn prolong(&self, end: Instant) {
        self.0.send_replace(Term::Until(end));
    }

    /// We do not lead any more.
    pub(crate) fn end(&self) {
        self.0.send_replace(Term::None);
    }

    /// When our term ends, if it does.
    pub(crate) fn until(&self) -> Option<Instant> {
        match *self.0.borrow() {
            Term::Until(end) => Some(end),
            Term::None | Term::Forever => None,
        }
    }

    /// The same client, but what changes anything is sent only while we lead, and abandoned when we no longer do.
    ///
    /// Whoever has no other client cannot forget to ask.
    pub(crate) fn guard(&self, client: Client) -> Client {
        if *self.0.borrow() == Term::Forever {
            return client;
        }
        let leadership = self.clone();
        let (namespace, valid_until) = (client.default_namespace().to_owned(), *client.valid_until());
        let guarded = tower::service_fn(move |request: Request<Body>| {
            let (client, leadership) = (client.clone(), leadership.clone());
            async move {
                if request.method() == Method::GET {
                    return client.send(request).await;
                }
                tokio::select! {
                    biased;
                    () = leadership.ended() => Err(kube::Error::Service(NotLeading.into())),
                    answer = client.send(request) => answer,
                }
            }
        });
        Client::new(guarded, namespace).with_valid_until(valid_until)
    }

    /// Does what changes something outside the cluster: only while we lead, and abandoned when we no longer do.
    pub(crate) async fn while_leading<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.ended() => None,
            done = work => Some(done),
        }
    }

    /// Waits until we do not lead; not at all where we do not.
    async fn ended(&self) {
        let mut term = self.0.subscribe();
        loop {
            let now = *term.borrow_and_update();
            let end = async {
                match now {
                    Term::Until(end) => sleep_until(end).await,
                    Term::None | Term::Forever => std::future::pending().await,
                }
            };
            if !now.lasts() {
                return;
            }
            tokio::select! {
                () = end => {}
                _ = term.changed() => {}
            }
        }
    }
}
