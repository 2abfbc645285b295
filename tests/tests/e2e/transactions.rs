//! What others see of a gem's work, when they see it, and what outlives what.

use serde_json::json;
use std::time::Duration;
use tests::client::Client;
use tests::server::{Config, Server};

const ACCOUNT: &str = "Object subclass: 'Account' instVarNames: #(balance) classVars: #() classInstVars: #() \
    poolDictionaries: #() inDictionary: UserGlobals options: #()";

/// A reader's value of a global, `nil` where it sees none.
fn seen(client: &mut Client, name: &str) -> String {
    client.evaluate(&format!("UserGlobals at: #{name} ifAbsent: [nil]"))
}

fn commit(client: &mut Client) {
    assert_eq!(client.call("commit", &json!({})).expect_text(), "Transaction committed.");
}

#[test]
fn what_is_not_committed_nobody_else_sees() {
    let server = Server::start_default();
    let mut writer = Client::open(server.address);
    let mut reader = Client::open(server.address);
    writer.evaluate("UserGlobals at: #Secret put: 42");
    assert_eq!(seen(&mut writer, "Secret"), "42");
    for tool in ["refresh", "abort", "commit"] {
        reader.call(tool, &json!({})).expect_text();
        assert_eq!(seen(&mut reader, "Secret"), "nil", "after {tool}");
    }
    assert_eq!(seen(&mut Client::open(server.address), "Secret"), "nil");
}

#[test]
fn a_commit_is_seen_only_after_refresh_abort_or_a_commit_of_ones_own() {
    let server = Server::start_default();
    let mut writer = Client::open(server.address);
    for (index, tool) in ["refresh", "abort", "commit"].into_iter().enumerate() {
        let mut reader = Client::open(server.address);
        let name = format!("Published{index}");
        assert_eq!(seen(&mut reader, &name), "nil");
        writer.evaluate(&format!("UserGlobals at: #{name} put: 'there'"));
        commit(&mut writer);
        assert_eq!(seen(&mut reader, &name), "nil", "the view stays where it was");
        reader.call("status", &json!({})).expect_text();
        assert_eq!(seen(&mut reader, &name), "nil", "status moves no view");
        reader.call(tool, &json!({})).expect_text();
        assert_eq!(seen(&mut reader, &name), "'there'", "after {tool}");
    }
    assert_eq!(seen(&mut Client::open(server.address), "Published0"), "'there'", "a new session sees the newest");
}

#[test]
fn abort_discards_and_refresh_keeps_what_was_not_committed() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate("UserGlobals at: #Draft put: 1");
    client.call("refresh", &json!({})).expect_text();
    assert_eq!(seen(&mut client, "Draft"), "1");
    client.call("abort", &json!({})).expect_text();
    assert_eq!(seen(&mut client, "Draft"), "nil");
    assert!(client.call("status", &json!({})).expect_text().ends_with("uncommittedChanges=false"));
}

#[test]
fn classes_methods_and_graphs_of_objects_reach_other_sessions() {
    let server = Server::start_default();
    let mut writer = Client::open(server.address);
    let mut reader = Client::open(server.address);
    writer.evaluate(ACCOUNT);
    writer.evaluate("Account compile: 'balance ^balance ifNil: [0]'");
    writer.evaluate("Account compile: 'deposit: amount balance := self balance + amount'");
    writer.evaluate(
        "UserGlobals at: #Accounts put: (OrderedCollection new). \
         1 to: 50 do: [:i | (UserGlobals at: #Accounts) add: (Account new deposit: i; yourself)]",
    );
    commit(&mut writer);
    reader.call("refresh", &json!({})).expect_text();
    let sum = "(UserGlobals at: #Accounts) inject: 0 into: [:sum :each | sum + each balance]";
    assert_eq!(reader.evaluate(sum), "1275");
    assert_eq!(reader.evaluate("Account new deposit: 3; balance"), "3");
}

#[test]
fn committed_work_outlives_a_restart_of_everything() {
    let server = Server::start_default();
    let home = server.home().clone();
    let mut client = Client::open(server.address);
    client.evaluate(ACCOUNT);
    client.evaluate("Account compile: 'balance ^balance ifNil: [0]'");
    client.evaluate("Account compile: 'deposit: amount balance := self balance + amount'");
    client.evaluate("UserGlobals at: #Kept put: (Account new deposit: 99; yourself)");
    client.evaluate("UserGlobals at: #Words put: #('älter' #symbol $c 1.5 nil true 1267650600228229401496703205376)");
    commit(&mut client);
    client.evaluate("UserGlobals at: #NotKept put: 1");
    drop(client);
    let stone = home.stone().expect("a stone runs");
    server.stop();
    assert!(stone.wait_for_end(Duration::from_secs(5)), "the stone leaves with its last router");

    let server = Server::start(Config::new().at(&home));
    let mut client = Client::open(server.address);
    assert_eq!(client.evaluate("(UserGlobals at: #Kept) balance"), "99");
    assert_eq!(client.evaluate("Account new deposit: 1; balance"), "1");
    let words = "anArray( 'älter', #'symbol', $c, 1.5, nil, true, 1267650600228229401496703205376)";
    assert_eq!(seen(&mut client, "Words"), words);
    assert_eq!(seen(&mut client, "NotKept"), "nil");
}

