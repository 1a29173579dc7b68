//! Hosts that somebody else chose: none inside is reached, whatever the form of its name.

use super::forms::{INSIDE, NO_HOST, PLACES, UNICODE};
use super::rig::{call, guard, resolver, strict, tool};
use praxis_adapters::http::{Guard, Resolve};
use praxis_core::fault::Fault;
use praxis_testkit::server::{ServerReply, TestServer};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that nobody may visit.
async fn canary() -> TestServer {
    TestServer::start(|_, _| ServerReply::json(&json!("reached"))).await
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Every name is inside: this machine, or a provider's door.
fn treacherous() -> Resolve {
    let of = |name: &str| {
        let door = name.contains("metadata") || name.contains("instance-data");
        vec![ip(if door { "169.254.169.254" } else { "127.0.0.1" })]
    };
    resolver(of)
}

async fn visit(url: &str, host: &str, guard: Arc<Guard>) -> Result<Value, Fault> {
    call(&tool(json!({"url": url})), guard, json!({"host": host})).await
}

#[tokio::test]
async fn no_form_of_an_inside_host_in_an_argument_is_reached() {
    let canary = canary().await;
    let port = canary.address.port();
    let forms = INSIDE.iter().chain(UNICODE).chain(NO_HOST);
    assert!(forms.clone().count() >= 60);
    let shut = guard(&[], treacherous());
    for form in forms {
        let with_port = format!("{form}:{port}");
        let asked = [
            (format!("http://{{host}}:{port}/"), *form),
            ("http://{host}/".to_owned(), with_port.as_str()),
            ("http://{host}/".to_owned(), *form),
            ("https://{host}/x?y#z".to_owned(), *form),
        ];
        for (url, host) in asked {
            let fault = visit(&url, host, Arc::clone(&shut)).await.unwrap_err();
            assert_eq!(fault.code(), "call_refused", "{url} {host:?}: {fault}");
        }
    }
    assert_eq!(canary.visitors().await.unwrap(), 0);
}

/// A server that the manifest names: `/to/3` leads to the third place, `/hop/3` to `/to/3`.
async fn trusted(places: Vec<String>) -> TestServer {
    TestServer::start(move |heard, _| {
        let path: Vec<&str> = heard.target.split('/').collect();
        let place = path.get(2).and_then(|number| places.get(number.parse::<usize>().ok()?));
        match (path.get(1).copied(), place) {
            (Some("to"), Some(place)) => {
                ServerReply::new(&format!("302 Found\nlocation: {place}"), b"")
            }
            (Some("hop"), _) => {
                ServerReply::new(&format!("307 Hop\nlocation: /to/{}", path[2]), b"")
            }
            _ => ServerReply::new("404 Not Found", b""),
        }
    })
    .await
}

fn places(port: u16) -> Vec<String> {
    let encoded = |form: &str| form.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let plain = INSIDE.iter().map(|form| format!("http://{form}:{port}/"));
    let secure = INSIDE.iter().map(|form| format!("https://{form}/"));
    let other = UNICODE.iter().map(|form| format!("http://{}:{port}/", encoded(form)));
    let bad = NO_HOST.iter().filter(|form| form.chars().all(|c| c == '\t' || !c.is_control()));
    let bad = bad.map(|form| format!("http://{form}:{port}/"));
    let whole = PLACES.iter().map(|place| place.replace("PORT", &port.to_string()));
    plain.chain(secure).chain(other).chain(bad).chain(whole).collect()
}

#[tokio::test]
async fn no_redirect_leads_inside_at_the_first_hop_or_after_others() {
    let canary = canary().await;
    let places = places(canary.address.port());
    let home = trusted(places.clone()).await;
    let shut = guard(&[], treacherous());
    for (number, place) in places.iter().enumerate() {
        for path in ["to", "hop"] {
            let asked = tool(json!({"url": home.url(&format!("/{path}/{number}"))}));
            let code = call(&asked, Arc::clone(&shut), json!({})).await.unwrap_err().code();
            // What cannot be read as an address is an answer; what can is refused.
            assert!(matches!(code, "call_refused" | "tool_failed"), "{place:?}: {code}");
        }
    }
    assert_eq!(canary.visitors().await.unwrap(), 0);
}

#[tokio::test]
async fn a_redirect_from_a_host_that_may_be_reached_leads_inside_no_more_than_the_first() {
    let canary = canary().await;
    let place = canary.url("/");
    let middle = TestServer::at("127.0.0.2:0".parse().unwrap(), move |_, _| {
        ServerReply::new(&format!("302 Found\nlocation: {place}"), b"")
    });
    let middle = middle.await.unwrap();
    let home = trusted(vec![middle.url("/")]).await;
    let open = guard(&["127.0.0.2/32"], treacherous());
    let fault = call(&tool(json!({"url": home.url("/to/0")})), open, json!({})).await.unwrap_err();
    assert_eq!(fault.code(), "call_refused", "{fault}");
    assert_eq!(middle.heard().len(), 1, "it came as far as this");
    assert_eq!(canary.visitors().await.unwrap(), 0);
}

#[tokio::test]
async fn a_name_is_refused_if_any_of_its_addresses_is_inside() {
    let canary = canary().await;
    let url = format!("http://{{host}}:{}/", canary.address.port());
    let mixed = [
        vec!["127.0.0.1"],
        vec!["93.184.216.34", "127.0.0.1"],
        vec!["127.0.0.1", "93.184.216.34"],
        vec!["93.184.216.34", "::1"],
        vec!["2606:2800:220:1::1", "fe80::1"],
        vec!["2606:2800:220:1::1", "::ffff:127.0.0.1"],
        vec!["93.184.216.34", "1.1.1.1", "10.0.0.1"],
    ];
    for addresses in mixed {
        let found: Vec<IpAddr> = addresses.iter().map(|text| ip(text)).collect();
        let ended = visit(&url, "name.test", guard(&[], resolver(move |_| found.clone()))).await;
        let fault = ended.unwrap_err();
        assert_eq!(fault.code(), "call_refused", "{addresses:?}");
        assert!(fault.to_string().contains("not a public address"), "{fault}");
    }
    assert_eq!(canary.visitors().await.unwrap(), 0);
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_connected_to_where_it_was_checked() {
    for name in ["rebind.test", "REBIND.test", "rebind.test.", "xn--fiqs8s.test"] {
        let good = TestServer::at("127.0.0.2:0".parse().unwrap(), |_, _| {
            ServerReply::json(&json!("good"))
        });
        let good = good.await.unwrap();
        let port = good.address.port();
        let canary =
            TestServer::at(([127, 0, 0, 1], port).into(), |_, _| ServerReply::json(&json!("bad")));
        let canary = canary.await.unwrap();
        let lookups = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&lookups);
        let rebinding = resolver(move |_| {
            let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
            vec![ip(if first { "127.0.0.2" } else { "127.0.0.1" })]
        });
        let open = guard(&["127.0.0.2/32"], rebinding);
        let output = visit(&format!("http://{{host}}:{port}/"), name, open).await.unwrap();
        assert_eq!((output, lookups.load(Ordering::SeqCst)), (json!("good"), 1), "{name}");
        assert_eq!(canary.visitors().await.unwrap(), 0, "{name}");
    }
}

#[tokio::test]
async fn a_name_that_cannot_be_found_now_may_be_found_later() {
    let broken: Resolve =
        Arc::new(|_, _| Box::pin(async { Err(std::io::Error::other("no answer")) }));
    for resolve in [broken, resolver(|_| vec![])] {
        let fault = visit("http://{host}/", "name.test", guard(&[], resolve)).await.unwrap_err();
        assert_eq!(fault.code(), "tool_unavailable", "{fault}");
    }
}

#[tokio::test]
async fn a_host_that_is_allowed_or_in_an_allowed_network_is_reached() {
    let server =
        TestServer::at("127.0.0.2:0".parse().unwrap(), |_, _| ServerReply::json(&json!("yes")));
    let server = server.await.unwrap();
    let port = server.address.port();
    let url = format!("http://{{host}}:{port}/");
    let hosts = [
        "api.test",
        "API.Test",
        "api.test.",
        "a-b.c_d.test",
        "xn--fiqs8s.test",
        "127.0.0.2",
        "127.2",
        "0x7f.2",
        "2130706434",
        "0177.0.0.2",
        "127.0.0.2.",
    ];
    let open = guard(&["127.0.0.2/32"], resolver(|_| vec![ip("127.0.0.2")]));
    for host in hosts {
        assert_eq!(visit(&url, host, Arc::clone(&open)).await.unwrap(), json!("yes"), "{host}");
        let with_port = format!("{host}:{port}");
        assert_eq!(
            visit("http://{host}/", &with_port, Arc::clone(&open)).await.unwrap(),
            json!("yes")
        );
    }
    for (allowed, host) in [("127.0.0.2", "127.0.0.2"), ("127.0.0.0/8", "127.2")] {
        let open = guard(&[allowed], resolver(|_| vec![]));
        assert_eq!(visit(&url, host, open).await.unwrap(), json!("yes"), "{allowed}");
    }
    let local = canary().await;
    let url = format!("http://{{host}}:{}/", local.address.port());
    for (allowed, host) in [("localhost", "LOCALHOST"), ("LocalHost", "localhost")] {
        let open = guard(&[allowed], treacherous());
        assert_eq!(visit(&url, host, open).await.unwrap(), json!("reached"), "{allowed}");
    }
    for (allowed, host) in [("127.0.0.3/32", "127.0.0.2"), ("::/0", "127.0.0.2"), ("api", "x.api")]
    {
        let shut = guard(&[allowed], treacherous());
        assert_eq!(visit(&url, host, shut).await.unwrap_err().code(), "call_refused", "{allowed}");
    }
}

//
#[tokio::test]
async fn a_host_that_stands_in_the_manifest_is_reached_wherever_it_is() {
    let server = canary().await;
    let port = server.address.port();
    for host in ["127.0.0.1", "localhost", "LOCALHOST", "2130706433", "127.1", "0x7f.1"] {
        let url = format!("http://{host}:{port}/{{host}}");
        assert_eq!(visit(&url, "evil.test", strict()).await.unwrap(), json!("reached"), "{host}");
    }
    for template in ["http:///{host}/", "http://127.0.0.1:{host}/", "http://{host}.0.0.1/"] {
        let fault = visit(template, "127", strict()).await.unwrap_err();
        assert_eq!(fault.code(), "call_refused", "{template}: {fault}");
    }
}
