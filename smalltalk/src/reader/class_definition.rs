//! Recognises a class definition without running it: a message such as `subclass:instVarNames:…` whose receiver is a
//! class by name (or nil) and whose arguments are constants.

use crate::syntax::ast::{Expression, ExpressionKind, Literal, Message, Pseudo, Statement};
use crate::syntax::parse_doit;

/// How instances of a class are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassKind {
    /// Named instance variables only, or as the superclass has it.
    Pointer,
    /// Indexed variables as well.
    Indexable,
    /// Bytes.
    Byte,
}

/// A class definition as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassDefinition {
    /// Name of the superclass; `None` for nil.
    pub superclass: Option<String>,
    /// How instances are laid out.
    pub kind: ClassKind,
    /// Name of the class.
    pub name: String,
    /// Its own instance variables.
    pub inst_vars: Vec<String>,
    /// Its class variables.
    pub class_vars: Vec<String>,
    /// Its own class instance variables.
    pub class_inst_vars: Vec<String>,
    /// Names of its pool dictionaries.
    pub pools: Vec<String>,
    /// Name of the dictionary that it goes into; `None` if none is named, or nil.
    pub dictionary: Option<String>,
    /// Its options.
    pub options: Vec<String>,
}

/// The class definition that this source is, if it is one and nothing else.
pub fn parse_class_definition(source: &str) -> Option<ClassDefinition> {
    let parsed = parse_doit(source);
    if !parsed.errors.is_empty() {
        return None;
    }
    let method = parsed.method?;
    let ([], [Statement::Expression(definition)]) = (method.temporaries.as_slice(), method.statements.as_slice())
    else {
        return None;
    };
    let ExpressionKind::Send { receiver, messages } = &definition.kind else { return None };
    let [message] = messages.as_slice() else { return None };
    let superclass = match &receiver.kind {
        ExpressionKind::Variable(name) => Some(name.clone()),
        ExpressionKind::Pseudo(Pseudo::Nil) => None,
        _ => return None,
    };
    from_message(superclass, message)
}

/// What a message that makes a class says of it, in whatever form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassHeader {
    /// Name of the class.
    pub name: String,
    /// Name of the dictionary that it goes into; `None` if none is named.
    pub dictionary: Option<String>,
}

/// The first keywords of messages that make classes.
const CLASS_MAKERS: &[&str] =
    &["subclass:", "indexableSubclass:", "byteSubclass:", "variableSubclass:", "variableByteSubclass:"];

/// What this source defines, if it is one message that makes a class, sent to a class by name (or nil) with constants
/// and variables as arguments: to run it does nothing else.
pub fn class_definition_header(source: &str) -> Option<ClassHeader> {
    let parsed = parse_doit(source);
    let method = parsed.method.filter(|_| parsed.errors.is_empty())?;
    let ([], [Statement::Expression(definition) | Statement::Return(definition)]) =
        (method.temporaries.as_slice(), method.statements.as_slice())
    else {
        return None;
    };
    let ExpressionKind::Send { receiver, messages } = &definition.kind else { return None };
    let [message] = messages.as_slice() else { return None };
    let is_class = matches!(receiver.kind, ExpressionKind::Variable(_) | ExpressionKind::Pseudo(Pseudo::Nil));
    let mut keywords = message.selector.split_inclusive(':').zip(&message.arguments);
    let (first, name) = keywords.next()?;
    if !is_class || !CLASS_MAKERS.contains(&first) || !message.arguments.iter().all(is_constant) {
        return None;
    }
    let dictionary = keywords.find(|(keyword, _)| *keyword == "inDictionary:").map(|(_, argument)| argument);
    Some(ClassHeader { name: name_of(name)?, dictionary: dictionary.and_then(dictionary_of).flatten() })
}

/// Whether evaluating this sends no message.
fn is_constant(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Variable(_) | ExpressionKind::Pseudo(_) | ExpressionKind::Literal(_) => true,
        ExpressionKind::Array(elements) => elements.iter().all(is_constant),
        _ => false,
    }
}

