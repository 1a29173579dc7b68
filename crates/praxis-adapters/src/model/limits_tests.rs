use super::*;
use praxis_engine::clock::TokioClock;
use std::future::Future;
use std::pin::pin;
use std::task::Poll;

const BEGIN: Timestamp = Timestamp(1_800_000_000_000);
const NEVER: Timestamp = Timestamp(u64::MAX);

fn limiter(limits: EndpointLimits) -> Arc<Limiter> {
    Limiter::new(limits, Arc::new(TokioClock::starting_at(BEGIN)))
}

fn passed(limiter: &Limiter) -> u64 {
    limiter.clock.now().since(BEGIN)
}

/// Looks at a future once.
async fn look<T>(future: &mut std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_minute_lets_through_what_it_may_and_the_rest_one_by_one() {
    let limiter =
        limiter(EndpointLimits { requests_per_minute: Some(60), ..EndpointLimits::default() });
    for _ in 0..60 {
        limiter.enter(1, NEVER).await.unwrap();
    }
    assert_eq!(passed(&limiter), 0, "a minute's worth at once");
    for nth in 1..=5 {
        limiter.enter(1, NEVER).await.unwrap();
        assert_eq!(passed(&limiter), nth * 1000);
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_are_reserved_and_settled_by_what_was_used() {
    let limiter =
        limiter(EndpointLimits { tokens_per_minute: Some(6000), ..EndpointLimits::default() });
    let mut permit = limiter.enter(6000, NEVER).await.unwrap();
    permit.settle(1000);
    drop(permit);
    let mut permit = limiter.enter(5000, NEVER).await.unwrap();
    assert_eq!(passed(&limiter), 0, "the unused ones were given back");
    permit.settle(5600);
    drop(permit);
    limiter.enter(100, NEVER).await.unwrap();
    assert_eq!(passed(&limiter), 7000, "and 600 too many are waited for, at 100 a second");
    limiter.enter(1_000_000, NEVER).await.unwrap();
    assert_eq!(passed(&limiter), 67_000, "more than a minute's worth waits for a whole minute");
}

#[tokio::test(start_paused = true)]
async fn requests_go_in_the_order_of_arrival_and_the_queue_is_seen() {
    let limiter = limiter(EndpointLimits { in_flight: Some(1), ..EndpointLimits::default() });
    let first = limiter.enter(1, NEVER).await.unwrap();
    let (mut second, mut third) = (pin!(limiter.enter(1, NEVER)), pin!(limiter.enter(1, NEVER)));
    assert!(look(&mut second).await.is_none() && look(&mut third).await.is_none());
    tokio::time::advance(std::time::Duration::from_millis(1500)).await;
    let seen = limiter.pressure();
    assert_eq!((seen.waiting, seen.in_flight, seen.head_waits_ms), (2, 1, 1500));
    drop(first);
    assert!(look(&mut third).await.is_none(), "the second was here before");
    let second = look(&mut second).await.unwrap();
    assert_eq!(limiter.pressure().waiting, 1);
    drop(second);
    assert!(look(&mut third).await.is_some());
    assert_eq!(limiter.pressure(), LimiterPressure::default());
}

#[tokio::test(start_paused = true)]
async fn one_that_goes_away_is_forgotten_wherever_it_stood() {
    let limiter = limiter(EndpointLimits { in_flight: Some(1), ..EndpointLimits::default() });
    let first = limiter.enter(1, NEVER).await.unwrap();
    let mut third = pin!(limiter.enter(1, NEVER));
    {
        let mut second = pin!(limiter.enter(1, NEVER));
        assert!(look(&mut second).await.is_none() && look(&mut third).await.is_none());
        // It is told that it may go, and leaves before it looks.
        drop(first);
    }
    assert!(look(&mut third).await.is_some());
    assert_eq!((limiter.pressure().in_flight, limiter.pressure().waiting), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_asked_to_be_left_alone_is_left_alone_by_all() {
    let limiter = limiter(EndpointLimits::default());
    limiter.rest_until(BEGIN.plus_ms(7000));
    limiter.rest_until(BEGIN.plus_ms(3000));
    assert_eq!(limiter.pressure().resting_until, Some(BEGIN.plus_ms(7000)));
    let late = limiter.enter(1, BEGIN.plus_ms(6999)).await;
    assert_eq!(late.err(), Some(QueueTimeout(BEGIN.plus_ms(7000))));
    assert_eq!(passed(&limiter), 0, "it is not waited for what cannot come in time");
    limiter.enter(1, NEVER).await.unwrap();
    assert_eq!(passed(&limiter), 7000);
    assert_eq!(limiter.pressure(), LimiterPressure::default());
}

#[tokio::test(start_paused = true)]
async fn who_is_not_first_in_time_leaves_the_queue() {
    let limiter = limiter(EndpointLimits { in_flight: Some(1), ..EndpointLimits::default() });
    let _held = limiter.enter(1, NEVER).await.unwrap();
    let late = limiter.enter(1, BEGIN.plus_ms(500)).await;
    assert_eq!((late.err(), passed(&limiter)), (Some(QueueTimeout(BEGIN.plus_ms(500))), 500));
    assert_eq!(limiter.pressure().waiting, 0);
}

#[tokio::test(start_paused = true)]
async fn who_waits_is_told_how_many_come_before_and_when_it_may_go() {
    let limiter = limiter(EndpointLimits { in_flight: Some(1), ..EndpointLimits::default() });
    let first = limiter.enter(1, NEVER).await.unwrap();
    let mut second = pin!(limiter.enter(1, NEVER));
    assert!(look(&mut second).await.is_none());
    let mut told = Vec::new();
    {
        let mut tell = |waiting| told.push(waiting);
        let mut third = pin!(limiter.enter_telling(1, NEVER, &mut tell));
        assert!(look(&mut third).await.is_none());
        drop(first);
        let second = look(&mut second).await.unwrap();
        assert!(look(&mut third).await.is_none());
        limiter.rest_until(limiter.clock.now().plus_ms(5000));
        drop(second);
        assert!(third.await.is_ok());
    }
    let turn = |before, until| WaitReason::Turn { before, until };
    let rest = Some(BEGIN.plus_ms(5000));
    assert_eq!(told, [turn(2, None), turn(1, None), turn(0, rest), WaitReason::Over]);
}
