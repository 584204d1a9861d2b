use super::standin::{Act, Asked, harbor};
use crate::{Failure, Message};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The number of the page that is asked for.
fn page(asked: &Asked) -> usize {
    assert!(asked.path.contains("page_size=100"), "{}", asked.path);
    let number = asked.path.split("page=").nth(1).unwrap();
    number.split('&').next().unwrap().parse().unwrap()
}

fn users(numbers: impl Iterator<Item = usize>) -> Value {
    numbers.map(|id| json!({"user_id": id, "username": format!("u{id}")})).collect()
}

fn answer(total: Option<usize>, items: &Value) -> Act {
    // A link that must not be followed.
    let mut headers = vec![("link", "</api/v2.0/nonsense?page=2>; rel=\"next\"".to_owned())];
    headers.extend(total.map(|total| ("x-total-count", total.to_string())));
    Act::Answer(200, headers, items.to_string())
}

fn slice(list: &[usize], number: usize) -> Value {
    users(list.iter().copied().skip((number - 1) * 100).take(100))
}

#[tokio::test(start_paused = true)]
async fn pages_are_counted() {
    let list: Vec<_> = (0..250).collect();
    let (harbor, log) = harbor(move |asked| answer(Some(list.len()), &slice(&list, page(asked))));
    let found = harbor.users().list().await.unwrap();
    let expected: Vec<_> = (0..250).collect();
    assert_eq!(found.iter().map(|user| user.id.0).collect::<Vec<_>>(), expected);
    let pages = [1, 2, 3].map(|page| format!("GET /users?page={page}&page_size=100"));
    assert_eq!(log.take(), pages);
}

#[tokio::test(start_paused = true)]
async fn a_full_last_page_is_the_last() {
    let list: Vec<_> = (0..100).collect();
    let (harbor, log) = harbor(move |asked| answer(Some(100), &slice(&list, page(asked))));
    assert_eq!(harbor.users().list().await.unwrap().len(), 100);
    assert_eq!(log.take().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_length_ends_with_a_short_page() {
    let list: Vec<_> = (0..130).collect();
    let (harbor, log) = harbor(move |asked| answer(None, &slice(&list, page(asked))));
    assert_eq!(harbor.users().list().await.unwrap().len(), 130);
    assert_eq!(log.take().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_changes_is_read_again() {
    let before: Vec<_> = (0..150).collect();
    let after: Vec<_> = (1..150).collect();
    let times = Arc::new(AtomicUsize::new(0));
    let (harbor, log) = harbor(move |asked| {
        let list = if times.fetch_add(1, Ordering::Relaxed) == 0 { &before } else { &after };
        answer(Some(list.len()), &slice(list, page(asked)))
    });
    let found = harbor.users().list().await.unwrap();
    assert_eq!(found.iter().map(|user| user.id.0).collect::<Vec<_>>(), (1..150).collect::<Vec<_>>());
    assert_eq!(log.take().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_always_changes_is_read_three_times() {
    let times = Arc::new(AtomicUsize::new(0));
    let (harbor, log) = harbor(move |asked| {
        let length = 150 + times.fetch_add(1, Ordering::Relaxed);
        answer(Some(length), &slice(&(0..length).collect::<Vec<_>>(), page(asked)))
    });
    assert_eq!(harbor.users().list().await.unwrap().len(), 155);
    assert_eq!(log.take().len(), 6);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_moved_to_the_next_page_is_there_once() {
    let (harbor, _) = harbor(move |asked| {
        let items = if page(asked) == 1 { users(0..100) } else { users(99..120) };
        answer(Some(121), &items)
    });
    assert_eq!(harbor.users().list().await.unwrap().len(), 120);
}

#[tokio::test(start_paused = true)]
async fn a_length_that_counts_hidden_objects_is_no_reason_to_go_on() {
    let (harbor, log) = harbor(|_| answer(Some(300), &json!([])));
    assert_eq!(harbor.users().list().await.unwrap(), []);
    assert_eq!(log.take().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn null_and_nothing_are_empty_lists() {
    for body in ["null", ""] {
        let (harbor, _) = harbor(move |_| Act::Answer(200, Vec::new(), body.to_owned()));
        assert_eq!(harbor.users().list().await.unwrap(), []);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_without_end_is_an_error() {
    let (harbor, log) = harbor(|asked| {
        let from = page(asked) * 100;
        answer(Some(usize::MAX), &users(from..from + 100))
    });
    let error = harbor.users().list().await.unwrap_err();
    assert_eq!(*error.failure(), Failure::Unexpected(Message::new("the list is too long")));
    assert_eq!(log.take().len(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_lookup_compares_again() {
    let (harbor, log) = harbor(|_| answer(Some(2), &users(1..3)));
    assert_eq!(harbor.users().find("u2").await.unwrap().map(|user| user.id.0), Some(2));
    assert_eq!(harbor.users().find("u").await.unwrap(), None);
    assert_eq!(log.take()[0], "GET /users?q=username%3Du2&page=1&page_size=100");
}
