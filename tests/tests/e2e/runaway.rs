//! Code that does not end, or asks for too much: it ends as a tool error in time, and the session goes on.

use serde_json::json;
use std::time::{Duration, Instant};
use tests::client::{Client, tool_answer, tool_call};
use tests::server::{Config, Server};

const LOOP: &str = "[true] whileTrue";

fn one_second_a_call() -> Server {
    Server::start(Config::new().with("GS_MCP_CALL_SECONDS", "1"))
}

#[test]
fn an_endless_loop_ends_as_a_tool_error_in_time_and_the_next_call_works() {
    let server = one_second_a_call();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.evaluate("UserGlobals at: #Before put: 'still here'");
    for code in [LOOP, "[[true] whileTrue] on: Error do: [:ex | 1]", "[true] whileTrue: [#(1 2 3) copy]"] {
        let start = Instant::now();
        let answer = client.execute(code);
        let took = start.elapsed();
        answer.expect_error();
        assert!(took >= Duration::from_millis(900) && took < Duration::from_secs(5), "{code} took {took:?}");
        assert!(!answer.kind().is_empty(), "{}", answer.result);
        assert_eq!(client.evaluate("UserGlobals at: #Before"), "'still here'");
    }
    assert!(gem.is_alive(), "it was the same gem all the time");
}

#[test]
fn code_that_swallows_every_exception_cannot_go_on_for_ever() {
    let server = one_second_a_call();
    let mut client = Client::open(server.address);
    let mut other = Client::open(server.address);
    let stubborn = "[true] whileTrue: [[[true] whileTrue] on: AbstractException do: [:ex | ex return: 1]]";
    let start = Instant::now();
    client.send(&tool_call(5, "execute_code", &json!({"code": stubborn})));
    let response = client.connection().response();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let answer = response.json();
    assert!(answer["result"]["isError"] == json!(true) || answer["error"].is_object(), "{answer}");
    assert_eq!(other.evaluate("1 + 1"), "2");
}

#[test]
fn endless_recursion_ends_as_a_tool_error_and_the_next_call_works() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.evaluate("Object compile: 'lapidaryDeeper ^self lapidaryDeeper + 1'");
    for code in ["3 lapidaryDeeper", "| b | b := nil. b := [:x | (b value: x + 1) + 1]. b value: 0"] {
        let answer = client.execute(code);
        answer.expect_error();
        assert_eq!(client.evaluate("3 + 4"), "7", "after {code}");
    }
    assert!(gem.is_alive(), "it was the same gem all the time");
}

#[test]
fn taking_too_much_memory_ends_as_a_tool_error_and_the_next_call_works() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    for code in [
        "| c | c := OrderedCollection new. [true] whileTrue: [c add: (Array new: 100000)]",
        "Array new: 1000000000",
        "String new: 4000000000",
    ] {
        client.execute(code).expect_error();
        assert_eq!(client.evaluate("3 + 4"), "7", "after {code}");
    }
    assert!(gem.is_alive(), "it was the same gem all the time");
}

#[test]
fn ping_is_answered_while_code_runs() {
    let server = Server::start(Config::new().with("GS_MCP_CALL_SECONDS", "3"));
    let mut client = Client::open(server.address);
    let mut beside = client.beside();
    client.send(&tool_call(1, "execute_code", &json!({"code": LOOP})));
    let start = Instant::now();
    for _ in 0..20 {
        let asked = Instant::now();
        assert_eq!(beside.request("ping", &json!({}))["result"], json!({}));
        assert!(asked.elapsed() < Duration::from_millis(500), "a ping took {:?}", asked.elapsed());
    }
    let tools = beside.request("tools/list", &json!({}));
    assert!(tools["result"]["tools"].is_array(), "{tools}");
    assert!(start.elapsed() < Duration::from_secs(2), "it did not wait for the loop to end");
    let answer = client.connection().response().json();
    assert!(tool_answer(&answer).is_error, "{answer}");
}

#[test]
fn a_cancelled_call_ends_and_the_session_goes_on() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let mut beside = client.beside();
    client.send(&tool_call(77, "execute_code", &json!({"code": LOOP})));
    assert_eq!(beside.request("ping", &json!({}))["result"], json!({}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}});
    let start = Instant::now();
    assert_eq!(beside.post(&cancel).status, 202);
    assert_eq!(beside.evaluate("3 + 4"), "7");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    client.connection().set_patience(Duration::from_secs(5));
    client.connection().try_head().expect("the cancelled call's connection is answered or closed");
}

#[test]
fn a_client_that_goes_away_does_not_end_its_call() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let mut leaving = client.beside();
    let code = "| n | n := 0. 300000 timesRepeat: [n := n + 1]. UserGlobals at: #Finished put: n";
    leaving.send(&tool_call(1, "execute_code", &json!({"code": code})));
    drop(leaving);
    crate::eventually(Duration::from_secs(10), "the call that nobody waits for is finished", || {
        (client.evaluate("UserGlobals at: #Finished ifAbsent: [nil]") == "300000").then_some(())
    });
}

#[test]
fn one_sessions_loop_does_not_slow_anothers_calls() {
    let server = Server::start(Config::new().with("GS_MCP_CALL_SECONDS", "3"));
    let mut spinning = Client::open(server.address);
    let mut other = Client::open(server.address);
    spinning.send(&tool_call(1, "execute_code", &json!({"code": LOOP})));
    for _ in 0..10 {
        let start = Instant::now();
        assert_eq!(other.evaluate("6 * 7"), "42");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
    spinning.connection().response();
}
