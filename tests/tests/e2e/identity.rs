//! Whom a gem of the pool works for: it is forked for nobody, and commits for who takes it.

use rusqlite::Connection;
use serde_json::json;
use tests::alone::{ask, meta};
use tests::server::{Config, Server};

/// A call by a client of this name that commits something, whole in one request.
fn commit(server: &Server, client: &str) {
    let mut meta = meta(&json!({}));
    meta["io.modelcontextprotocol/clientInfo"] = json!({"name": client, "version": "1"});
    let code = format!("UserGlobals at: #By put: '{client}'. System commitTransaction");
    let params = json!({"name": "execute_code", "arguments": {"code": code}, "_meta": meta});
    let answer = ask(server.address, "tools/call", &params);
    assert_eq!(answer["result"]["content"][0]["text"], "true", "{answer}");
}

#[test]
fn a_commit_of_a_gem_that_was_forked_ahead_is_recorded_for_the_client_that_took_it() {
    let server = Server::start(Config::new().with("GS_USER", "Ada"));
    let home = server.home().clone();
    // The first two fill the pool; all others are taken from it.
    let clients = ["one", "another", "one", "a third", "another", "one"];
    for client in clients {
        commit(&server, client);
    }
    server.stop();
    let data = walk(home.path()).into_iter().find(|path| path.ends_with("objects.sqlite")).expect("a repository");
    let database = Connection::open(data).expect("it opens");
    let mut query = database.prepare("SELECT user, client, tool FROM commits ORDER BY number").expect("a query");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("rows");
    let rows: Vec<(String, String, String)> = rows.collect::<Result<_, _>>().expect("rows");
    let by = |client: &str| ("Ada".to_owned(), client.to_owned(), "execute_code".to_owned());
    assert!(rows.ends_with(&clients.map(by)), "{rows:?}");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
