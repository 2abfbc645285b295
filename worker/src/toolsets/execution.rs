//! The toolset `execution`: run any Smalltalk.

use crate::tool::{Answer, Context, Hints, Outcome, Tool, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) struct Execution;

impl Toolset for Execution {
    fn name(&self) -> &'static str {
        "execution"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some(
            "execute_code runs any Smalltalk and answers the printString of its value; what it changes \
             stays in this session until commit.",
        )
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M4 2l10 6-10 6z")
    }

    fn tools(&self) -> Vec<Tool> {
        let tool = Tool::new(
            "execute_code",
            "Execute Smalltalk code",
            "Call this to evaluate Smalltalk expressions or statements in the live image: to look at objects, to define \
             classes and methods, to try things out. Answers the printString of the last statement's value. Effects \
             stay in this session until commit. An error answers its class, its message and the frames of your own code.",
            Hints { read_only: false, destructive: true, idempotent: false },
            execute_code,
        ).keywords(&["evaluate", "run", "eval", "doit", "inspect", "any", "code"]);
        vec![tool.answering::<Executed>()]
    }
}

#[derive(Deserialize, JsonSchema)]
struct ExecuteCode {
    /// Smalltalk source: statements separated by periods; temporaries come first, as in `| x | x := 3. x + 4`.
    code: String,
}

/// What the code answered.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Executed {
    /// The printString of the value.
    print_string: String,
}

fn execute_code(context: &mut Context<'_>, ExecuteCode { code }: ExecuteCode) -> Outcome {
    let print_string = context.evaluate(&code)?;
    Ok(Answer::of(print_string.clone(), &Executed { print_string }))
}
