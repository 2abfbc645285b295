//! Code as text, one instruction a line, for tests and for people.

use crate::bytecode::{BlockDescriptor, Literal, MethodCode, Operation, SPECIAL_SENDS};
use std::fmt::{Debug, Write};

/// How many words an instruction takes, its site or descriptor word included.
pub fn instruction_width(operation: Operation) -> usize {
    let has_site = SPECIAL_SENDS.iter().any(|(special, _, _)| *special == operation);
    let is_wide = matches!(operation, Operation::Send | Operation::SendSuper | Operation::PushBlock);
    1 + usize::from(has_site || is_wide)
}

/// All instructions of a method. Jumps and blocks name the index where they lead to or end.
pub fn disassemble<B: Debug>(method: &MethodCode<B>) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < method.code.len() {
        let word = method.code[at];
        let Some(operation) = Operation::from_number(word as u8) else {
            let _ = writeln!(text, "{at} ?{word}");
            at += 1;
            continue;
        };
        let operands = operands(method, operation, at);
        let separator = if operands.is_empty() { "" } else { " " };
        let _ = writeln!(text, "{at} {operation:?}{separator}{operands}");
        at += instruction_width(operation);
    }
    text
}

fn operands<B: Debug>(method: &MethodCode<B>, operation: Operation, at: usize) -> String {
    use Operation::*;
    let word = method.code[at];
    let a = word >> 8 & 0xff;
    let b = (word >> 16) as u16;
    match operation {
        PushTemporary | StoreTemporary | PopTemporary | PushSmallInteger => (b as i16).to_string(),
        PushInstanceVariable | StoreInstanceVariable | PopInstanceVariable | PushNewVector | PushNewArray => {
            b.to_string()
        }
        PushVectorTemporary | StoreVectorTemporary | PopVectorTemporary => format!("{a} of {}", b as i16),
        PushLiteral | PushGlobal | StoreGlobal | PopGlobal => literal(method, b),
        Send | SendSuper => literal(method, b),
        Jump | JumpBack | JumpIfTrue | JumpIfFalse | JumpIfNil | JumpIfNotNil => {
            format!("to {}", at as i64 + 1 + i64::from(word as i32 >> 8))
        }
        PushBlock => {
            let descriptor = BlockDescriptor::decode(method.code.get(at + 1).copied().unwrap_or(0));
            let home = if descriptor.returns_from_home { " home" } else { "" };
            let (arguments, temporaries) = (descriptor.arguments, descriptor.temporaries);
            format!("copies {a} arguments {arguments} temporaries {temporaries}{home} to {}", at + 2 + usize::from(b))
        }
        _ => String::new(),
    }
}

fn literal<B: Debug>(method: &MethodCode<B>, index: u16) -> String {
    match method.literals.get(usize::from(index)) {
        Some(Literal::Symbol(name)) => format!("#{name}"),
        Some(Literal::Integer(value)) => value.to_string(),
        Some(Literal::String(text)) => format!("{text:?}"),
        Some(Literal::Binding(binding)) => format!("{binding:?}"),
        Some(other) => format!("{other:?}"),
        None => format!("literal {index}?"),
    }
}
