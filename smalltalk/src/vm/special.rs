//! The short sends: arithmetic, comparison and access in their common cases, without a send.

use super::interpreter::{instruction_word, target};
use super::known::class;
use super::registers::Registers;
use super::{Stop, Vm};
use crate::bytecode::op;
use crate::heap::{Layout, Oop};

const ARRAY: Layout = Layout::slots(class::ARRAY);
const STRING: Layout = Layout::bytes(class::STRING);
const SYMBOL: Layout = Layout::bytes(class::SYMBOL).sealed();
const BYTE_ARRAY: Layout = Layout::bytes(class::BYTE_ARRAY);

impl Vm {
    /// What a short send takes, by its depth on the stack.
    #[inline(always)]
    fn operand(&self, r: &Registers, depth: usize) -> Oop {
        // SAFETY: by 2 of the interpreter's list, there are as many words as the instruction takes.
        unsafe { self.peek_unchecked(r, depth) }
    }

    /// Puts the answer of a short send in the place of what it took.
    #[inline(always)]
    fn answer(&mut self, r: &Registers, depth: usize, value: Oop) {
        // SAFETY: as in `operand`; the value is immediate, or an object from the stack or from a slot.
        unsafe { self.poke_unchecked(r, depth, value) }
    }

    #[inline(always)]
    pub(crate) fn special_send(&mut self, r: Registers, operation: u8) -> Result<Registers, Stop> {
        if operation == op::Identical || operation == op::NotIdentical {
            return Ok(self.identity_test(r, operation));
        }
        if operation >= op::At {
            return self.special_access(r, operation);
        }
        let left = self.operand(&r, 2);
        let right = self.operand(&r, 1);
        let value = if left.is_integer() && right.is_integer() {
            integer_case(operation, left, right)
        } else if left.is_float() || right.is_float() {
            float_case(operation, left, right)
        } else {
            None
        };
        match value {
            Some(value) => Ok(self.replace_two(r, value)),
            None => self.slowly(r, |vm, r| vm.special_send_slow(r, operation, 1)),
        }
    }

    /// A comparison; of integers, and before a jump that depends on it, the two are done as one.
    #[inline(always)]
    pub(crate) fn comparison(&mut self, r: Registers, operation: u8) -> Result<Registers, Stop> {
        let left = self.operand(&r, 2);
        let right = self.operand(&r, 1);
        // Behind the site word there is an instruction: code ends with a return.
        let next = instruction_word(&r, r.ip + 1);
        if !left.is_integer() || !right.is_integer() || next as u8 != op::JumpIfFalse {
            return self.special_send(r, operation);
        }
        let r = Registers { sp: r.sp - 2, ip: r.ip + 2, ..r };
        let holds = integer_case(operation, left, right) == Some(Oop::TRUE);
        Ok(if holds { r } else { Registers { ip: target(&r, next), ..r } })
    }

    /// Receiver and argument make room for the value; the site word is stepped over.
    #[inline(always)]
    fn replace_two(&mut self, r: Registers, value: Oop) -> Registers {
        self.answer(&r, 2, value);
        Registers { sp: r.sp - 1, ip: r.ip + 1, ..r }
    }

    #[inline(always)]
    fn identity_test(&mut self, r: Registers, operation: u8) -> Registers {
        let same = self.operand(&r, 2) == self.operand(&r, 1);
        self.answer(&r, 2, Oop::boolean(same == (operation == op::Identical)));
        Registers { sp: r.sp - 1, ..r }
    }

    #[inline(always)]
    fn special_access(&mut self, r: Registers, operation: u8) -> Result<Registers, Stop> {
        match operation {
            op::At => match self.quick_at(&r) {
                Some(value) => Ok(self.replace_two(r, value)),
                None => self.slowly(r, |vm, r| vm.special_send_slow(r, op::At, 1)),
            },
            op::AtPut => match self.quick_at_put(&r) {
                Some(value) => {
                    self.answer(&r, 3, value);
                    Ok(Registers { sp: r.sp - 2, ip: r.ip + 1, ..r })
                }
                None => self.slowly(r, |vm, r| vm.special_send_slow(r, op::AtPut, 2)),
            },
            _ => match self.quick_size(&r) {
                Some(value) => {
                    self.answer(&r, 1, value);
                    Ok(Registers { ip: r.ip + 1, ..r })
                }
                None => self.slowly(r, |vm, r| vm.special_send_slow(r, op::Size, 0)),
            },
        }
    }

