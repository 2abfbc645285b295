//! Filing in: doing what a file says, item by item.
//!
//! An item that fails does not keep the others from being tried: whoever files in learns of every failure at once, with
//! its file and line. Nothing is committed here, even if a file asks for it: that is for the caller, when nothing has
//! failed. Nor is a file opened: the text of one that another refers to comes from the caller, or is a failure.

use crate::compiling::CompileFailure;
use crate::heap::Oop;
use crate::image::Image;
use crate::reader::{Item, ItemKind, read_source};
use crate::syntax::CompileError;
use crate::vm::Stop;
use crate::vm::known::{behavior_slot, dictionary_slot};
use std::fmt;
use std::time::Instant;
use thiserror::Error;

/// What a file brought in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileIn {
    /// Methods that were compiled and installed.
    pub methods: usize,
    /// Do-its that ran to their end, class definitions among them.
    pub do_its: usize,
}

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {message}")]
pub struct FileInFailure {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1: of a compile error itself, otherwise of the command.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// All that went wrong, in the order of the file, and what came in nevertheless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInErrors {
    /// What was done all the same.
    pub done: FileIn,
    /// At least one.
    pub failures: Vec<FileInFailure>,
}

impl fmt::Display for FileInErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.failures.iter().map(ToString::to_string).collect();
        formatter.write_str(&texts.join("\n"))
    }
}

impl std::error::Error for FileInErrors {}

impl Image {
    /// Files in a text, in chunks or in Topaz's form as its name or the text itself shows. All of it together has until
    /// `deadline`.
    pub fn file_in(&mut self, text: &str, file_name: &str, deadline: Instant) -> Result<FileIn, FileInErrors> {
        self.file_in_with(text, file_name, deadline, &mut |path| {
            Err(format!("{path:?} is another file and was not read"))
        })
    }

    /// As [`Image::file_in`]; `read` answers the text of a file that the text refers to, or why there is none.
    pub fn file_in_with(
        &mut self,
        text: &str,
        file_name: &str,
        deadline: Instant,
        read: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<FileIn, FileInErrors> {
        let mut filing = Filing {
            image: self,
            file: file_name.to_owned(),
            depth: 0,
            read,
            source_line: 1,
            deadline,
            done: FileIn::default(),
            commits: 0,
            failures: Vec::new(),
        };
        filing.file_in_text(text);
        if filing.failures.is_empty() {
            return Ok(filing.done);
        }
        Err(FileInErrors { done: filing.done, failures: filing.failures })
    }
}

/// One file on its way in.
struct Filing<'a> {
    image: &'a mut Image,
    file: String,
    /// Files that are being read because another refers to them.
    depth: usize,
    read: &'a mut dyn FnMut(&str) -> Result<String, String>,
    /// Where the source of the item at hand begins.
    source_line: u32,
    deadline: Instant,
    done: FileIn,
    /// Commits that files asked for: whoever files in makes them, as one, when all went well.
    commits: usize,
    failures: Vec<FileInFailure>,
}

/// A method as the file gives it.
struct MethodText<'a> {
    class: &'a str,
    meta: bool,
    category: &'a str,
    source: &'a str,
    environment: u8,
}

/// Files within files that are followed: one that reads itself must come to an end.
const DEPTH_MAX: usize = 32;

