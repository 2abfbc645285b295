//! The kernel's classes and symbols that the machine itself uses.

use super::Vm;
use crate::heap::Oop;

macro_rules! known_classes {
    ($($constant:ident = $index:literal $name:literal),* $(,)?) => {
        /// Class indices that never change.
        pub mod class {
            #![allow(missing_docs)]
            $(pub const $constant: u32 = $index;)*
        }

        /// Names of the classes with fixed indices.
        pub const KNOWN_CLASSES: &[(u32, &str)] = &[$(($index, $name)),*];
    };
}

known_classes! {
    SMALL_INTEGER = 1 "SmallInteger",
    SMALL_DOUBLE = 2 "SmallDouble",
    CHARACTER = 3 "Character",
    UNDEFINED_OBJECT = 4 "UndefinedObject",
    TRUE = 5 "True",
    FALSE = 6 "False",
    ARRAY = 7 "Array",
    STRING = 8 "String",
    SYMBOL = 9 "Symbol",
    LARGE_INTEGER = 10 "LargeInteger",
    FLOAT = 11 "Float",
    BLOCK = 12 "ExecBlock",
    METHOD = 13 "GsNMethod",
    ASSOCIATION = 14 "Association",
    SYMBOL_ASSOCIATION = 15 "SymbolAssociation",
    SYMBOL_DICTIONARY = 16 "SymbolDictionary",
    METHOD_DICTIONARY = 17 "GsMethodDictionary",
    METACLASS = 18 "Metaclass",
    MESSAGE = 19 "Message",
    BYTE_ARRAY = 20 "ByteArray",
    QUAD_BYTE_STRING = 21 "QuadByteString",
    QUAD_BYTE_SYMBOL = 22 "QuadByteSymbol",
    SCALED_DECIMAL = 23 "ScaledDecimal",
    OBJECT = 24 "Object",
    BEHAVIOR = 25 "Behavior",
    CLASS = 26 "Class",
    CONTEXT = 27 "GsContext",
}

/// The first class index that is given out in order of need.
pub const FIRST_FREE_CLASS_INDEX: u32 = 32;

/// Slots of behaviours.
pub mod behavior_slot {
    #![allow(missing_docs)]
    pub const SUPERCLASS: usize = 0;
    pub const METHOD_DICTIONARY: usize = 1;
    pub const FORMAT: usize = 2;
    pub const CLASS_INDEX: usize = 3;
    pub const INSTANCE_VARIABLES: usize = 4;
    /// In a metaclass.
    pub const THIS_CLASS: usize = 5;
    /// In a class.
    pub const NAME: usize = 5;
    pub const CLASS_VARIABLES: usize = 6;
    pub const POOLS: usize = 7;
    pub const CATEGORY: usize = 8;
    pub const COMMENT: usize = 9;
    pub const HISTORY: usize = 10;
    pub const EXTRA: usize = 11;
    pub const CLASS_SLOTS: usize = 12;
    pub const METACLASS_SLOTS: usize = 6;
}

/// Slots of dictionaries and of associations.
pub mod dictionary_slot {
    #![allow(missing_docs)]
    pub const TALLY: usize = 0;
    pub const TABLE: usize = 1;
    pub const USES: usize = 2;
    pub const KEY: usize = 0;
    pub const VALUE: usize = 1;
}

macro_rules! known_symbols {
    ($($field:ident = $text:literal),* $(,)?) => {
        /// Symbols and objects that the machine sends or looks for.
        #[derive(Debug, Clone)]
        #[allow(missing_docs)]
        pub struct Known {
            $(pub $field: Oop,)*
            /// Selectors of the short sends, by operation number.
            pub special_selectors: Vec<Oop>,
            /// The dictionary of the kernel.
            pub globals: Oop,
            /// The dictionary of what only this server has.
            pub lapidary: Oop,
            /// The class `System`.
            pub system: Oop,
            /// The association that holds the symbol list: an array of dictionaries.
            pub symbol_list: Oop,
        }

        impl Default for Known {
            fn default() -> Self {
                Known {
                    $($field: Oop::NIL,)*
                    special_selectors: vec![Oop::NIL; 256],
                    globals: Oop::NIL,
                    lapidary: Oop::NIL,
                    system: Oop::NIL,
                    symbol_list: Oop::NIL,
                }
            }
        }

        impl Vm {
            /// Interns what the machine sends; once, at boot.
            pub(crate) fn intern_known(&mut self) -> Result<(), crate::heap::HeapFull> {
                $(self.known.$field = self.symbol($text)?;)*
                for (operation, selector, _) in crate::bytecode::SPECIAL_SENDS {
                    self.known.special_selectors[*operation as usize] = self.symbol(selector)?;
                }
                Ok(())
            }
        }
    };
}

known_symbols! {
    does_not_understand = "doesNotUnderstand:",
    must_be_boolean = "mustBeBoolean",
    cannot_return = "cannotReturn:",
    unwind_returning = "unwind:returning:",
    value = "value",
    interrupt = "_interrupt:",
    timeout = "timeout",
    cancel = "cancel",
    stack_depth = "stackDepth",
    memory = "memory",
    execute = "_execute:",
    describe = "_describe:",
    run_unwind_blocks = "_runUnwindBlocksAbove:from:",
}