#[test]
fn a_conflicting_commit_is_refused_says_what_conflicts_and_loses_nothing() {
    let server = Server::start_default();
    let mut first = Client::open(server.address);
    first.evaluate(ACCOUNT);
    first.evaluate("Account compile: 'balance ^balance'. Account compile: 'balance: amount balance := amount'");
    first.evaluate("UserGlobals at: #Shared put: (Account new balance: 0; yourself)");
    first.evaluate("UserGlobals at: #Mine put: (Account new balance: 0; yourself)");
    commit(&mut first);
    let mut second = Client::open(server.address);
    first.evaluate("(UserGlobals at: #Shared) balance: 1");
    second.evaluate("(UserGlobals at: #Shared) balance: 2. (UserGlobals at: #Mine) balance: 3");
    commit(&mut first);

    for _ in 0..2 {
        let answer = second.call("commit", &json!({}));
        let text = answer.expect_error();
        assert!(text.contains("Account"), "it says what conflicts: {text}");
        assert!(text.contains("your changes are still here"), "{text}");
        assert_eq!(answer.kind(), "commitConflict");
        assert_eq!(second.evaluate("(UserGlobals at: #Shared) balance"), "2", "the work is as it was");
        assert_eq!(second.evaluate("(UserGlobals at: #Mine) balance"), "3");
        assert!(second.call("status", &json!({})).expect_text().ends_with("uncommittedChanges=true"));
    }
    let mut witness = Client::open(server.address);
    assert_eq!(witness.evaluate("(UserGlobals at: #Shared) balance"), "1", "the first commit stands");
    assert_eq!(witness.evaluate("(UserGlobals at: #Mine) balance"), "0", "nothing of the refused one was written");
    second.call("abort", &json!({})).expect_text();
    second.evaluate("(UserGlobals at: #Shared) balance: 4");
    commit(&mut second);
    witness.call("refresh", &json!({})).expect_text();
    assert_eq!(witness.evaluate("(UserGlobals at: #Shared) balance"), "4");
}

#[test]
fn sessions_that_write_different_objects_do_not_conflict() {
    let server = Server::start_default();
    let mut first = Client::open(server.address);
    first.evaluate("UserGlobals at: #Left put: (Array new: 1). UserGlobals at: #Right put: (Array new: 1)");
    commit(&mut first);
    let mut second = Client::open(server.address);
    first.evaluate("(UserGlobals at: #Left) at: 1 put: 'l'");
    second.evaluate("(UserGlobals at: #Right) at: 1 put: 'r'");
    commit(&mut first);
    commit(&mut second);
    assert_eq!(second.evaluate("((UserGlobals at: #Left) at: 1) , ((UserGlobals at: #Right) at: 1)"), "'lr'");
}

#[test]
fn two_sessions_that_change_one_class_conflict() {
    let server = Server::start_default();
    let mut first = Client::open(server.address);
    first.evaluate(ACCOUNT);
    commit(&mut first);
    let mut second = Client::open(server.address);
    first.evaluate("Account compile: 'one ^1'");
    second.evaluate("Account compile: 'two ^2'");
    commit(&mut first);
    let answer = second.call("commit", &json!({}));
    assert!(answer.expect_error().contains("Account"), "{}", answer.text);
    assert_eq!(second.evaluate("Account new two"), "2", "the method is still there");
}

#[test]
fn a_change_to_a_kernel_class_is_committed_like_any_other() {
    let server = Server::start_default();
    let home = server.home().clone();
    let mut writer = Client::open(server.address);
    let mut reader = Client::open(server.address);
    writer.evaluate("Integer compile: 'lapidaryTripled ^self * 3'");
    commit(&mut writer);
    reader.execute("5 lapidaryTripled").expect_error();
    reader.call("refresh", &json!({})).expect_text();
    assert_eq!(reader.evaluate("5 lapidaryTripled"), "15");
    drop((writer, reader));
    server.stop();
    let server = Server::start(Config::new().at(&home));
    assert_eq!(Client::open(server.address).evaluate("5 lapidaryTripled"), "15");
}

#[test]
fn code_can_commit_and_abort_by_itself() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    assert_eq!(client.evaluate("UserGlobals at: #FromInside put: 7. System commitTransaction"), "true");
    assert_eq!(seen(&mut Client::open(server.address), "FromInside"), "7");
    client.evaluate("UserGlobals at: #FromInside put: 8. System abortTransaction");
    assert_eq!(seen(&mut client, "FromInside"), "7");
}

#[test]
fn two_servers_may_share_one_stone() {
    let first = Server::start_default();
    let second = Server::start(Config::new().at(first.home()).with("GS_MCP_READONLY", "1"));
    let mut writer = Client::open(first.address);
    let mut reader = Client::open(second.address);
    writer.evaluate("UserGlobals at: #Across put: 'both'");
    commit(&mut writer);
    reader.call("refresh", &json!({})).expect_text();
    let stone = first.home().stone().expect("a stone runs");
    drop(writer);
    drop(first);
    assert!(stone.is_alive(), "the stone stays for the router that is left");
    assert_eq!(reader.request("ping", &json!({}))["result"], json!({}));
}