impl Filing<'_> {
    fn file_in_text(&mut self, text: &str) {
        match read_source(&self.file, text) {
            Ok(items) => self.file_in_all(items),
            Err(error) => self.fail(error.line, error.message),
        }
    }

    /// Another file, in the place where it is referred to.
    fn file_in_other(&mut self, line: u32, path: &str) {
        if self.depth == DEPTH_MAX {
            return self.fail(line, format!("{path:?} is the {DEPTH_MAX}th file within a file: does one read itself?"));
        }
        match (self.read)(path) {
            Ok(text) => {
                let outer = std::mem::replace(&mut self.file, path.to_owned());
                self.depth += 1;
                self.file_in_text(&text);
                self.depth -= 1;
                self.file = outer;
            }
            Err(why) => self.fail(line, why),
        }
    }

    fn file_in_all(&mut self, items: Vec<Item>) {
        for item in items {
            if Instant::now() >= self.deadline {
                self.fail(item.line, "the time was up; nothing from this line on was tried");
                return;
            }
            self.file_in(item);
        }
    }

    fn file_in(&mut self, item: Item) {
        let line = item.line;
        self.source_line = item.source_line;
        match item.kind {
            ItemKind::ClassDefinition { source, .. } | ItemKind::DoIt { source } => self.do_it(line, &source),
            ItemKind::Method { class, meta, category, source, environment } => {
                let method = MethodText { class: &class, meta, category: &category, source: &source, environment };
                self.method(line, &method);
            }
            ItemKind::RemoveAllMethods { class, meta } => {
                if let Err(Failure::Told(message)) = self.image.remove_all_methods(&class, meta) {
                    self.fail(line, message);
                }
            }
            ItemKind::Input { path } => self.file_in_other(line, &path),
            // It stands where all of it has been filed in; a part that failed must not be committed without it.
            ItemKind::Commit => self.commits += 1,
            ItemKind::Abort if self.commits > 0 => {
                self.fail(line, "an abort behind a commit: file in what stands before it by itself, then the rest");
            }
            ItemKind::Abort => {
                if let Err(error) = self.image.abort() {
                    self.fail(line, error.to_string());
                }
            }
        }
    }

    fn fail(&mut self, line: u32, message: impl Into<String>) {
        self.failures.push(FileInFailure { file: self.file.clone(), line, message: message.into() });
    }

    fn fail_to_compile(&mut self, errors: Vec<CompileError>) {
        for error in errors {
            self.fail(self.source_line + error.line - 1, error.message);
        }
    }

    fn do_it(&mut self, line: u32, source: &str) {
        if self.run(line, source) {
            self.done.do_its += 1;
        }
    }

    /// Runs a do-it; its value is of no interest.
    fn run(&mut self, line: u32, source: &str) -> bool {
        match self.image.perform(source, self.deadline) {
            Ok(()) => true,
            Err(Failure::Compile(errors)) => {
                self.fail_to_compile(errors);
                false
            }
            Err(Failure::Told(message)) => {
                self.fail(line, message);
                false
            }
        }
    }

    fn method(&mut self, line: u32, method: &MethodText<'_>) {
        if method.environment != 0 {
            return self.fail(line, format!("the only method environment is 0, not {}", method.environment));
        }
        match self.image.install(method) {
            Ok(()) => self.done.methods += 1,
            Err(Failure::Compile(errors)) => self.fail_to_compile(errors),
            Err(Failure::Told(message)) => self.fail(line, message),
        }
    }
}

/// Why an item failed.
enum Failure {
    /// Its source is not right.
    Compile(Vec<CompileError>),
    /// Anything else, in words.
    Told(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Told(match stop {
            Stop::Store => "the stone failed".to_owned(),
            Stop::OutOfMemory => "the memory of this session was used up".to_owned(),
            other => format!("the image gave up: {other:?}"),
        })
    }
}

impl From<CompileFailure> for Failure {
    fn from(failure: CompileFailure) -> Self {
        match failure {
            CompileFailure::Errors(errors) => Failure::Compile(errors),
            CompileFailure::Stop(stop) => stop.into(),
        }
    }
}

impl Image {
    fn perform(&mut self, source: &str, deadline: Instant) -> Result<(), Failure> {
        let vm = self.vm();
        vm.reset();
        vm.limits.begin(Some(deadline));
        let method = vm.compile_do_it(source)?;
        let outcome = vm.run_method(method).map(|_| ()).map_err(|stop| {
            let report = vm.report(&stop);
            vm.run_unwind_blocks(&stop);
            let frames: String = report.frames.iter().map(|frame| format!("\n    {frame}")).collect();
            Failure::Told(format!("{}: {}{frames}", report.class, report.message))
        });
        vm.reset();
        outcome
    }

    /// Without a message to the class: the methods of one that answers such a message may be those that go.
    fn remove_all_methods(&mut self, class: &str, meta: bool) -> Result<(), Failure> {
        let behavior = self.behavior_named(class, meta)?;
        Ok(self.vm().remove_all_methods(behavior)?)
    }

    fn behavior_named(&mut self, class: &str, meta: bool) -> Result<Oop, Failure> {
        self.vm().reset();
        match self.class_named(class)? {
            Some(class) if meta => Ok(self.vm().class_of(class)),
            Some(class) => Ok(class),
            None => Err(Failure::Told(format!("there is no class {class}"))),
        }
    }

    fn install(&mut self, method: &MethodText<'_>) -> Result<(), Failure> {
        let behavior = self.behavior_named(method.class, method.meta)?;
        let vm = self.vm();
        let category = vm.symbol(method.category).map_err(Stop::from)?;
        // A handle, since compiling may move things.
        let mark = vm.heap.handles.len();
        vm.heap.handles.push(behavior);
        let compiled = vm.compile(behavior, method.source, category)?;
        let behavior = vm.heap.handles[mark];
        vm.install_method(behavior, compiled)?;
        vm.reset();
        Ok(())
    }

    fn class_named(&mut self, name: &str) -> Result<Option<Oop>, Stop> {
        let vm = self.vm();
        let Some(association) = vm.find_binding(Oop::NIL, name)? else { return Ok(None) };
        let value = vm.load(association, dictionary_slot::VALUE)?;
        Ok(vm.has_slots(value, behavior_slot::CLASS_SLOTS).then_some(value))
    }
}
