//! Whom a session works for: fixed once, by the router alone.

mod support;

use protocol::grant::{Author, GrantKey};
use protocol::stone::Hello;
use stone::client::{Connection, StoneError, Welcome};
use support::{FORMAT, Home, Stone, new, token};

/// A session that is not bound yet, and the key that its gem never sees.
fn unbound(stone: &Stone, byte: u8) -> (Connection, Welcome, GrantKey) {
    let key = GrantKey::from([byte; 32]);
    let mut connection = stone.connect();
    connection.hello(&Hello::Unbound { format: FORMAT, read_only: false, key: key.clone() }).expect("it listens");
    let welcome = connection.read_welcome().expect("welcome");
    (connection, welcome, key)
}

fn author(user: &str) -> Author {
    Author { user: user.to_owned(), client: format!("client of {user}") }
}

fn kind<T>(outcome: Result<T, StoneError>) -> String {
    match outcome {
        Err(StoneError::Refused { kind, .. }) => kind,
        Err(StoneError::Lost) => "lost".to_owned(),
        Ok(_) => "done".to_owned(),
    }
}

#[test]
fn a_session_that_is_not_bound_reads_and_does_nothing_else() {
    let home = Home::new();
    let stone = home.start();
    let mut writer = stone.session();
    let oid = writer.welcome.identities.start;
    writer.connection.commit(token(), "test", vec![new(oid, b"seen")]).expect("committed");
    let (mut gem, welcome, _) = unbound(&stone, 1);
    assert_eq!(gem.fault(&[oid]).expect("read")[0].bytes, b"seen");
    assert_eq!(gem.move_view().expect("moved").number, welcome.view);
    let own = welcome.identities.start;
    assert_eq!(kind(gem.commit(token(), "test", vec![new(own, b"mine")])), "unbound");
    assert_eq!(kind(gem.commit_status(token())), "unbound");
    let others = GrantKey::from([2; 32]).sign(&author("Ada"));
    for forged in [vec![], vec![0; 64], others] {
        assert_eq!(kind(gem.bind(forged)), "notGranted");
    }
    assert_eq!(kind(gem.commit(token(), "test", vec![new(own, b"mine")])), "unbound");
}

#[test]
fn each_session_commits_for_whom_the_router_has_signed_only() {
    let home = Home::new();
    let stone = home.start();
    let _lifeline = stone.lifeline();
    for (byte, user) in [(1, "Ada"), (2, "Grace")] {
        let (mut gem, welcome, key) = unbound(&stone, byte);
        let before = stone.session().welcome.view;
        assert_eq!(gem.bind(key.sign(&author(user))).expect("bound").number, before, "its view is the newest");
        assert_eq!(kind(gem.bind(key.sign(&author("Eve")))), "boundAlready");
        gem.commit(token(), "test", vec![new(welcome.identities.start, b"mine")]).expect("committed");
    }
    assert_eq!(kind(stone.session().connection.bind(vec![0; 64])), "boundAlready", "a session that a hello bound");
    drop(stone);
    let database = rusqlite::Connection::open(home.database()).expect("it opens");
    let mut query = database.prepare("SELECT user, client FROM commits ORDER BY number").expect("a query");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>().expect("rows");
    assert_eq!(rows, ["Ada", "Grace"].map(|user| (user.to_owned(), format!("client of {user}"))));
}
