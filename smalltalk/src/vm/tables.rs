//! What the image names outside of the heap.

use super::methods::Entry;
use super::symbols::SymbolTable;
use crate::heap::{Oop, Roots};
use crate::store::{KERNEL_OID_BIT, Oid};
use std::collections::HashMap;

/// Tables whose words the collector keeps up to date. Everything named here is born old: classes, symbols, methods and
/// loaded objects.
#[derive(Debug, Default)]
pub struct Tables {
    /// Class of each class index.
    pub classes: Vec<Oop>,
    /// All symbols.
    pub symbols: SymbolTable,
    /// What the interpreter needs of each method that it has met.
    pub entries: Vec<Entry>,
    /// The instructions of each entry's method, without the site count; the collector does not know them.
    pub instructions: Vec<Box<[u32]>>,
    /// Entries whose method died, to be used again.
    pub free_entries: Vec<u32>,
    /// Ranges of inline caches that belong to no method any more: first and count.
    pub free_sites: Vec<(u32, u32)>,
    /// The kernel's objects by identity; complete, and never changed after boot.
    pub kernel: ObjectMap,
    /// Other committed objects that are loaded.
    pub loaded: ObjectMap,
    /// What holds the objects of this session; nil until they are asked for.
    pub session_root: Oop,
}

/// Objects by identity. The stone numbers them, so nobody can choose identities that collide, and a fast hash will do.
pub type ObjectMap = HashMap<Oid, Oop, foldhash::fast::RandomState>;

impl Tables {
    /// A loaded object, of the kernel or not.
    pub fn object(&self, oid: Oid) -> Option<Oop> {
        // What an older kernel had and this one has not is loaded like any other.
        let kernel = if oid & KERNEL_OID_BIT == 0 { None } else { self.kernel.get(&oid) };
        kernel.or_else(|| self.loaded.get(&oid)).copied()
    }

    fn retain_entries(&mut self, keep: &mut dyn FnMut(&mut Oop) -> bool) {
        for (index, entry) in self.entries.iter_mut().enumerate() {
            if entry.method.is_nil() {
                continue;
            }
            if keep(&mut entry.method) {
                // What a living method refers to lives as well, and a method with an entry is sealed.
                assert!(keep(&mut entry.literals), "a method keeps its literals");
            } else {
                self.free_sites.push((entry.site_base, entry.sites));
                self.free_entries.push(index as u32);
                *entry = Entry::VACANT;
                self.instructions[index] = Box::default();
            }
        }
    }
}

impl Roots for Tables {
    fn visit_all(&mut self, visit: &mut dyn FnMut(&mut Oop)) {
        self.classes.iter_mut().for_each(&mut *visit);
        visit(&mut self.session_root);
    }

    fn visit_cached(&mut self, visit: &mut dyn FnMut(&mut Oop)) {
        self.entries.iter_mut().for_each(|entry| visit(&mut entry.literals));
    }

    fn retain_weak(&mut self, keep: &mut dyn FnMut(&mut Oop) -> bool) {
        self.retain_entries(keep);
        self.symbols.retain(keep);
        self.loaded.retain(|_, object| keep(object));
    }
}
