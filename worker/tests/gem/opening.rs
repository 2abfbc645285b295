//! From the fork to `Ready`, or to words that say what to fix.

use crate::support::{Stone, Zygote, prepare};
use protocol::gem::{Prepare, Ready, exit, up};

#[test]
fn a_gem_says_what_it_serves_and_which_walls_stand() {
    let zygote = Zygote::start();
    let mut gem = zygote.fork(1, &Prepare { toolsets: vec!["session".to_owned()], ..prepare() }, Stone::default());
    let frame = gem.calls.next().expect("a frame");
    assert_eq!(frame.kind, up::READY);
    let Ready { toolsets, sandbox, .. } = serde_json::from_slice(&frame.body).expect("a ready");
    assert_eq!(toolsets, ["session"]);
    for wall in ["descriptors", "limits", "undumpable", "noNewPrivileges", "landlock", "seccomp"] {
        let status = sandbox.iter().find(|(name, _)| name == wall).map(|(_, status)| status.as_str());
        assert_eq!(status, Some("enforced"), "{wall}");
    }
}

#[test]
fn what_cannot_be_served_is_told_in_words() {
    let zygote = Zygote::start();
    let table: [(Prepare, Stone, &str, &str); 7] = [
        (
            Prepare { toolsets: vec!["session".to_owned(), "nope".to_owned()], ..prepare() },
            Stone::default(),
            "unknownToolset",
            "Unknown toolset(s): nope. Available: default (what is served without a choice), execution, session, \
             listing, browsing, search, mutation, testing, catalog, image\nUnknown toolset: nope. It is no toolset of \
             the worker, and in the image no dictionary of this user holds a class of that name: commit it first",
        ),
        (
            Prepare { advertised: vec!["catalog".to_owned()], toolsets: vec!["session".to_owned()], ..prepare() },
            Stone::default(),
            "unknownToolset",
            "Toolset(s) to be advertised that are not served: catalog. Served: session",
        ),
        (
            Prepare { worker_class: Some("NoSuchClass".to_owned()), ..prepare() },
            Stone::default(),
            "unknownWorkerClass",
            "The worker class NoSuchClass is not in the image: commit it first, or start without a worker class",
        ),
        (
            Prepare { worker_class: Some("3 + 4".to_owned()), ..prepare() },
            Stone::default(),
            "unknownWorkerClass",
            "The worker class 3 + 4 is not in the image: commit it first, or start without a worker class",
        ),
        (
            Prepare { worker_class: Some("Transcript".to_owned()), ..prepare() },
            Stone::default(),
            "unknownWorkerClass",
            "",
        ),
        (prepare(), Stone { refuses: true, ..Stone::default() }, "format", "This stone is of another format"),
        (
            prepare(),
            Stone { hangs_up: true, ..Stone::default() },
            "stoneLost",
            "The stone closed this session's connection: try again in a moment",
        ),
    ];
    for (number, (prepare, stone, kind, message)) in (1..).zip(table) {
        let mut gem = zygote.fork(number, &prepare, stone);
        let failed = gem.calls.failure();
        assert_eq!(failed.kind, kind, "{}", failed.message);
        if !message.is_empty() {
            assert_eq!(failed.message, message);
        }
        assert_eq!(zygote.ended(number), exit::FAILED);
    }
}

#[test]
fn a_worker_class_that_is_there_is_accepted() {
    let zygote = Zygote::start();
    zygote.open(1, &Prepare { worker_class: Some("McpServer".to_owned()), ..prepare() });
}
