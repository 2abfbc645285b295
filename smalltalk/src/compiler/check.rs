//! What code of the compiler must be like, for tests: the verifier takes it, the frame is exactly as large as it needs
//! to be, and each send has a position.

use crate::bytecode::{Literal, MethodCode};
use crate::vm::symbols::argument_count;
use crate::vm::verifier::{LiteralKind, Unverified, verify};

/// Panics if the method is not right.
pub(super) fn check<B>(method: &MethodCode<B>) {
    let literals: Vec<LiteralKind> = method.literals.iter().map(kind).collect();
    let verified = verify(&unverified(method, &literals)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verified.frame_words, usize::from(method.frame_words), "frame_words");
    let places: Vec<u32> = method.positions.iter().map(|position| position.0).collect();
    assert_eq!(verified.behind_sends, places, "each send has a position, and they ascend");
}

/// What the verifier is told of a method that the compiler made.
pub(crate) fn unverified<'a, B>(method: &'a MethodCode<B>, literals: &'a [LiteralKind]) -> Unverified<'a> {
    Unverified {
        code: &method.code,
        sites: method.sites.into(),
        arguments: method.arguments,
        temporaries: method.temporaries,
        frame_words: method.frame_words,
        literals,
    }
}

/// What a literal of the compiler's is.
pub(crate) fn kind<B>(literal: &Literal<B>) -> LiteralKind {
    match literal {
        Literal::Symbol(text) => argument_count(text).map_or(LiteralKind::Value, LiteralKind::Selector),
        Literal::Binding(_) => LiteralKind::Variable,
        _ => LiteralKind::Value,
    }
}
