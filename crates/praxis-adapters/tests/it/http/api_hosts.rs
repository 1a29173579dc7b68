//! No request of the tool `API`, and none whose host is an argument of a manifest, reaches what is inside: by no
//! form of an address, by no redirect, by no name that changes. The canaries listen where the forms lead.

use super::forms::{INSIDE, NO_HOST, PLACES, UNICODE};
use super::rig::{World, built_in, guard, resolver, strict, tool};
use praxis_adapters::http::{Guard, Resolve};
use praxis_core::call::tool::Tool;
use praxis_testkit::server::{ServerReply, TestServer};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

fn api() -> &'static Tool {
    static TOOL: OnceLock<Tool> = OnceLock::new();
    TOOL.get_or_init(|| built_in("API"))
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Servers that nobody may visit: one port, on both loopbacks.
struct Canaries(Vec<TestServer>);

impl Canaries {
    async fn start() -> Self {
        loop {
            let first = TestServer::start(|_, _| ServerReply::json(&json!("reached"))).await;
            let port = first.address.port();
            let places = [SocketAddr::new(ip("::1"), port), SocketAddr::new(ip("127.0.0.2"), port)];
            let mut all = vec![first];
            for place in places {
                all.extend(
                    TestServer::at(place, |_, _| ServerReply::json(&json!("reached"))).await.ok(),
                );
            }
            // A machine without IPv6 has two; a port that is taken there is tried again elsewhere.
            if all.len() >= 2 {
                return Self(all);
            }
        }
    }

    fn port(&self) -> u16 {
        self.0[0].address.port()
    }

    async fn visitors(&self) -> usize {
        let mut count = 0;
        for canary in &self.0 {
            count += canary.visitors().await.unwrap();
        }
        count
    }
}

/// Every name is inside.
fn treacherous() -> Resolve {
    resolver(|name| {
        vec![ip(if name.contains("metadata") { "169.254.169.254" } else { "127.0.0.1" })]
    })
}

fn shut() -> Arc<Guard> {
    guard(&[], treacherous())
}

/// Whole addresses of everything that is inside, in every form.
fn addresses(port: u16) -> Vec<String> {
    let hosts = INSIDE.iter().chain(UNICODE).chain(NO_HOST);
    let mut all: Vec<String> = hosts.clone().map(|host| format!("http://{host}:{port}/")).collect();
    all.extend(hosts.clone().map(|host| format!("https://{host}:{port}/x?y")));
    all.extend(hosts.map(|host| format!("http://{host}/")));
    all.extend(PLACES.iter().map(|place| place.replace("PORT", &port.to_string())));
    all
}

// B-033
#[tokio::test]
async fn no_form_of_an_inside_address_is_reached_by_the_tool() {
    let canaries = Canaries::start().await;
    let all = addresses(canaries.port());
    assert!(INSIDE.len() + UNICODE.len() + NO_HOST.len() + PLACES.len() >= 240 && all.len() >= 600);
    // What the flow names beside does not open these.
    let worlds = ["127.0.0.1:1", "good.test:1", "localhost:1"]
        .map(|host| World { written: Some(host.to_owned()), ..World::new(shut()) });
    for (url, world) in all.iter().zip(worlds.iter().cycle()) {
        for method in ["GET", "POST"] {
            let ended = world.call(api(), json!({"url": url, "method": method})).await;
            let fault = ended.unwrap_err().fault;
            // What is no address at all is refused as an argument.
            assert!(matches!(fault.code(), "call_refused" | "params_invalid"), "{url}: {fault}");
        }
    }
    assert_eq!(canaries.visitors().await, 0);
}

