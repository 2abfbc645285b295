//! A gem that was forked ahead: it works for whom the router says, and hears no client before.

use crate::support::{Gem, Stone, Zygote, call, prepare};
use protocol::gem::{ClientMessage, Prepare, down, exit, up};
use serde_json::json;
use std::sync::mpsc::channel;

fn ahead() -> Prepare {
    Prepare { bound: false, user: "Nobody".to_owned(), ..prepare() }
}

/// A gem that waits to be taken.
fn fork(zygote: &Zygote, number: u64, prepare: &Prepare, stone: Stone) -> Gem {
    let mut gem = zygote.fork(number, prepare, stone);
    assert_eq!(gem.calls.next().expect("a frame").kind, up::READY);
    gem
}

#[test]
fn each_gem_works_for_whom_the_router_binds_it_to() {
    let zygote = Zygote::start();
    let (sender, grants) = channel();
    let users = ["Ada", "Grace"];
    let mut gems = [1, 2].map(|number| {
        let stone = Stone { grants: Some(sender.clone()), ..Stone::default() };
        fork(&zygote, number, &ahead(), stone)
    });
    // Taken in another order than forked, so that neither order nor number can say whose a gem is.
    for (gem, user) in gems.iter_mut().rev().zip(users) {
        gem.bind(user, user.as_bytes());
        assert_eq!(gem.run("System myUserProfile userId"), format!("'{user}'"));
        assert_eq!(grants.recv().expect("a grant"), user.as_bytes(), "what the router signed, unchanged");
        assert_eq!(gem.run("(AllUsers userWithId: System userId) userId"), format!("'{user}'"));
    }
    assert!(grants.try_recv().is_err(), "each was shown once");
}

#[test]
fn what_the_image_has_a_say_in_is_asked_in_the_name_of_the_user() {
    let zygote = Zygote::start();
    let wanted = Prepare { worker_class: Some("McpServer".to_owned()), ..ahead() };
    let mut gem = fork(&zygote, 1, &wanted, Stone::default());
    gem.bind("Ada", b"grant");
    assert_eq!(gem.run("System userId"), "'Ada'");
    assert_eq!(gem.run("McpServer _current class name"), "'McpServer'");
}

#[test]
fn no_client_is_heard_before_and_no_gem_is_bound_twice() {
    let zygote = Zygote::start();
    let head = ClientMessage::head("2025-11-25", &[]);
    let body = call(1, "execute_code", &json!({"code": "3"}));
    let mut gem = fork(&zygote, 1, &ahead(), Stone::default());
    gem.calls.send(down::MESSAGE, 1, &[&head, body.as_bytes()]);
    assert!(gem.calls.next().is_none(), "no answer");
    assert_eq!(zygote.ended(1), exit::LINK_BROKEN);

    let mut gem = fork(&zygote, 2, &ahead(), Stone::default());
    gem.control.send(down::MESSAGE, 1, &[&head, br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#]);
    assert!(gem.control.next().is_none(), "no answer");
    assert_eq!(zygote.ended(2), exit::LINK_BROKEN);

    let mut gem = fork(&zygote, 3, &ahead(), Stone::default());
    gem.bind("Ada", b"grant");
    gem.bind("Eve", b"grant");
    assert!(gem.calls.next().is_none());
    assert_eq!(zygote.ended(3), exit::LINK_BROKEN);

    let mut gem = zygote.open(4, &prepare());
    gem.bind("Eve", b"grant");
    assert!(gem.calls.next().is_none());
    assert_eq!(zygote.ended(4), exit::LINK_BROKEN);
}

#[test]
fn a_gem_that_is_never_bound_ends_with_its_router() {
    let zygote = Zygote::start();
    let gem = fork(&zygote, 1, &ahead(), Stone::default());
    drop(gem);
    assert_eq!(zygote.ended(1), exit::ENDED);
}
