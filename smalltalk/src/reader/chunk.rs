//! The form in which most Smalltalks file code out: chunks of text, each ended by a `!`, which stands doubled for
//! itself. A chunk is a do-it, unless a `methodsFor:` before it opened a run of methods; a blank chunk ends the run.

use super::class_definition::{constant_message, parse_class_definition};
use super::gs::{Item, ItemKind, ReadError};

/// Reads a whole file, or says what is wrong with it and does nothing.
pub fn read_chunks(text: &str) -> Result<Vec<Item>, ReadError> {
    let mut reader = Reader { items: Vec::new(), methods: None, comment_of: None };
    let mut chunks = Chunks { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
    while let Some(chunk) = chunks.next_chunk()? {
        reader.read(chunk)?;
    }
    match (reader.methods, reader.comment_of) {
        (Some(methods), _) => error(methods.line, "expected a blank chunk, `! !`, to end the methods that begin here"),
        (_, Some(comment)) => error(comment.line, "expected a chunk with the comment, found the end of the file"),
        _ => Ok(reader.items),
    }
}

fn error<T>(line: u32, message: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError { line, message: message.into() })
}

/// What stands between two bangs.
struct Chunk {
    /// Without the blanks around it, each `!!` made one.
    text: String,
    /// The line in which it begins.
    line: u32,
}

struct Chunks<'a> {
    rest: &'a str,
    line: u32,
}

impl Chunks<'_> {
    /// The next chunk; `None` at the end of the file.
    fn next_chunk(&mut self) -> Result<Option<Chunk>, ReadError> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut chunk = Chunk { text: String::new(), line: self.line };
        loop {
            let Some((before, after)) = self.rest.split_once('!') else {
                return error(chunk.line, "expected a ! to end the chunk that begins here, found the end of the file");
            };
            chunk.text.push_str(before);
            self.line += before.matches('\n').count() as u32;
            let doubled = after.strip_prefix('!');
            self.rest = doubled.unwrap_or(after);
            if doubled.is_none() {
                break;
            }
            chunk.text.push('!');
        }
        chunk.text.truncate(chunk.text.trim_end().len());
        Ok(Some(chunk))
    }

    fn skip_blanks(&mut self) {
        let start = self.rest.trim_start();
        let blanks = &self.rest[..self.rest.len() - start.len()];
        self.line += blanks.matches('\n').count() as u32;
        self.rest = start;
    }
}

/// A side of a class, and the line where the file turned to it.
struct Target {
    class: String,
    meta: bool,
    category: String,
    line: u32,
}

struct Reader {
    items: Vec<Item>,
    /// The run of methods that is open.
    methods: Option<Target>,
    /// The class whose comment the next chunk is.
    comment_of: Option<Target>,
}

/// What a chunk asks for that steers the reader.
enum Directive {
    Methods(Target),
    Comment(Target),
    /// Categories in another order: they come with the methods.
    Ignored,
}

impl Reader {
    fn read(&mut self, chunk: Chunk) -> Result<(), ReadError> {
        if let Some(target) = self.comment_of.take() {
            self.comment(&target, &chunk);
            return Ok(());
        }
        if let Some(target) = self.methods.take() {
            return self.method(target, chunk);
        }
        match directive(&chunk) {
            Some(Directive::Methods(target)) => self.methods = Some(target),
            Some(Directive::Comment(target)) => self.comment_of = Some(target),
            Some(Directive::Ignored) => {}
            // A bang in front of a directive ends a chunk in which there is nothing.
            None if chunk.text.is_empty() => {}
            None => self.do_it(chunk),
        }
        Ok(())
    }

    fn method(&mut self, target: Target, chunk: Chunk) -> Result<(), ReadError> {
        if chunk.text.is_empty() {
            return Ok(());
        }
        if directive(&chunk).is_some() {
            let text = format!("expected a blank chunk, `! !`, to end the methods from line {} on", target.line);
            return error(chunk.line, format!("{text}, found {:?}", chunk.text));
        }
        let (class, category) = (target.class.clone(), target.category.clone());
        let kind = ItemKind::Method { class, meta: target.meta, category, source: chunk.text, environment: 0 };
        self.items.push(Item { line: chunk.line, source_line: chunk.line, kind });
        self.methods = Some(target);
        Ok(())
    }

