//! The kernel, printed class by class and booted from what was printed, prints the same again.

use super::{KERNEL, boot, boot_from};
use crate::image::Image;
use crate::reader::{ItemKind, read_gs};
use std::time::{Duration, Instant};

/// Every class of the kernel in the form of a file, superclasses first.
fn printed(image: &mut Image) -> Vec<String> {
    let names = "| classes told | classes := System allClasses asIdentitySet. \
        told := WriteStream on: String new. \
        (classes asSortedCollection: [:a :b | | one other | one := a allSuperclasses size. other := b allSuperclasses \
        size. one = other ifTrue: [a name <= b name] ifFalse: [one < other]]) do: [:each | \
        told nextPutAll: each name; lf]. told contents";
    let names = text(image, names);
    names.lines().map(|name| text(image, &format!("{name} fileOutClass"))).collect()
}

/// The string that code answers.
fn text(image: &mut Image, code: &str) -> String {
    let printed = image.execute(code, Instant::now() + Duration::from_secs(60)).expect("a value");
    let quoted = printed.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).expect("a string");
    quoted.replace("''", "'")
}

/// What the kernel's files do beside defining: class variables get their values.
fn do_its() -> String {
    let mut text = String::new();
    for (file, source) in KERNEL {
        for item in read_gs(source).unwrap_or_else(|error| panic!("{file}: {error}")) {
            if let ItemKind::DoIt { source } = item.kind {
                text.push_str(&format!("doit\n{source}\n%\n"));
            }
        }
    }
    text
}

#[test]
fn every_class_of_the_kernel_reads_back_and_prints_the_same() {
    let first = printed(&mut Image::of(boot().expect("the kernel boots")));
    assert!(first.len() > 100, "only {} classes", first.len());
    let is_makeshift = |line: &str| line.contains(" compileMethod: '") && !line.starts_with(char::is_whitespace);
    let makeshift = first.iter().find(|class| class.lines().any(is_makeshift));
    assert_eq!(makeshift, None, "every method of the kernel fits into a block");
    let text = first.concat() + &do_its();
    let second = boot_from(&[("printed.gs", &text)]).unwrap_or_else(|error| panic!("{error}"));
    let second = printed(&mut Image::of(second));
    assert_eq!(first.len(), second.len());
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(one, other);
    }
}