    #[inline(always)]
    fn quick_at(&self, r: &Registers) -> Option<Oop> {
        let collection = self.operand(r, 2);
        let index = self.operand(r, 1).as_integer()?;
        // SAFETY: a pointer on the stack is an object; the element is read only if it is there.
        unsafe {
            if !collection.is_pointer() || index < 1 || index as usize > self.heap.size_unchecked(collection) {
                return None;
            }
            let index = index as usize - 1;
            match self.heap.layout_unchecked(collection) {
                ARRAY => {
                    let value = self.heap.slot_unchecked(collection, index);
                    (!value.is_reference()).then_some(value)
                }
                STRING | SYMBOL => Some(Oop::character(char::from(self.heap.byte_unchecked(collection, index)))),
                BYTE_ARRAY => Some(Oop::small(i64::from(self.heap.byte_unchecked(collection, index)))),
                _ => None,
            }
        }
    }

    #[inline(always)]
    fn quick_at_put(&mut self, r: &Registers) -> Option<Oop> {
        let collection = self.operand(r, 3);
        let index = self.operand(r, 2).as_integer()?;
        let value = self.operand(r, 1);
        // SAFETY: a pointer on the stack is an object; the element is written only if it is there, in an open array.
        unsafe {
            if !collection.is_pointer() || index < 1 || index as usize > self.heap.size_unchecked(collection) {
                return None;
            }
            if self.heap.layout_unchecked(collection) != ARRAY || self.heap.is_immutable_unchecked(collection) {
                return None;
            }
            self.heap.store_unchecked(collection, index as usize - 1, value);
        }
        Some(value)
    }

    #[inline(always)]
    fn quick_size(&self, r: &Registers) -> Option<Oop> {
        let collection = self.operand(r, 1);
        if !collection.is_pointer() {
            return None;
        }
        // SAFETY: a pointer on the stack is an object.
        let (layout, size) = unsafe { (self.heap.layout_unchecked(collection), self.heap.size_unchecked(collection)) };
        matches!(layout, ARRAY | STRING | SYMBOL | BYTE_ARRAY).then(|| Oop::small(size as i64))
    }

    pub(crate) fn special_not(&mut self, r: Registers) -> Result<Registers, Stop> {
        let answer = match self.operand(&r, 1) {
            Oop::TRUE => Oop::FALSE,
            Oop::FALSE => Oop::TRUE,
            _ => return self.slowly(r, |vm, r| vm.special_send_slow(r, op::Not, 0)),
        };
        self.answer(&r, 1, answer);
        Ok(Registers { ip: r.ip + 1, ..r })
    }
}

#[inline(always)]
fn integer_case(operation: u8, left: Oop, right: Oop) -> Option<Oop> {
    let (a, b) = (left.small_value(), right.small_value());
    match operation {
        op::Add => Oop::integer(a + b),
        op::Subtract => Oop::integer(a - b),
        op::Multiply => a.checked_mul(b).and_then(Oop::integer),
        op::Less => Some(Oop::boolean(a < b)),
        op::Greater => Some(Oop::boolean(a > b)),
        op::LessOrEqual => Some(Oop::boolean(a <= b)),
        op::GreaterOrEqual => Some(Oop::boolean(a >= b)),
        op::Equal => Some(Oop::boolean(a == b)),
        op::NotEqual => Some(Oop::boolean(a != b)),
        op::FloorDivide => (b != 0).then(|| floor_divide(a, b)).and_then(Oop::integer),
        op::Modulo => (b != 0).then(|| Oop::small(a - floor_divide(a, b) * b)),
        op::Divide => (b != 0 && a % b == 0).then(|| a / b).and_then(Oop::integer),
        op::BitAnd => Some(Oop::small(a & b)),
        op::BitOr => Some(Oop::small(a | b)),
        op::BitShift => shift(a, b),
        _ => None,
    }
}

fn floor_divide(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn shift(a: i64, b: i64) -> Option<Oop> {
    if b <= 0 {
        return Some(Oop::small(a >> b.unsigned_abs().min(63)));
    }
    if b > 60 {
        return if a == 0 { Some(Oop::small(0)) } else { None };
    }
    let shifted = i128::from(a) << b;
    i64::try_from(shifted).ok().and_then(Oop::integer)
}

#[inline(always)]
fn as_number(value: Oop) -> Option<f64> {
    // An integer of more than 53 bits would lose some: that is the library's business.
    value.as_float().or_else(|| value.as_integer().filter(|value| value.abs() < 1 << 53).map(|value| value as f64))
}

#[inline(always)]
fn float_case(operation: u8, left: Oop, right: Oop) -> Option<Oop> {
    let (a, b) = (as_number(left)?, as_number(right)?);
    match operation {
        op::Add => Oop::float(a + b),
        op::Subtract => Oop::float(a - b),
        op::Multiply => Oop::float(a * b),
        op::Divide if b != 0.0 => Oop::float(a / b),
        op::Less => Some(Oop::boolean(a < b)),
        op::Greater => Some(Oop::boolean(a > b)),
        op::LessOrEqual => Some(Oop::boolean(a <= b)),
        op::GreaterOrEqual => Some(Oop::boolean(a >= b)),
        op::Equal => Some(Oop::boolean(a == b)),
        op::NotEqual => Some(Oop::boolean(a != b)),
        _ => None,
    }
}