    fn comment(&mut self, target: &Target, chunk: &Chunk) {
        let side = if target.meta { " class" } else { "" };
        let source = format!("{}{side} comment: '{}'", target.class, chunk.text.replace('\'', "''"));
        self.items.push(Item { line: chunk.line, source_line: chunk.line, kind: ItemKind::DoIt { source } });
    }

    fn do_it(&mut self, chunk: Chunk) {
        let source = chunk.text;
        let kind = match parse_class_definition(&source) {
            Some(definition) => ItemKind::ClassDefinition { definition, source },
            None => ItemKind::DoIt { source },
        };
        self.items.push(Item { line: chunk.line, source_line: chunk.line, kind });
    }
}

/// What the chunk asks of the reader, if it is a message to a class, or to a class's class, of the kind that does.
fn directive(chunk: &Chunk) -> Option<Directive> {
    let message = constant_message(&chunk.text)?;
    let first = message.selector.split_inclusive(':').next()?;
    let category = message.first_name.unwrap_or_default();
    let target = Target { class: message.class, meta: message.meta, category, line: chunk.line };
    match first {
        "methodsFor:" | "publicMethodsFor:" | "privateMethodsFor:" => Some(Directive::Methods(target)),
        "commentStamp:" => Some(Directive::Comment(target)),
        "reorganize" => Some(Directive::Ignored),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{SourceForm, source_form};

    const FILE: &str = "'From nowhere'!\n\nObject subclass: #Bell\n  instanceVariableNames: 'tone'\n  \
        classVariableNames: '' package: 'Bells'!\n\n!Bell commentStamp: 'x' prior: 0!\nI don't stop!!!\n\n\
        !Bell methodsFor: 'ringing' stamp: 'x'!\nring\n\t^'ding!!'! !\n\n\
        !Bell class methodsFor: 'it''s'!\nnew\n\t^super new!\n\nloud\n\t^self new! !\n\nBell new ring!\n";

    #[test]
    fn files_come_apart_into_items() {
        let items = read_chunks(FILE).unwrap();
        let method = |meta, category: &str, source: &str| ItemKind::Method {
            class: "Bell".to_owned(),
            meta,
            category: category.to_owned(),
            source: source.to_owned(),
            environment: 0,
        };
        let do_it = |source: &str| ItemKind::DoIt { source: source.to_owned() };
        let (lines, kinds): (Vec<_>, Vec<_>) = items.into_iter().map(|item| (item.source_line, item.kind)).unzip();
        assert_eq!(lines, [1, 3, 8, 11, 15, 18, 21]);
        assert_eq!(kinds[0], do_it("'From nowhere'"));
        assert!(matches!(&kinds[1], ItemKind::DoIt { source } if source.starts_with("Object subclass: #Bell")));
        assert_eq!(kinds[2], do_it("Bell comment: 'I don''t stop!'"));
        assert_eq!(kinds[3], method(false, "ringing", "ring\n\t^'ding!'"));
        assert_eq!(kinds[4], method(true, "it's", "new\n\t^super new"));
        assert_eq!(kinds[5], method(true, "it's", "loud\n\t^self new"));
        assert_eq!(kinds[6], do_it("Bell new ring"));
    }

    #[test]
    fn nothing_is_lost_in_silence() {
        let cases = [
            ("3 + 4", 1, "expected a ! to end the chunk"),
            ("3!\n\n4", 3, "expected a ! to end the chunk"),
            ("\n!A methodsFor: 'x'!\nfoo! ", 2, "to end the methods that begin here"),
            ("!A methodsFor: 'x'!\nfoo!\nA methodsFor: 'y'!\nbar! !", 3, "to end the methods from line 1 on"),
            ("!A commentStamp: 'x' prior: 0!\n", 1, "expected a chunk with the comment"),
        ];
        for (text, line, message) in cases {
            let error = read_chunks(text).unwrap_err();
            assert!(error.line == line && error.message.contains(message), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_form_of_a_text_is_seen() {
        assert_eq!(source_form("bell.st", "3!"), SourceForm::Chunks);
        assert_eq!(source_form("bell.gs", "3!"), SourceForm::Topaz);
        assert_eq!(source_form("text", FILE), SourceForm::Chunks);
        assert_eq!(source_form("text", "doit\n3 foo!\n%\n! end!\n"), SourceForm::Topaz);
        assert_eq!(source_form("text", "! Load it all!\ninput a.gs\n! Done!\n"), SourceForm::Topaz);
        assert_eq!(source_form("text", "nonsense"), SourceForm::Topaz);
    }
}
