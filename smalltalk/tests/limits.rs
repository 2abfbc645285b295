//! Time, stack, heap and cancellation: each ends in an error, and the image lives on.

mod support;

use smalltalk::{ErrorKind, VmLimits};
use std::thread;
use std::time::{Duration, Instant};
use support::{error, image, value};

#[test]
fn an_endless_loop_ends_in_time_and_the_next_execution_works() {
    let mut image = image();
    for code in [
        "[true] whileTrue",
        "[true] whileTrue: [3 + 4]",
        "[[true] whileTrue] ensure: [3]",
        "| b | b := nil. b := [b value]. [true] whileTrue: [[:x | x] value: 3]",
    ] {
        let start = Instant::now();
        let stopped = image.execute(code, start + Duration::from_millis(100)).expect_err("it does not end by itself");
        assert_eq!(stopped.kind, ErrorKind::Timeout, "{code}: {stopped:?}");
        assert!(start.elapsed() < Duration::from_secs(5), "{code}");
        assert_eq!(value(&mut image, "3 + 4"), "7");
    }
}

#[test]
fn code_that_swallows_the_interrupt_is_ended_all_the_same() {
    let mut image = image();
    let code = "[true] whileTrue: [[[true] whileTrue] on: AbstractException do: [:e | nil]]";
    let stopped =
        image.execute(code, Instant::now() + Duration::from_millis(50)).expect_err("it does not end by itself");
    assert_eq!(stopped.kind, ErrorKind::Timeout);
    assert_eq!(value(&mut image, "3 + 4"), "7");
}

#[test]
fn another_thread_can_cancel() {
    let mut image = image();
    let interrupts = image.interrupts();
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        interrupts.cancel();
    });
    let stopped = error(&mut image, "[true] whileTrue");
    assert_eq!(stopped.kind, ErrorKind::Interrupted);
    canceller.join().expect("the canceller ends");
    image.interrupts().clear();
    assert_eq!(value(&mut image, "3 + 4"), "7");
}

#[test]
fn endless_recursion_is_an_error_that_code_can_see() {
    let mut image = image();
    value(&mut image, "Object compileMethod: 'dive ^self dive' dictionaries: nil category: 'x'");
    value(
        &mut image,
        "Object compileMethod: 'dive: n ^n = 0 ifTrue: [0] ifFalse: [1 + (self dive: n - 1)]' dictionaries: nil \
            category: 'x'",
    );
    let stopped = error(&mut image, "3 dive");
    assert_eq!(stopped.kind, ErrorKind::StackDepth);
    assert!(stopped.frames[0].contains("Object>>dive"), "{:?}", &stopped.frames[..2]);
    assert_eq!(value(&mut image, "[3 dive] on: AlmostOutOfStack do: [:e | 'seen']"), "'seen'");
    assert_eq!(value(&mut image, "3 dive: 100000"), "100000");
    let block = "| b | b := nil. b := [:n | b value: n + 1]. b value: 1";
    assert_eq!(error(&mut image, block).kind, ErrorKind::StackDepth);
}

#[test]
fn a_full_heap_is_an_error_that_code_can_see() {
    let mut image = image();
    image.set_limits(VmLimits { heap_bytes: 32 << 20, stack_bytes: 8 << 20 });
    let greedy = "| all | all := OrderedCollection new. [true] whileTrue: [all add: (Array new: 1000)]";
    let stopped = error(&mut image, greedy);
    assert_eq!(stopped.kind, ErrorKind::OutOfMemory, "{stopped:?}");
    assert_eq!(value(&mut image, "(Array new: 1000) size"), "1000");
    assert_eq!(value(&mut image, &format!("[{greedy}] on: AlmostOutOfMemory do: [:e | 'seen']")), "'seen'");
    assert!(error(&mut image, "Array new: 1000000000").frames.len() == 1);
    assert_eq!(
        value(&mut image, "| n | n := 0. 1 to: 2000000 do: [:i | n := n + (Array new: 10) size]. n"),
        "20000000"
    );
}