/// A message with constant arguments to a class, or to a class's class, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConstantMessage {
    /// Name of the class.
    pub(super) class: String,
    /// Whether its class is meant.
    pub(super) meta: bool,
    /// Of the message.
    pub(super) selector: String,
    /// The first argument, if it is a string or a symbol.
    pub(super) first_name: Option<String>,
}

/// The one message that this source sends, if it is of that kind.
pub(super) fn constant_message(source: &str) -> Option<ConstantMessage> {
    let parsed = parse_doit(source);
    let method = parsed.method.filter(|_| parsed.errors.is_empty())?;
    let ([], [Statement::Expression(sent)]) = (method.temporaries.as_slice(), method.statements.as_slice()) else {
        return None;
    };
    let ExpressionKind::Send { receiver, messages } = &sent.kind else { return None };
    let ExpressionKind::Variable(class) = &receiver.kind else { return None };
    let (meta, message) = match messages.as_slice() {
        [message] => (false, message),
        [side, message] if side.selector == "class" => (true, message),
        _ => return None,
    };
    message.arguments.iter().all(is_constant).then(|| ConstantMessage {
        class: class.clone(),
        meta,
        selector: message.selector.clone(),
        first_name: message.arguments.first().and_then(name_of),
    })
}

fn from_message(superclass: Option<String>, message: &Message) -> Option<ClassDefinition> {
    let mut parts = message.selector.split_inclusive(':').zip(&message.arguments);
    let (first, name) = parts.next()?;
    let kind = match first {
        "subclass:" => ClassKind::Pointer,
        "indexableSubclass:" => ClassKind::Indexable,
        "byteSubclass:" => ClassKind::Byte,
        _ => return None,
    };
    let mut definition = ClassDefinition {
        superclass,
        kind,
        name: name_of(name)?,
        inst_vars: Vec::new(),
        class_vars: Vec::new(),
        class_inst_vars: Vec::new(),
        pools: Vec::new(),
        dictionary: None,
        options: Vec::new(),
    };
    let mut seen = Vec::new();
    for (keyword, argument) in parts {
        if seen.contains(&keyword) {
            return None;
        }
        seen.push(keyword);
        match keyword {
            "instVarNames:" if kind != ClassKind::Byte => definition.inst_vars = names_of(argument)?,
            "classVars:" => definition.class_vars = names_of(argument)?,
            "classInstVars:" => definition.class_inst_vars = names_of(argument)?,
            "poolDictionaries:" => definition.pools = names_of(argument)?,
            "inDictionary:" => definition.dictionary = dictionary_of(argument)?,
            "options:" => definition.options = names_of(argument)?,
            _ => return None,
        }
    }
    // A bare `Object subclass: 'X'` may be a message of somebody's own: only the full form is one of ours.
    seen.contains(&"inDictionary:").then_some(definition)
}

fn name_of(expression: &Expression) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Literal(literal) => literal_name(literal),
        _ => None,
    }
}

fn literal_name(literal: &Literal) -> Option<String> {
    match literal {
        Literal::String(name) | Literal::Symbol(name) => Some(name.clone()),
        _ => None,
    }
}

/// Names in a literal array, or variables in braces; nil is no name.
fn names_of(expression: &Expression) -> Option<Vec<String>> {
    match &expression.kind {
        ExpressionKind::Literal(Literal::Array(elements)) => elements.iter().map(literal_name).collect(),
        ExpressionKind::Array(elements) => elements
            .iter()
            .map(|element| match &element.kind {
                ExpressionKind::Variable(name) => Some(name.clone()),
                _ => name_of(element),
            })
            .collect(),
        ExpressionKind::Pseudo(Pseudo::Nil) => Some(Vec::new()),
        _ => None,
    }
}

