//! The tools on a real image over a store in memory: what they answer, word for word, and to whom.

mod blind_writes;
mod catalog;
mod changing;
mod defining;
mod reading;
mod running;
mod searching;

use crate::image_store::StoneState;
use crate::read_log::ReadLog;
use crate::registry::{Choice, Registry};
use crate::tool::client::{Client, Round};
use crate::tool::directory::ToolDirectory;
use crate::tool::{Answer, Context, Outcome, Refusal};
use serde_json::Value;
use smalltalk::memory_store::MemoryStore;
use smalltalk::store::ObjectStore;
use smalltalk::{Image, SessionFacts};
use std::time::{Duration, Instant};

/// A session on a store that others may share.
struct Session {
    image: Image,
    registry: Registry,
    read_log: ReadLog,
    autocommit: bool,
}

impl Session {
    /// On a store of its own.
    fn new() -> Session {
        Session::on(&MemoryStore::new())
    }

    fn on(store: &MemoryStore) -> Session {
        let mut image = Image::boot().unwrap_or_else(|error| panic!("the kernel does not boot: {error}"));
        image.freeze().expect("frozen");
        let (mut opened, overlays) = store.open();
        let oids = opened.reserve().expect("identities");
        let view = opened.view();
        let facts = SessionFacts { user: "DataCurator".to_owned(), session: 5, stone: "gs64stone".to_owned() };
        image.attach(Box::new(opened), facts, overlays, oids, view).expect("attached");
        let registry = Registry::new(crate::toolsets::standard()).expect("fits together");
        Session { image, registry, read_log: ReadLog::new(view), autocommit: true }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Outcome {
        let toolsets = ["default".to_owned(), "catalog".to_owned()];
        let choice = Choice { toolsets: &toolsets, ..Choice::default() };
        let selection = self.registry.select(&choice).expect("known");
        let served = selection.find(tool).unwrap_or_else(|_| panic!("no tool {tool}"));
        let deadline = Instant::now() + Duration::from_secs(60);
        let Session { image, read_log, autocommit, .. } = self;
        let mut round = Round::default();
        let client = Client::absent(&mut round);
        let mut context = Context {
            image,
            deadline,
            read_log,
            autocommit: *autocommit,
            tools: &selection,
            is_ephemeral: false,
            stone: StoneState::default(),
            client,
        };
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let outcome = served.call(&mut context, arguments);
        let structured = match &outcome {
            Ok(answer) => answer.structured.clone(),
            Err(refusal) => Some(serde_json::json!({ "error": refusal.clone().data() })),
        };
        served.check_answer(structured.as_ref()).unwrap_or_else(|fault| panic!("{tool}: {fault}\n{outcome:?}"));
        outcome
    }

    /// The answer of a call that must go well.
    fn answer(&mut self, tool: &str, arguments: Value) -> Answer {
        self.call(tool, arguments).unwrap_or_else(|refusal| panic!("{tool}: {} {}", refusal.kind, refusal.text))
    }

    fn text(&mut self, tool: &str, arguments: Value) -> String {
        self.answer(tool, arguments).text
    }

    fn data(&mut self, tool: &str, arguments: Value) -> Value {
        self.answer(tool, arguments).structured.unwrap_or_else(|| panic!("{tool} answers data"))
    }

    /// The refusal of a call that must not go well.
    fn refusal(&mut self, tool: &str, arguments: Value) -> Refusal {
        match self.call(tool, arguments) {
            Ok(answer) => panic!("{tool} answered {}", answer.text),
            Err(refusal) => refusal,
        }
    }

    /// Runs code that must go well.
    fn run(&mut self, code: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        self.image.execute(code, deadline).unwrap_or_else(|error| panic!("{code}\n{}: {}", error.class, error.message))
    }

    /// A class with a method on each side, committed.
    fn make_point(&mut self) {
        self.run(
            "Object subclass: 'Pt' instVarNames: #( x y) classVars: #( Zero) classInstVars: #()
                poolDictionaries: #() inDictionary: UserGlobals options: #()",
        );
        self.run("Pt comment: 'A point of ours.'. Pt category: 'Geometry'");
        self.run("Pt compile: 'x ^x' classified: 'accessing'. Pt compile: 'y ^y' classified: 'accessing'");
        self.run("Pt compile: '+ other ^Pt new setX: x + other x' classified: 'arithmetic'");
        self.run("Pt class compile: 'zero ^Zero' classified: 'instances'");
        self.image.commit().expect("committed");
    }
}
