//! Whether this operator is the leader, and a client that writes only while it is.

use http::{Method, Request};
use kube::{Client, client::Body};
use std::sync::Arc;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// Whether this operator is the leader. The answer is only true for a moment; `Leadership::guard` enforces it for
/// every write.
#[derive(Clone, Debug)]
pub struct Leadership(Arc<watch::Sender<Term>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    /// Another operator may be the leader.
    None,
    /// No other operator can be the leader before this time.
    Until(Instant),
    /// There is no other operator.
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
#[error("another operator is the leader, so this one changes nothing")]
struct NotLeading;

impl Leadership {
    /// The leadership of an operator without leader election.
    pub fn permanent() -> Self {
        Self(Arc::new(watch::Sender::new(Term::Forever)))
    }

    /// The leadership of a candidate that is not the leader yet.
    pub fn candidate() -> Self {
        Self(Arc::new(watch::Sender::new(Term::None)))
    }

    /// Whether this operator is the leader.
    pub fn leads(&self) -> bool {
        self.0.borrow().lasts()
    }

    /// Makes this operator the leader until `end`.
    pub fn prolong(&self, end: Instant) {
        self.0.send_replace(Term::Until(end));
    }

    /// Ends the leadership.
    pub fn end(&self) {
        self.0.send_replace(Term::None);
    }

    /// When the term ends, if it does.
    pub fn until(&self) -> Option<Instant> {
        match *self.0.borrow() {
            Term::Until(end) => Some(end),
            Term::None | Term::Forever => None,
        }
    }

    /// The same client, but it sends writes only while this operator is the leader, and abandons them when it no
    /// longer is.
    ///
    /// Code that has only this client cannot forget the check.
    pub fn guard(&self, client: Client) -> Client {
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
    pub async fn while_leading<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.ended() => None,
            done = work => Some(done),
        }
    }

    /// Waits until this operator leads; not at all if it does.
    pub async fn acquired(&self) {
        // The sender lives as long as this value.
        let _ = self.0.subscribe().wait_for(|term| term.lasts()).await;
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
