//! From a syntax tree to code.
//!
//! Three passes: `resolve` binds every name and decides which blocks become jumps, `layout` decides where each
//! variable lives, `generate` writes the instructions. The compiler knows no objects: what a name outside of the
//! source means, the caller's [`Scope`] says. It must never hand over code that breaks a limit of the instruction set:
//! each is an error with a place.

mod assemble;
mod control;
mod disassemble;
mod generate;
mod layout;
mod literals;
mod node;
mod resolve;
mod tables;
mod variables;

#[cfg(test)]
pub(crate) mod check;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
pub(crate) mod tests;

pub use disassemble::{disassemble, instruction_width};
pub use variables::{FrameVariables, VariablePlace, variables};

use crate::bytecode::MethodCode;
use crate::syntax::{CompileError, Parsed, parse_doit, parse_method};

/// What the names outside of a source mean.
pub trait Scope {
    /// A variable that is neither in the source nor in the receiver: class, pool and global variables.
    type Binding: Clone;

    /// The index of an instance variable of the receiver, from 0.
    fn instance_variable(&self, name: &str) -> Option<u16>;

    /// The class, pool or global variable of this name.
    fn binding(&mut self, name: &str) -> Option<Self::Binding>;
}

/// Compiles a method. All errors are reported at once, in order of place.
pub fn compile_method<S: Scope>(source: &str, scope: &mut S) -> Result<MethodCode<S::Binding>, Vec<CompileError>> {
    compile(source, parse_method(source), false, scope)
}

/// Compiles a do-it: a method without arguments that answers the value of its last statement, or nil.
pub fn compile_doit<S: Scope>(source: &str, scope: &mut S) -> Result<MethodCode<S::Binding>, Vec<CompileError>> {
    compile(source, parse_doit(source), true, scope)
}

/// The primitive that a method's source names.
pub fn primitive_name(source: &str) -> Option<String> {
    let pragmas = parse_method(source).method?.pragmas;
    let primitive = pragmas.into_iter().find(|pragma| pragma.selector == "primitive:")?;
    match primitive.arguments.into_iter().next()? {
        crate::syntax::ast::Literal::Symbol(name) => Some(name),
        _ => None,
    }
}

fn compile<S: Scope>(
    source: &str,
    parsed: Parsed,
    is_doit: bool,
    scope: &mut S,
) -> Result<MethodCode<S::Binding>, Vec<CompileError>> {
    let mut errors = parsed.errors;
    let Some(method) = parsed.method else { return Err(errors) };
    let resolver = resolve::Resolver::new(source, scope, &mut errors);
    let resolved = resolver.method(&method);
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.offset);
        errors.truncate(crate::syntax::MAX_ERRORS);
        return Err(errors);
    }
    let plan = layout::plan(resolved.tables, source)?;
    generate::Generator::new(source, plan, resolved.bindings).method(&method, resolved.statements, is_doit)
}
