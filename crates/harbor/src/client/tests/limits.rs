use super::standin::{Act, harbor, with_limits};
use crate::{Failure, Harbor, Limits, Message};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::Instant};

/// Sends so many requests at once, with clones of the client, and waits for their answers.
async fn ask(harbor: &Harbor, times: usize) {
    let mut requests = JoinSet::new();
    for _ in 0..times {
        let harbor = harbor.with_request_id("x");
        requests.spawn(async move { harbor.users().current().await.map(drop) });
    }
    while let Some(answer) = requests.join_next().await {
        answer.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn four_requests_are_under_way_at_most() {
    let unpaced = Limits { interval: Duration::ZERO, ..Limits::DEFAULT };
    let (harbor, log) = with_limits(unpaced, |_| Act::json(json!({})).after(Duration::from_secs(1)));
    ask(&harbor, 10).await;
    let starts: Vec<_> = log.all().iter().map(|asked| asked.at.as_secs()).collect();
    assert_eq!(starts, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
}

#[tokio::test(start_paused = true)]
async fn twenty_requests_start_per_second_at_most() {
    let (harbor, log) = harbor(|_| Act::json(json!({})));
    ask(&harbor, 41).await;
    let starts: Vec<_> = log.all().iter().map(|asked| asked.at).collect();
    let in_first = starts.iter().filter(|at| **at < Duration::from_secs(1)).count();
    assert_eq!((in_first, starts.last().map(Duration::as_secs)), (20, Some(2)));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_gives_its_place_back() {
    let hanging = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&hanging);
    let (harbor, _) = harbor(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        0..4 => Act::Stall,
        _ => Act::json(json!({})),
    });
    let mut stuck = JoinSet::new();
    for _ in 0..4 {
        let harbor = harbor.clone();
        stuck.spawn(async move { harbor.users().current().await });
    }
    while hanging.load(Ordering::Relaxed) < 4 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stuck.shutdown().await;
    let began = Instant::now();
    harbor.users().current().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_end_is_cut_off() {
    let (harbor, log) = harbor(|_| Act::Flood);
    let error = harbor.users().current().await.unwrap_err();
    assert_eq!(*error.failure(), Failure::Unexpected(Message::new("the body is too long")));
    assert_eq!(log.take().len(), 1);
}
