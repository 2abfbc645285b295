//! A reference for what code must be like, for tests: every instruction is reached, the stack is as deep on every way
//! to it, jumps land on instructions, operands are in range, and the frame is exactly as large as it is said to be.

use super::instruction_width;
use crate::bytecode::{BlockDescriptor, FIRST_TEMPORARY, MethodCode, Operation, SPECIAL_SENDS};
use std::collections::BTreeMap;
use std::ops::Range;

/// Panics if the method is not sound.
pub(super) fn check<B>(method: &MethodCode<B>) {
    let mut checker = Checker { method, sites: Vec::new(), behind_sends: Vec::new(), largest_frame: 0 };
    let frame = Frame { arguments: method.arguments.into(), temporaries: method.temporaries.into(), is_block: false };
    checker.region(0..method.code.len(), &frame);
    checker.sites.sort_unstable();
    let all_sites: Vec<u32> = (0..method.sites.into()).collect();
    assert_eq!(checker.sites, all_sites, "each site belongs to one send");
    assert_eq!(checker.largest_frame, usize::from(method.frame_words), "frame_words");
    let places: Vec<u32> = method.positions.iter().map(|position| position.0).collect();
    assert!(places.is_sorted(), "positions ascend");
    checker.behind_sends.sort_unstable();
    assert_eq!(checker.behind_sends, places, "each send has a position");
}

struct Frame {
    arguments: usize,
    temporaries: usize,
    is_block: bool,
}

struct Checker<'a, B> {
    method: &'a MethodCode<B>,
    sites: Vec<u32>,
    behind_sends: Vec<u32>,
    largest_frame: usize,
}

