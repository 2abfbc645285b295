//! A server of somebody else, on one page: a toolset of its own over the live image, and none of ours.
//!
//! Argument structs become schemas, doc comments become descriptions, handlers get typed values.

#![forbid(unsafe_code)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::process::ExitCode;
use worker::{Answer, Context, Hints, Outcome, Refusal, Tool, Toolset};

#[derive(Deserialize, JsonSchema)]
struct Deposit {
    /// Whose account it goes to.
    owner: String,
    /// How much, in cents.
    #[schemars(range(min = 1, max = 1_000_000))]
    cents: u32,
    /// Whether others shall see it at once. Default: yes.
    visibility: Option<Visibility>,
}

#[derive(Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Visibility {
    Committed,
    Draft,
}

#[derive(Deserialize, JsonSchema)]
struct Balance {
    /// Whose account.
    owner: String,
}

#[derive(Serialize, JsonSchema)]
struct Account {
    /// Whose account it is.
    owner: String,
    /// What is in it, in cents.
    cents: u64,
}

/// Accounts, kept in the repository under a name that the vendor chose.
struct Accounts {
    global: &'static str,
}

impl Toolset for Accounts {
    fn name(&self) -> &'static str {
        "accounts"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some("deposit puts money into somebody's account; balance says what is in it.")
    }

    fn tools(&self) -> Vec<Tool> {
        let global = self.global;
        let changing = Hints { read_only: false, destructive: false, idempotent: false };
        let looking = Hints { read_only: true, destructive: false, idempotent: true };
        let deposit = move |context: &mut Context<'_>, arguments| deposit(context, global, &arguments);
        let balance = move |context: &mut Context<'_>, Balance { owner }| {
            let cents = cents(context, global, &owner)?;
            Ok(told(Account { owner, cents }))
        };
        vec![
            Tool::new("deposit", "Deposit", "Call this to put money into an account.", changing, deposit)
                .answering::<Account>(),
            Tool::new("balance", "Balance", "Call this to see what is in an account.", looking, balance)
                .keywords(&["money", "saldo"])
                .answering::<Account>()
                .safe_in_read_only(),
        ]
    }
}

fn deposit(context: &mut Context<'_>, global: &str, Deposit { owner, cents: more, visibility }: &Deposit) -> Outcome {
    if owner.is_empty() {
        return Err(Refusal::new("invalidParams", "Invalid argument owner: nobody has no account"));
    }
    let cents = cents(context, global, owner)? + u64::from(*more);
    let commit = if *visibility == Some(Visibility::Draft) { "" } else { "System commit" };
    let owner = owner.clone();
    context.evaluate(&format!(
        "(UserGlobals at: #{global} ifAbsent: [UserGlobals at: #{global} put: Dictionary new]) at: {} put: {cents}. {commit}",
        literal(&owner)
    ))?;
    Ok(told(Account { owner, cents }))
}

fn cents(context: &mut Context<'_>, global: &str, owner: &str) -> Result<u64, Refusal> {
    let code = format!("(UserGlobals at: #{global} ifAbsent: [Dictionary new]) at: {} ifAbsent: [0]", literal(owner));
    let printed = context.evaluate(&code)?;
    printed.parse().map_err(|_| Refusal::new("other", format!("{global} holds something else than numbers: {printed}")))
}

/// A text as Smalltalk writes it.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn told(account: Account) -> Answer {
    Answer::of(format!("{} has {} cents", account.owner, account.cents), &account)
}

/// A tool that fails by its maker's fault, in each way that there is. Served only where it is asked for.
struct Faults;

#[derive(Deserialize, JsonSchema)]
struct Fault {
    /// What the tool does wrong.
    way: Way,
    /// Milliseconds that it works as a task before. Default: it is no task.
    task_millis: Option<u64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// It panics.
    Panic,
    /// It reads beyond the end of an object in the heap.
    Heap,
    /// It panics, and once more while destructors run.
    Twice,
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("the second panic");
    }
}

impl Toolset for Faults {
    fn name(&self) -> &'static str {
        "faults"
    }

    fn is_served_by_default(&self) -> bool {
        false
    }

    fn tools(&self) -> Vec<Tool> {
        let hints = Hints { read_only: false, destructive: false, idempotent: false };
        vec![Tool::new("fail", "Fail", "Call this to see what a fault of a tool does.", hints, fail)]
    }
}

fn fail(context: &mut Context<'_>, Fault { way, task_millis }: Fault) -> Outcome {
    if let Some(millis) = task_millis {
        context.require_task()?;
        context.pause(std::time::Duration::from_millis(millis))?;
    }
    context.evaluate("UserGlobals at: #VendorAccounts put: (Dictionary new at: 'left' put: 1; yourself)")?;
    match way {
        Way::Panic => panic!("a tool panics"),
        Way::Heap => {
            let vm = context.image.vm();
            let text = vm.new_string("short").expect("room");
            let read = vm.load(text, 1_000_000);
            Ok(Answer::text(format!("{} slots were not checked", read.iter().count())))
        }
        Way::Twice => {
            let _second = PanicsWhenDropped;
            panic!("the first panic")
        }
    }
}

fn main() -> ExitCode {
    worker::run(vec![Box::new(Accounts { global: "VendorAccounts" }), Box::new(Faults)])
}
