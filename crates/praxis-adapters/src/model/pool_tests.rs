use super::*;
use crate::model::limits::{EndpointLimits, Limiter};
use praxis_core::ask::fault::RetryDelay;
use praxis_engine::clock::TokioClock;

const BEGIN: Timestamp = Timestamp(1_800_000_000_000);

/// An endpoint that says what it is told, and when it was asked.
struct Scripted {
    name: &'static str,
    script: Mutex<Vec<ModelFault>>,
    asked: Arc<Mutex<Vec<(&'static str, u64)>>>,
    clock: Arc<dyn Clock>,
    health: EndpointHealth,
    limiter: Arc<Limiter>,
}

impl PoolEndpoint for Scripted {
    fn once<'a>(
        &'a self,
        _: &'a ModelRequest,
        _: ReplyListener<'a>,
        deadline: Timestamp,
    ) -> BoxFuture<'a, EndpointTry> {
        Box::pin(async move {
            let permit = self.limiter.enter(1, deadline).await;
            if permit.is_err() {
                let outcome = Err(ModelFault::ModelRateLimited { wait: None });
                return EndpointTry { outcome, spent: TokenUsage::default() };
            }
            self.asked.lock().unwrap().push((self.name, self.clock.now().since(BEGIN)));
            let mut script = self.script.lock().unwrap();
            let fault = (!script.is_empty()).then(|| script.remove(0));
            let spent = TokenUsage { prompt: u64::from(fault.is_some()), ..TokenUsage::default() };
            let reply = ModelReply { text: self.name.to_owned(), ..ModelReply::default() };
            EndpointTry { outcome: fault.map_or(Ok(reply), Err), spent }
        })
    }

    fn health(&self) -> &EndpointHealth {
        &self.health
    }

    fn pressure(&self) -> LimiterPressure {
        self.limiter.pressure()
    }
}