impl<B> Checker<'_, B> {
    /// Checks a body; answers whether it or a block in it returns from home.
    fn region(&mut self, region: Range<usize>, frame: &Frame) -> bool {
        let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
        let mut work = vec![(region.start, 0_usize)];
        let mut peak = 0;
        let mut returns_from_home = false;
        while let Some((at, depth)) = work.pop() {
            assert!(region.contains(&at), "{at} is outside of {region:?}");
            if let Some(known) = depths.insert(at, depth) {
                assert_eq!(known, depth, "the stack at {at} is as deep on every way");
                continue;
            }
            let operation = self.operation(at);
            let (popped, pushed) = self.effect(at, operation, frame);
            let after = depth.checked_sub(popped).expect("nothing is popped from an empty stack") + pushed;
            peak = peak.max(after);
            returns_from_home |= operation == Operation::ReturnFromHome;
            if operation == Operation::PushBlock {
                returns_from_home |= self.block(at);
            }
            work.extend(self.successors(at, operation, frame).into_iter().map(|next| (next, after)));
        }
        self.check_all_reached(region, &depths);
        self.largest_frame = self.largest_frame.max(frame.temporaries + peak);
        returns_from_home
    }

    fn operation(&self, at: usize) -> Operation {
        Operation::from_number(self.method.code[at] as u8).expect("an operation")
    }

    fn b(&self, at: usize) -> usize {
        (self.method.code[at] >> 16) as usize
    }

    fn a(&self, at: usize) -> usize {
        (self.method.code[at] >> 8 & 0xff) as usize
    }

    /// Operands are checked, and what is popped and pushed is answered.
    fn effect(&mut self, at: usize, operation: Operation, frame: &Frame) -> (usize, usize) {
        use Operation::*;
        let b = self.b(at);
        match operation {
            PushTemporary | StoreTemporary | PopTemporary => self.check_offset(b as u16 as i16, frame),
            PushVectorTemporary | StoreVectorTemporary | PopVectorTemporary => {
                self.check_offset(b as u16 as i16, frame)
            }
            PushLiteral | PushGlobal | StoreGlobal | PopGlobal => assert!(b < self.method.literals.len()),
            Send | SendSuper => assert!(b < self.method.literals.len()),
            JumpIfTrue | JumpIfFalse => self.behind_sends.push(at as u32 + 1),
            _ => {}
        }
        if let Some((_, _, arguments)) = SPECIAL_SENDS.iter().find(|(special, _, _)| *special == operation) {
            self.note_send(at);
            return (usize::from(*arguments) + 1, 1);
        }
        match operation {
            PushTemporary | PushInstanceVariable | PushLiteral | PushGlobal | PushSelf | PushNil | PushTrue => (0, 1),
            PushFalse | PushSmallInteger | PushThisContext | PushVectorTemporary | PushNewVector => (0, 1),
            StoreTemporary | StoreInstanceVariable | StoreGlobal | StoreVectorTemporary => (1, 1),
            PopTemporary | PopInstanceVariable | PopGlobal | PopVectorTemporary | Pop => (1, 0),
            PushNewArray => (b, 1),
            PushBlock => (self.a(at), 1),
            Send | SendSuper => {
                self.note_send(at);
                (self.a(at) + 1, 1)
            }
            Jump | JumpBack | ReturnSelf => (0, 0),
            JumpIfTrue | JumpIfFalse | JumpIfNil | JumpIfNotNil | ReturnTop | ReturnFromHome => (1, 0),
            Duplicate => (1, 2),
            Identical | NotIdentical => (2, 1),
            IsNil | NotNil => (1, 1),
            other => panic!("{other:?} has no effect that is known"),
        }
    }

    fn note_send(&mut self, at: usize) {
        self.sites.push(self.method.code[at + 1]);
        self.behind_sends.push(at as u32 + 2);
    }

    fn check_offset(&self, offset: i16, frame: &Frame) {
        let temporaries = FIRST_TEMPORARY..FIRST_TEMPORARY + frame.temporaries as i16;
        let arguments = -(frame.arguments as i16)..0;
        assert!(temporaries.contains(&offset) || arguments.contains(&offset), "offset {offset} is in the frame");
    }

    fn successors(&self, at: usize, operation: Operation, frame: &Frame) -> Vec<usize> {
        use Operation::*;
        let next = at + instruction_width(operation);
        let distance = self.method.code[at] as i32 >> 8;
        let target = (next as i64 + i64::from(distance)) as usize;
        match operation {
            ReturnTop => Vec::new(),
            ReturnSelf => {
                assert!(!frame.is_block, "ReturnSelf is for methods");
                Vec::new()
            }
            ReturnFromHome => {
                assert!(frame.is_block, "ReturnFromHome is for blocks");
                Vec::new()
            }
            JumpBack => {
                assert!(target <= at, "JumpBack leads backwards");
                vec![target]
            }
            Jump => {
                assert!(target >= next, "Jump leads forwards");
                vec![target]
            }
            JumpIfTrue | JumpIfFalse | JumpIfNil | JumpIfNotNil => {
                assert!(target >= next, "{operation:?} leads forwards");
                vec![next, target]
            }
            PushBlock => vec![next + self.b(at)],
            _ => vec![next],
        }
    }

    fn block(&mut self, at: usize) -> bool {
        let descriptor = BlockDescriptor::decode(self.method.code[at + 1]);
        let temporaries = self.a(at) + usize::from(descriptor.temporaries);
        let frame = Frame { arguments: descriptor.arguments.into(), temporaries, is_block: true };
        let returns = self.region(at + 2..at + 2 + self.b(at), &frame);
        assert_eq!(returns, descriptor.returns_from_home, "returns_from_home");
        returns
    }

    fn check_all_reached(&self, region: Range<usize>, depths: &BTreeMap<usize, usize>) {
        let mut expected = Vec::new();
        let mut at = region.start;
        while at < region.end {
            expected.push(at);
            let operation = self.operation(at);
            let body = if operation == Operation::PushBlock { self.b(at) } else { 0 };
            at += instruction_width(operation) + body;
        }
        assert_eq!(at, region.end, "the last instruction ends with its body");
        let reached: Vec<usize> = depths.keys().copied().collect();
        assert_eq!(reached, expected, "every instruction is reached, and nothing else");
    }
}
