//! The worker from the command line: loading files into a stone, and asking the image something.

use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tests::binaries;
use tests::client::Client;
use tests::server::{Config, Home, Server};

const BELL: &str = "doit\nObject subclass: 'Bell'\n  instVarNames: #( tone)\n  classVars: #()\n  classInstVars: #()\n  \
    poolDictionaries: #()\n  inDictionary: UserGlobals\n  options: #()\n%\ncategory: 'x'\n\
    method: Bell\nring\n\t^'ding'\n%\n";

fn worker(home: &Home, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binaries::find("lapidary-worker"));
    command.env_clear().envs(home.environment()).current_dir(folder).args(arguments);
    command.output().expect("the worker starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

#[test]
fn files_are_loaded_committed_and_served() {
    let home = Home::new();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bell.gs"), BELL).expect("written");
    fs::write(folder.path().join("load.gs"), "input bell.gs\ncommit\n").expect("written");
    let loaded = worker(&home, folder.path(), &["filein", "load.gs"]);
    assert!(loaded.status.success(), "{}", text(&loaded.stderr));
    assert_eq!(text(&loaded.stdout), "1 methods and 1 do-its filed in and committed");
    let rung = worker(&home, folder.path(), &["eval", "Bell new ring"]);
    assert_eq!(text(&rung.stdout), "'ding'");
    let server = Server::start(Config::new().at(&home));
    let mut client = Client::open(server.address);
    assert_eq!(client.call("execute_code", &json!({"code": "Bell new ring"})).expect_text(), "'ding'");
}

#[test]
fn a_file_that_fails_is_told_by_line_and_commits_nothing() {
    let home = Home::new();
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = format!("{BELL}method: Bell\nbad\n\t^zork\n%\n");
    fs::write(folder.path().join("wrong.gs"), wrong).expect("written");
    let refused = worker(&home, folder.path(), &["filein", "wrong.gs"]);
    assert_eq!(refused.status.code(), Some(1));
    let told = text(&refused.stderr);
    assert!(told.contains("wrong.gs:17: undefined symbol zork") && told.contains("nothing was committed"), "{told}");
    let asked = worker(&home, folder.path(), &["eval", "UserGlobals includesKey: #Bell"]);
    assert_eq!(text(&asked.stdout), "false");
    fs::write(folder.path().join("early.gs"), format!("{BELL}commit\ninput wrong.gs\ncommit\n")).expect("written");
    let early = worker(&home, folder.path(), &["filein", "early.gs"]);
    assert_eq!(early.status.code(), Some(1));
    let asked = worker(&home, folder.path(), &["eval", "UserGlobals includesKey: #Bell"]);
    assert_eq!(text(&asked.stdout), "false", "a commit within a file that fails later");
    let missing = worker(&home, folder.path(), &["filein", "nowhere.gs"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("nowhere.gs"), "{}", text(&missing.stderr));
}

#[test]
fn an_error_of_evaluated_code_is_told_and_is_exit_code_1() {
    let home = Home::new();
    let failed = worker(&home, home.path(), &["eval", "nil foo"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed.stderr).contains("MessageNotUnderstood"), "{}", text(&failed.stderr));
}

#[test]
fn a_stone_that_is_leaving_is_waited_out() {
    let home = Home::new();
    for round in 0..8 {
        // Each begins while the stone of the one before, alone with nobody, lets go of the repository.
        for code in ["3 + 4", "10 - 3"] {
            let asked = worker(&home, home.path(), &["eval", code]);
            assert_eq!(text(&asked.stdout), "7", "round {round}: {}", text(&asked.stderr));
        }
        let server = Server::start(Config::new().at(&home));
        let mut client = Client::open(server.address);
        assert_eq!(client.call("execute_code", &json!({"code": "3 + 4"})).expect_text(), "7", "round {round}");
    }
}
