//! Booting: from the kernel's sources to an image.
//!
//! First all classes are made, without running a line of Smalltalk: the do-its that define them are read as what they
//! say. Then all methods are compiled; a name may be used before its class is met. Then the other do-its run, in order.
//! At last every object of the kernel is given its identity (by the module `identities`).

use crate::class_making::NewClass;
use crate::compiling::CompileFailure;
use crate::heap::{Heap, Oop};
use crate::primitives::PrimitiveTable;
use crate::reader::{ClassDefinition, ClassKind, ItemKind, read_gs};
use crate::vm::known::{FIRST_FREE_CLASS_INDEX, KNOWN_CLASSES, behavior_slot, class, dictionary_slot};
use crate::vm::shapes::{Kind, Shape};
use crate::vm::{Stop, Vm};
use std::collections::HashMap;
use thiserror::Error;

/// The kernel's files in loading order: name and text.
const KERNEL: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernel.rs"));

/// Heap of an image that nobody has given limits yet.
const HEAP_BYTES: usize = 256 * 1024 * 1024;
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// The kernel cannot be loaded: this binary is broken.
#[derive(Debug, Error)]
pub enum BootError {
    /// A kernel source is wrong.
    #[error("{file}:{line}: {message}")]
    Source {
        /// The file.
        file: String,
        /// The line of the item.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// The kernel lacks something that the machine needs.
    #[error("the kernel has no {0}")]
    Missing(String),
    /// Memory could not be had.
    #[error("no memory for the image: {0}")]
    Memory(#[from] std::io::Error),
    /// The machine gave up.
    #[error("the kernel does not come up: {0}")]
    Stopped(String),
}

impl From<Stop> for BootError {
    fn from(stop: Stop) -> Self {
        BootError::Stopped(format!("{stop:?}"))
    }
}

impl From<crate::heap::HeapFull> for BootError {
    fn from(_: crate::heap::HeapFull) -> Self {
        BootError::Stopped("the kernel is larger than its space".to_owned())
    }
}

/// The dictionary of what only this server has.
const LAPIDARY: &str = "Lapidary";

struct Place {
    file: &'static str,
    line: u32,
}

impl Place {
    fn error(&self, message: impl Into<String>) -> BootError {
        BootError::Source { file: self.file.to_owned(), line: self.line, message: message.into() }
    }
}

/// Boots the kernel; the image is not frozen yet.
pub(crate) fn boot() -> Result<Vm, BootError> {
    boot_from(KERNEL)
}

/// Boots a kernel from files: name and text.
fn boot_from(files: &[(&'static str, &str)]) -> Result<Vm, BootError> {
    let heap = Heap::new(HEAP_BYTES, STACK_BYTES)?;
    let mut vm = Vm::new(heap, PrimitiveTable::new());
    vm.tables.classes = vec![Oop::NIL; FIRST_FREE_CLASS_INDEX as usize];
    vm.reset();
    let mut loader = Loader { vm: &mut vm, do_its: Vec::new(), methods: Vec::new(), classes: HashMap::new() };
    loader.make_globals()?;
    for (file, text) in files {
        loader.read(file, text)?;
    }
    loader.finish_classes()?;
    loader.compile_methods()?;
    loader.run_do_its()?;
    vm.intern_known()?;
    vm.note_kernel_uses()?;
    crate::identities::name_kernel(&mut vm)?;
    Ok(vm)
}

struct Method {
    place: Place,
    class: String,
    meta: bool,
    category: String,
    source: String,
}

struct Loader<'a> {
    vm: &'a mut Vm,
    do_its: Vec<(Place, String)>,
    methods: Vec<Method>,
    classes: HashMap<String, Oop>,
}

impl Loader<'_> {
    fn make_globals(&mut self) -> Result<(), BootError> {
        let globals = self.new_dictionary()?;
        self.vm.known.globals = globals;
        self.bind("Globals", globals)?;
        let mut list = Vec::new();
        for name in ["UserGlobals", "Published"] {
            let dictionary = self.new_dictionary()?;
            self.bind(name, dictionary)?;
            list.push((name, dictionary));
        }
        // What only this server has; in no other dictionary, and looked up last, so that no name of it is in the way.
        self.vm.known.lapidary = self.new_dictionary()?;
        list.push((LAPIDARY, self.vm.known.lapidary));
        // A dictionary has no name of its own: its name is the key under which it holds itself.
        for (name, dictionary) in &list {
            let symbol = self.vm.symbol(name)?;
            self.vm.dictionary_put(*dictionary, symbol, *dictionary)?;
        }
        let array = self.vm.heap.allocate_old(class::ARRAY, 3, false)?;
        for (index, dictionary) in [list[0].1, globals, list[1].1].into_iter().enumerate() {
            self.vm.heap.store(array, index, dictionary);
        }
        let symbol = self.vm.symbol("_SymbolList")?;
        self.vm.known.symbol_list = self.vm.dictionary_put(globals, symbol, array)?;
        Ok(())
    }

    fn new_dictionary(&mut self) -> Result<Oop, BootError> {
        let dictionary = self.vm.heap.allocate_old(class::SYMBOL_DICTIONARY, 2, false)?;
        let table = self.vm.heap.allocate_old(class::ARRAY, 8, false)?;
        self.vm.heap.store(dictionary, dictionary_slot::TALLY, Oop::small(0));
        self.vm.heap.store(dictionary, dictionary_slot::TABLE, table);
        Ok(dictionary)
    }

    fn bind(&mut self, name: &str, value: Oop) -> Result<(), BootError> {
        self.bind_in(self.vm.known.globals, name, value)
    }

    fn bind_in(&mut self, dictionary: Oop, name: &str, value: Oop) -> Result<(), BootError> {
        let symbol = self.vm.symbol(name)?;
        self.vm.dictionary_put(dictionary, symbol, value)?;
        Ok(())
    }

    fn home(&self, place: &Place, definition: &ClassDefinition) -> Result<Oop, BootError> {
        match definition.dictionary.as_deref() {
            Some("Globals") => Ok(self.vm.known.globals),
            Some(LAPIDARY) => Ok(self.vm.known.lapidary),
            _ => Err(place.error("a class of the kernel belongs in Globals or Lapidary")),
        }
    }

    fn read(&mut self, file: &'static str, text: &str) -> Result<(), BootError> {
        let items = read_gs(text).map_err(|error| Place { file, line: error.line }.error(error.message))?;
        for item in items {
            let place = Place { file, line: item.line };
            match item.kind {
                ItemKind::ClassDefinition { definition, .. } => self.define(&place, &definition)?,
                ItemKind::DoIt { source } => self.do_its.push((place, source)),
                ItemKind::Method { class, meta, category, source, .. } => {
                    self.methods.push(Method { place, class, meta, category, source });
                }
                // A class that is being made has none.
                ItemKind::RemoveAllMethods { .. } => {}
                _ => return Err(place.error("only definitions, methods and do-its belong in a kernel file")),
            }
        }
        Ok(())
    }

    // === Classes

    fn define(&mut self, place: &Place, definition: &ClassDefinition) -> Result<(), BootError> {
        let superclass = match &definition.superclass {
            None => Oop::NIL,
            Some(name) => *self.classes.get(name).ok_or_else(|| place.error(format!("no class {name} so far")))?,
        };
        let kind = match definition.kind {
            ClassKind::Pointer => Kind::Pointers,
            ClassKind::Indexable => Kind::Indexable,
            ClassKind::Byte => Kind::Bytes,
        };
        let request = NewClass {
            superclass,
            name: definition.name.clone(),
            kind,
            instance_variables: definition.inst_vars.clone(),
            class_instance_variables: definition.class_inst_vars.clone(),
        };
        let made = self.vm.make_class(&request)?;
        self.give_known_index(&definition.name, made);
        if !definition.class_vars.is_empty() {
            let variables = self.new_dictionary()?;
            for name in &definition.class_vars {
                let symbol = self.vm.symbol(name)?;
                self.vm.dictionary_put(variables, symbol, Oop::NIL)?;
            }
            self.vm.heap.store(made, behavior_slot::CLASS_VARIABLES, variables);
        }
        self.bind_in(self.home(place, definition)?, &definition.name, made)?;
        let doubled = self.classes.insert(definition.name.clone(), made).is_some();
        if doubled { Err(place.error("this class is defined twice")) } else { Ok(()) }
    }

    fn give_known_index(&mut self, name: &str, made: Oop) {
        if let Some((index, _)) = KNOWN_CLASSES.iter().find(|(_, known)| *known == name) {
            self.vm.tables.classes[*index as usize] = made;
            self.vm.heap.store(made, behavior_slot::CLASS_INDEX, Oop::small(i64::from(*index)));
        }
    }

    /// What could not be said before the last class was known.
    fn finish_classes(&mut self) -> Result<(), BootError> {
        for (index, name) in KNOWN_CLASSES {
            if self.vm.tables.classes[*index as usize].is_nil() {
                return Err(BootError::Missing(format!("class {name}")));
            }
        }
        let class_class = self.vm.tables.classes[class::CLASS as usize];
        let globals: Vec<Oop> = self.classes.values().copied().collect();
        for made in globals {
            let superclass = self.vm.heap.slot(made, behavior_slot::SUPERCLASS);
            let metaclass = self.vm.class_of(made);
            if superclass.is_nil() {
                self.vm.heap.store(metaclass, behavior_slot::SUPERCLASS, class_class);
            }
            self.vm.behavior_index(made)?;
        }
        self.check_layouts()
    }

    /// The machine knows the slots of these classes by number.
    fn check_layouts(&mut self) -> Result<(), BootError> {
        let wanted = [
            (class::BEHAVIOR, "superclass methodDict format classIndex instVarNames"),
            (
                class::CLASS,
                "superclass methodDict format classIndex instVarNames name classVars poolDictionaries category \
                    comment classHistory extraDict",
            ),
            (class::METACLASS, "superclass methodDict format classIndex instVarNames thisClass"),
            (class::METHOD_DICTIONARY, "tally table uses"),
            (class::SYMBOL_DICTIONARY, "tally table"),
            (class::SYMBOL_ASSOCIATION, "key value"),
            (class::METHOD, "selector methodClass source category literals code header cacheBase positions"),
            (class::BLOCK, "method entry homeFrame homeSerial receiver"),
            (class::MESSAGE, "selector arguments"),
            (class::SCALED_DECIMAL, "numerator denominator scale"),
        ];
        for (index, names) in wanted {
            let behavior = self.vm.tables.classes[index as usize];
            let found = self.vm.all_instance_variables(behavior)?.join(" ");
            if found != names {
                let name = self.vm.class_name(behavior);
                return Err(BootError::Missing(format!("{name} with the slots {names} (it has {found})")));
            }
            let shape = self.vm.shape(behavior)?;
            debug_assert_eq!(shape.named, names.split(' ').count());
        }
        let block = self.vm.shape(self.vm.tables.classes[class::BLOCK as usize])?;
        if block.kind != Kind::Indexable {
            return Err(BootError::Missing("indexable ExecBlock".to_owned()));
        }
        debug_assert_eq!(Shape::of(block.encode()), Some(block));
        Ok(())
    }

    // === Methods and do-its

    fn compile_methods(&mut self) -> Result<(), BootError> {
        for method in std::mem::take(&mut self.methods) {
            let Some(behavior) = self.classes.get(&method.class).copied() else {
                return Err(method.place.error(format!("no class {}", method.class)));
            };
            let behavior = if method.meta { self.vm.class_of(behavior) } else { behavior };
            let category = self.vm.symbol(&method.category)?;
            let compiled = self.vm.compile(behavior, &method.source, category);
            let compiled = compiled.map_err(|failure| failed_at(&method.place, failure))?;
            self.vm.install_method(behavior, compiled)?;
            self.vm.method_entry(compiled)?;
        }
        Ok(())
    }

    fn run_do_its(&mut self) -> Result<(), BootError> {
        self.vm.intern_known()?;
        let system =
            self.classes.get("System").copied().ok_or_else(|| BootError::Missing("class System".to_owned()))?;
        self.vm.known.system = system;
        for (place, source) in std::mem::take(&mut self.do_its) {
            let method = self.vm.compile_do_it(&source).map_err(|failure| failed_at(&place, failure))?;
            self.vm.run_method(method).map_err(|stop| {
                let report = self.vm.report(&stop);
                place.error(format!("{}: {} {:?}", report.class, report.message, report.frames))
            })?;
            self.vm.reset();
        }
        Ok(())
    }
}

fn failed_at(place: &Place, failure: CompileFailure) -> BootError {
    match failure {
        CompileFailure::Errors(errors) => {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            place.error(texts.join("; "))
        }
        CompileFailure::Stop(stop) => place.error(format!("{stop:?}")),
    }
}

#[cfg(test)]
#[path = "boot_tests.rs"]
mod tests;