/// The outer `None`: not a name; the inner one: nil.
fn dictionary_of(expression: &Expression) -> Option<Option<String>> {
    match &expression.kind {
        ExpressionKind::Variable(name) => Some(Some(name.clone())),
        ExpressionKind::Pseudo(Pseudo::Nil) => Some(None),
        _ => name_of(expression).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_full_form() {
        let source = "Object subclass: 'Point'\n  instVarNames: #( x y)\n  classVars: #( Origin)\n  \
            classInstVars: #()\n  \
                      poolDictionaries: {MathPool}\n  inDictionary: Globals\n  options: #( #dbTransient)\n";
        let expected = ClassDefinition {
            superclass: Some("Object".to_owned()),
            kind: ClassKind::Pointer,
            name: "Point".to_owned(),
            inst_vars: vec!["x".to_owned(), "y".to_owned()],
            class_vars: vec!["Origin".to_owned()],
            class_inst_vars: Vec::new(),
            pools: vec!["MathPool".to_owned()],
            dictionary: Some("Globals".to_owned()),
            options: vec!["dbTransient".to_owned()],
        };
        assert_eq!(parse_class_definition(source), Some(expected));
    }

    #[test]
    fn reads_roots_and_other_layouts() {
        let tail = "classVars: #() classInstVars: #() poolDictionaries: #() inDictionary: Globals options: #()";
        let root = parse_class_definition(&format!("nil subclass: #Object instVarNames: #() {tail}")).unwrap();
        assert_eq!((root.superclass, root.kind), (None, ClassKind::Pointer));
        let string = parse_class_definition(&format!("Object byteSubclass: 'String' {tail}")).unwrap();
        assert_eq!(string.kind, ClassKind::Byte);
        let array =
            parse_class_definition(&format!("Object indexableSubclass: 'Array' instVarNames: #() {tail}.")).unwrap();
        assert_eq!(array.kind, ClassKind::Indexable);
    }

    #[test]
    fn knows_what_any_definition_defines() {
        let header = |source| class_definition_header(source).map(|header| (header.name, header.dictionary));
        let full = "Object subclass: 'A' instVarNames: #() poolDictionaries: {Pool} inDictionary: Mine options: #()";
        assert_eq!(header(full), Some(("A".to_owned(), Some("Mine".to_owned()))));
        assert_eq!(header("Object subclass: #A"), Some(("A".to_owned(), None)));
        let other = "^Object variableSubclass: #A instanceVariableNames: 'a b' classVariableNames: '' package: 'P'";
        assert_eq!(header(other), Some(("A".to_owned(), None)));
        for source in [
            "3 + 4",
            "Object subclass: name",
            "Object subclass: 'A' instVarNames: Evil do inDictionary: Globals",
            "Object subclass: 'A' instVarNames: [Evil do] inDictionary: Globals",
            "(Evil do) subclass: 'A'",
            "(Object subclass: 'A') evil",
            "Object subclass: 'A'; subclass: 'B'",
            "Evil do. Object subclass: 'A'",
            "Object subclass: 'A",
        ] {
            assert_eq!(header(source), None, "{source}");
        }
    }

    #[test]
    fn leaves_everything_else_alone() {
        for source in [
            "",
            "3 + 4",
            "Object subclass: 'X'",
            "Object subclass: name instVarNames: #() inDictionary: Globals",
            "(Object foo) subclass: 'X' instVarNames: #() inDictionary: Globals",
            "Object subclass: 'X' instVarNames: #(3) inDictionary: Globals",
            "Object byteSubclass: 'X' instVarNames: #(a) inDictionary: Globals",
            "Object subclass: 'X' classVars: #() classVars: #() inDictionary: Globals",
            "Object subclass: 'X' instVarNames: #() inDictionary: Globals. 3",
            "Object subclass: 'X' instVarNames: #( inDictionary: Globals",
        ] {
            assert_eq!(parse_class_definition(source), None, "{source}");
        }
    }
}
