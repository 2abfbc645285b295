//! The examples of `docs/language.md` do what the text says. In a block marked `smalltalk`, code goes up to a line that
//! ends with `"=> result"`, a printString, or with `"=> error Class"`. Blocks marked `topaz` and `chunks` are filed in.

mod support;

use smalltalk::Image;
use std::time::{Duration, Instant};
use support::{image, run};

/// A fenced block: its mark, the line of its first line, and its text.
struct Block<'a> {
    mark: &'a str,
    line: usize,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(mark) => {
                open = true;
                blocks.push(Block { mark, line: index + 2, lines: Vec::new() });
            }
            None if open => blocks.last_mut().expect("an open block").lines.push(line),
            None => {}
        }
    }
    assert!(!open, "the last block is not closed");
    blocks
}

fn outcome(image: &mut Image, code: &str) -> String {
    match run(image, code) {
        Ok(value) => value,
        Err(error) => format!("error {}", error.class),
    }
}

fn check_examples(image: &mut Image, block: &Block<'_>) -> usize {
    let (mut code, mut examples) = (String::new(), 0);
    for (index, line) in block.lines.iter().enumerate() {
        let Some((end, expected)) = line.rsplit_once("\"=> ") else {
            code.push_str(line);
            code.push('\n');
            continue;
        };
        code.push_str(end);
        let expected = expected.strip_suffix('"').expect("a result ends with its comment");
        let place = block.line + index;
        assert_eq!(outcome(image, &code), expected, "docs/language.md:{place}: {code}");
        code.clear();
        examples += 1;
    }
    assert!(code.trim().is_empty(), "docs/language.md:{}: an example without a result: {code}", block.line);
    examples
}

fn file_in(image: &mut Image, block: &Block<'_>, name: &str) {
    let text = block.lines.join("\n") + "\n";
    let done = image.file_in(&text, name, Instant::now() + Duration::from_secs(10));
    let done = done.unwrap_or_else(|errors| panic!("docs/language.md:{}: {errors}", block.line));
    assert!(done.methods > 0, "docs/language.md:{}: no methods", block.line);
}

#[test]
fn the_examples_of_the_language_hold() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/language.md");
    let text = std::fs::read_to_string(path).expect("docs/language.md");
    let mut image = image();
    let mut examples = 0;
    for block in blocks(&text) {
        match block.mark {
            "smalltalk" => examples += check_examples(&mut image, &block),
            "topaz" => file_in(&mut image, &block, "example.gs"),
            "chunks" => file_in(&mut image, &block, "example.st"),
            other => panic!("docs/language.md:{}: a block marked {other:?}", block.line),
        }
    }
    assert!(examples > 40, "only {examples} examples");
}