// B-033
#[tokio::test]
async fn the_canary_is_seen_where_the_manifest_or_the_flow_names_it() {
    let canaries = Canaries::start().await;
    let port = canaries.port();
    for (number, host) in ["127.0.0.1", "2130706433", "0x7f.1", "①②⑦.0.0.1"].into_iter().enumerate()
    {
        let url = format!("http://{host}:{port}/");
        World::new(strict()).call(&tool(json!({ "url": url })), json!({})).await.unwrap();
        let world = World { written: Some(format!("127.0.0.1:{port}")), ..World::new(strict()) };
        let output = world.call(api(), json!({ "url": url })).await.unwrap();
        assert_eq!(output["result"], json!("reached"));
        assert_eq!(canaries.visitors().await, (number + 1) * 2, "{host}");
    }
}

#[tokio::test]
async fn no_redirect_of_a_written_host_leads_inside() {
    let canaries = Canaries::start().await;
    let encoded = |form: &str| form.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let port = canaries.port();
    let plain = INSIDE.iter().map(|form| format!("http://{form}:{port}/"));
    let other = UNICODE.iter().map(|form| format!("http://{}:{port}/", encoded(form)));
    let whole = PLACES.iter().map(|place| place.replace("PORT", &port.to_string()));
    let places: Vec<String> = plain.chain(other).chain(whole).collect();
    let listed = places.clone();
    let home = TestServer::start(move |heard, _| {
        // Some places lead back here.
        let number = heard.target.trim_start_matches('/').parse::<usize>().ok();
        match number.and_then(|number| listed.get(number)) {
            Some(place) => ServerReply::new(&format!("302 Found\nlocation: {place}"), b""),
            None => ServerReply::new("404 Not Found", b""),
        }
    })
    .await;
    let world = World { written: Some(home.address.to_string()), ..World::new(shut()) };
    for (number, place) in places.iter().enumerate() {
        let url = home.url(&format!("/{number}"));
        let auth = json!({"bearer": "secret:KEY"});
        let ended = world.call(api(), json!({"url": url, "auth": auth})).await;
        let code = ended.unwrap_err().fault.code();
        assert!(matches!(code, "call_refused" | "tool_failed"), "{place}: {code}");
    }
    assert!(places.len() >= 190);
    assert!(home.heard().len() >= places.len());
    assert_eq!(canaries.visitors().await, 0);
}

/// A guard under which a name is good when it is first looked up and inside ever after.
fn rebinding() -> (Arc<Guard>, Arc<AtomicUsize>) {
    let lookups = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&lookups);
    let resolve = resolver(move |_| {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        vec![ip(if first { "127.0.0.3" } else { "127.0.0.1" })]
    });
    (guard(&["127.0.0.3/32"], resolve), lookups)
}

#[tokio::test]
async fn a_name_that_changes_its_address_after_the_check_leads_nowhere_else() {
    let canaries = Canaries::start().await;
    let port = canaries.port();
    let (guard, lookups) = rebinding();
    let world = World::new(guard);
    let asked = json!({"url": format!("http://rebind.test:{port}/")});
    // Nobody listens where it was checked, so that a second look would be seen.
    let fault = world.call(api(), asked.clone()).await.unwrap_err().fault;
    assert_eq!((fault.code(), lookups.load(Ordering::SeqCst)), ("tool_unavailable", 1));
    let fault = world.call(api(), asked).await.unwrap_err().fault;
    assert_eq!((fault.code(), lookups.load(Ordering::SeqCst)), ("call_refused", 2));
    assert_eq!(canaries.visitors().await, 0);
}

#[tokio::test]
async fn a_name_with_an_inside_address_among_public_ones_is_refused() {
    let canaries = Canaries::start().await;
    let asked = json!({"url": format!("http://mixed.test:{}/", canaries.port())});
    for inside in
        ["127.0.0.1", "::1", "169.254.169.254", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]
    {
        for public in ["93.184.216.34", "2606:2800:220:1::1"] {
            for found in [[inside, public], [public, inside]] {
                let world = World::new(guard(&[], resolver(move |_| found.map(ip).into())));
                let fault = world.call(api(), asked.clone()).await.unwrap_err().fault;
                assert_eq!(fault.code(), "call_refused", "{found:?}");
            }
        }
    }
    assert_eq!(canaries.visitors().await, 0);
}