struct Scene {
    pool: EndpointPool,
    asked: Arc<Mutex<Vec<(&'static str, u64)>>>,
    hands: Vec<Arc<Scripted>>,
    clock: Arc<dyn Clock>,
}

fn scene(scripts: Vec<(&'static str, Vec<ModelFault>)>) -> Scene {
    let clock: Arc<dyn Clock> = Arc::new(TokioClock::starting_at(BEGIN));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let hand = |(name, script)| {
        Arc::new(Scripted {
            name,
            script: Mutex::new(script),
            asked: Arc::clone(&asked),
            clock: Arc::clone(&clock),
            health: EndpointHealth::default(),
            limiter: Limiter::new(EndpointLimits::default(), Arc::clone(&clock)),
        })
    };
    let hands: Vec<Arc<Scripted>> = scripts.into_iter().map(hand).collect();
    let dynamic = hands.iter().map(|hand| Arc::clone(hand) as Arc<dyn PoolEndpoint>).collect();
    let bounds = CallBounds { tries: 4, total_ms: 20_000, ..CallBounds::default() };
    let pool = EndpointPool::new(dynamic, bounds, Arc::clone(&clock));
    Scene { pool, asked, hands, clock }
}

impl Scene {
    async fn ask(&self) -> Result<ModelAnswered, ModelCallFailed> {
        self.pool.ask(&ModelRequest::default(), &mut |_| {}).await
    }

    fn asked(&self) -> Vec<(&'static str, u64)> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

fn unreachable() -> ModelFault {
    ModelFault::ModelUnreachable { message: "refused".to_owned() }
}

#[tokio::test(start_paused = true)]
async fn endpoints_are_asked_in_turn() {
    let scene = scene(vec![("a", vec![]), ("b", vec![]), ("c", vec![])]);
    for _ in 0..4 {
        scene.ask().await.unwrap();
    }
    assert_eq!(scene.asked(), [("a", 0), ("b", 0), ("c", 0), ("a", 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_question_moves_on_at_once_and_what_failed_rests_longer_each_time() {
    let scene = scene(vec![("a", vec![unreachable(), unreachable()]), ("b", vec![])]);
    let answer = scene.ask().await.unwrap();
    assert_eq!((answer.reply.text.as_str(), answer.spent.prompt), ("b", 1));
    assert_eq!(scene.asked(), [("a", 0), ("b", 0)]);
    scene.ask().await.unwrap();
    scene.ask().await.unwrap();
    assert_eq!(scene.asked(), [("b", 0), ("b", 0)], "while it rests only the other is asked");
    scene.clock.sleep_until(BEGIN.plus_ms(1000)).await;
    scene.ask().await.unwrap();
    scene.ask().await.unwrap();
    let asked = scene.asked();
    assert!(asked.contains(&("a", 1000)), "{asked:?}");
    assert_eq!(scene.hands[0].health.rests_until(), BEGIN.plus_ms(3000), "twice as long");
    scene.clock.sleep_until(BEGIN.plus_ms(3000)).await;
    scene.ask().await.unwrap();
    scene.ask().await.unwrap();
    let asked = scene.asked();
    assert!(asked.contains(&("a", 3000)), "{asked:?}");
    assert_eq!(scene.hands[0].health.rests_until(), Timestamp(0), "it is well again");
}

#[tokio::test(start_paused = true)]
async fn one_that_asks_to_be_left_alone_is_left_alone_while_another_answers() {
    let limited = ModelFault::ModelRateLimited { wait: Some(RetryDelay::Ms(9000)) };
    let scene = scene(vec![("a", vec![limited]), ("b", vec![unreachable()])]);
    scene.ask().await.unwrap();
    // Both have failed; b may be asked again first.
    assert_eq!(scene.asked(), [("a", 0), ("b", 0), ("b", 1000)]);
    assert_eq!(scene.hands[0].health.rests_until(), BEGIN.plus_ms(9000));
}

#[tokio::test(start_paused = true)]
async fn tries_and_time_are_bounded_over_all_endpoints_together() {
    let scene = scene(vec![("a", vec![unreachable(); 9]), ("b", vec![unreachable(); 9])]);
    let failed = scene.ask().await.unwrap_err();
    assert_eq!((failed.fault, failed.spent.prompt), (unreachable(), 4));
    assert_eq!(scene.asked(), [("a", 0), ("b", 0), ("a", 1000), ("b", 1000)]);
    let far = ModelFault::ModelOverloaded { wait: Some(RetryDelay::Ms(50_000)) };
    let scene = self::scene(vec![("a", vec![far.clone()])]);
    assert_eq!(scene.ask().await.unwrap_err().fault, far);
    assert_eq!(scene.asked(), [("a", 0)], "what lies past the deadline is not waited for");
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_at_one_place_may_be_right_at_another_and_a_bad_question_is_bad_everywhere() {
    let denied =
        ModelFault::ModelDenied { status: 401, message: String::new(), message_zh: String::new() };
    let scene = scene(vec![("a", vec![denied.clone(); 9]), ("b", vec![denied.clone()])]);
    assert_eq!(scene.ask().await.unwrap_err().fault, denied);
    assert_eq!(scene.asked(), [("a", 0), ("b", 0)], "each is asked once");
    let long = ModelFault::ModelContextExceeded { message: String::new() };
    let scene = self::scene(vec![("a", vec![long.clone()]), ("b", vec![])]);
    assert_eq!(scene.ask().await.unwrap_err().fault, long);
    assert_eq!(scene.asked(), [("a", 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_new_question_does_not_wait_for_a_guess_but_for_what_the_endpoint_asked() {
    let scene = scene(vec![("a", vec![unreachable(); 4])]);
    scene.ask().await.unwrap_err();
    let end = scene.asked().last().unwrap().1;
    scene.ask().await.unwrap();
    assert_eq!(scene.asked(), [("a", end)], "it may be back by now");
    let until = scene.clock.now().plus_ms(5000);
    scene.hands[0].limiter.rest_until(until);
    scene.ask().await.unwrap();
    assert_eq!(scene.asked(), [("a", until.since(BEGIN))]);
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_its_own_failures_alone_and_says_so() {
    let scene = scene(vec![("a", vec![unreachable(); 8])]);
    scene.ask().await.unwrap_err();
    let begun = scene.clock.now();
    scene.asked();
    let mut waits = Vec::new();
    let mut hear = |delta| {
        if let Delta::Waiting(WaitReason::Rest { fault, until }) = delta {
            assert_eq!(fault, unreachable());
            waits.push(until.since(begun));
        }
    };
    scene.pool.ask(&ModelRequest::default(), &mut hear).await.unwrap_err();
    assert_eq!(waits, [1000, 3000, 7000], "the failures of the first question are not its own");
    let asked: Vec<u64> = scene.asked().iter().map(|(_, at)| *at - begun.since(BEGIN)).collect();
    assert_eq!(asked, [0, 1000, 3000, 7000]);
}
