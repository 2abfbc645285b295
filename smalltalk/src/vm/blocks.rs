//! Blocks that come from elsewhere: before one is evaluated, what it says of itself is compared with its method's code.
//!
//! A block names its method, where its instructions begin and how many values it has. Those that this process makes
//! are right, and sealed when they are made. One from the repository, or a copy of one, says what it likes: it is
//! sealed when it has been found right, and never entered before.

use super::frames::{BlockShape, block_slot};
use super::known::class;
use super::{Stop, Vm};
use crate::bytecode::{BlockDescriptor, Operation, op};
use crate::compiler::instruction_width;
use crate::heap::Oop;

impl Vm {
    /// The shape of a block that may be entered.
    pub(crate) fn sealed_shape(&self, block: Oop) -> Option<BlockShape> {
        let is_block = self.heap.is_object(block) && self.heap.class_index(block) == class::BLOCK;
        (is_block && self.heap.is_sealed(block)).then(|| BlockShape::of(self.heap.slot(block, block_slot::ENTRY)))
    }

    /// The shape of a block, which may be entered from now on; `None` if it is no block of its method's.
    pub(crate) fn seal_block(&mut self, block: Oop) -> Result<Option<BlockShape>, Stop> {
        if let Some(shape) = self.sealed_shape(block) {
            return Ok(Some(shape));
        }
        if self.class_index_of(block) != class::BLOCK || !self.has_slots(block, block_slot::FIRST_COPIED) {
            return Ok(None);
        }
        self.load_all(block)?;
        let (method, word) = (self.heap.slot(block, block_slot::METHOD), self.heap.slot(block, block_slot::ENTRY));
        if self.class_index_of(method) != class::METHOD || !word.is_integer() {
            return Ok(None);
        }
        let entry = self.method_entry(method)?;
        let shape = BlockShape::of(word);
        let size = self.heap.size(block);
        let is_right = size == block_slot::FIRST_COPIED + shape.copied
            && describes(&self.tables.instructions[entry as usize], shape)
            && shape.encode() == word;
        if !is_right {
            return Ok(None);
        }
        self.heap.seal(block);
        Ok(Some(shape))
    }
}

/// Whether verified code makes a block of this shape.
fn describes(words: &[u32], shape: BlockShape) -> bool {
    let mut at = 0;
    while at + 1 < words.len() {
        let word = words[at];
        if word as u8 == op::PushBlock && at + 2 == shape.start {
            let descriptor = BlockDescriptor::decode(words[at + 1]);
            return usize::from(descriptor.arguments) == shape.arguments
                && usize::from(descriptor.temporaries) == shape.temporaries
                && (word >> 8) as u8 as usize == shape.copied;
        }
        at += Operation::from_number(word as u8).map_or(1, instruction_width);
    }
    false
}
