//! The transcript: text that belongs to the session, bounded, and never committed.

use super::{Named, PrimitiveFailure, PrimitiveResult};
use crate::vm::Vm;
use crate::vm::control::Arguments;

pub(super) const PRIMITIVES: Named =
    &[("transcriptAppend:", append), ("transcriptContents", contents), ("transcriptClear", clear)];

/// The most bytes that are kept.
const BYTES_MAX: usize = 64 * 1024;

/// The last of the text that was written.
#[derive(Debug, Default)]
pub struct Transcript {
    text: String,
}

impl Transcript {
    fn append(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > BYTES_MAX {
            let start = self.text.ceil_char_boundary(self.text.len() - BYTES_MAX);
            self.text.drain(..start);
        }
    }
}

fn append(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let text = vm.characters(vm.argument(arguments, 0)).ok_or(PrimitiveFailure::Failed)?;
    let text: String = text.chars().collect();
    vm.transcript.append(&text);
    Ok(vm.receiver(arguments))
}

fn contents(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let text = vm.transcript.text.clone();
    Ok(vm.new_string(&text)?)
}

fn clear(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    vm.transcript = Transcript::default();
    Ok(vm.receiver(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_of_it_is_kept() {
        let mut transcript = Transcript::default();
        for _ in 0..BYTES_MAX {
            transcript.append("ä");
        }
        transcript.append("x");
        assert!(transcript.text.len() <= BYTES_MAX && transcript.text.len() > BYTES_MAX - 4);
        assert!(transcript.text.ends_with("äx"));
    }
}
