//! Several calls at once, of one session and of many.

use serde_json::json;
use std::thread;
use tests::client::{Client, tool_answer, tool_call};
use tests::server::Server;

#[test]
fn eight_calls_in_flight_that_all_bear_id_1_each_get_their_own_answer() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    for _ in 0..3 {
        let calls: Vec<_> = (0..8)
            .map(|number| {
                let mut own = client.beside();
                thread::spawn(move || {
                    // The first ones take longest, so that answers would cross if anything went by order or by id.
                    let code = format!("{} timesRepeat: [3 + 4]. {number} * 111", (8 - number) * 20_000);
                    own.send(&tool_call(1, "execute_code", &json!({"code": code})));
                    (number, own.connection().response().json())
                })
            })
            .collect();
        for call in calls {
            let (number, response) = call.join().expect("a thread that answers");
            assert_eq!(response["id"], 1);
            assert_eq!(tool_answer(&response).expect_text(), (number * 111).to_string());
        }
    }
}

#[test]
fn calls_pipelined_on_one_connection_are_answered_in_order() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for number in 0..20 {
        client.send(&tool_call(number, "execute_code", &json!({"code": format!("{number} squared")})));
    }
    for number in 0..20 {
        let response = client.connection().response().json();
        assert_eq!(response["id"], number);
        assert_eq!(tool_answer(&response).expect_text(), (number * number).to_string());
    }
}

#[test]
fn many_sessions_work_at_once_and_none_sees_anothers_variables() {
    let server = Server::start_default();
    let address = server.address;
    let workers: Vec<_> = (0..16)
        .map(|number| {
            thread::spawn(move || {
                let mut client = Client::open(address);
                client.evaluate(&format!("UserGlobals at: #Own put: {number}"));
                for _ in 0..20 {
                    assert_eq!(client.evaluate("UserGlobals at: #Own"), number.to_string());
                }
                assert_eq!(client.delete(), 200);
            })
        })
        .collect();
    for worker in workers {
        worker.join().expect("a client that is satisfied");
    }
}

#[test]
fn opening_and_ending_many_sessions_leaves_nothing() {
    let mut server = Server::start_default();
    let cycles = if tests::all_tests() { 2_000 } else { 60 };
    let mut first = Client::open(server.address);
    first.evaluate("1");
    let processes = server.processes().len();
    let descriptors = open_descriptors(&server);
    for _ in 0..cycles {
        let mut client = Client::open(server.address);
        assert_eq!(client.evaluate("3 + 4"), "7");
        assert_eq!(client.delete(), 200);
    }
    crate::eventually(std::time::Duration::from_secs(5), "the gems have ended", || {
        (server.processes().len() == processes).then_some(())
    });
    crate::eventually(std::time::Duration::from_secs(5), "the router's descriptors are closed", || {
        (open_descriptors(&server) <= descriptors + 2).then_some(())
    });
}

fn open_descriptors(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.router().pid)).map_or(0, Iterator::count)
}
