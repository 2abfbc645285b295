//! Schemas of a tool's arguments, and the check of what a client sends against them.
//!
//! A schema is closed: what it does not name is refused. It is compiled once, before any client is there, and says in
//! words that a model can act on what was wrong.

use super::Refusal;
use super::text::echo;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use std::fmt;

/// Most problems of one kind that a refusal names.
const PROBLEMS_SHOWN_MAX: usize = 10;

/// A compiled schema of arguments.
pub(crate) struct Schema {
    allowed: Vec<String>,
    required: Vec<String>,
    validator: Validator,
}

/// A tool's arguments. One that is given twice is refused: another reader could take the other value for what is meant.
pub(crate) fn read(raw: &str) -> Result<Map<String, Value>, &'static str> {
    struct Once(Map<String, Value>);
    struct OnceVisitor;

    impl<'de> Deserialize<'de> for Once {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(OnceVisitor)
        }
    }

    impl<'de> Visitor<'de> for OnceVisitor {
        type Value = Once;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Once, A::Error> {
            let mut once = Map::new();
            while let Some((name, value)) = members.next_entry::<String, Value>()? {
                if once.insert(name, value).is_some() {
                    return Err(A::Error::custom("twice"));
                }
            }
            Ok(Once(once))
        }
    }

    let Once(arguments) = serde_json::from_str(raw)
        .map_err(|_| "Invalid params: \"arguments\" are nested too deeply, hold bad text, or give one of them twice")?;
    Ok(arguments)
}

/// Takes away the formats of numbers that only Rust knows: clients that compile schemas warn of each.
fn forget_number_format(schema: &mut schemars::Schema) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if ["int", "uint", "float", "double"].iter().any(|kind| format.starts_with(kind)) {
        schema.remove("format");
    }
}

/// Writes a type that may be null as a choice: clients that know one type a schema only drop the constraint otherwise,
/// or the tool.
fn choose_null(schema: &mut schemars::Schema) {
    let types = schema.get("type").and_then(Value::as_array).cloned().unwrap_or_default();
    let [kind, Value::String(null)] = types.as_slice() else { return };
    if null != "null" {
        return;
    }
    let members = schema.ensure_object();
    let (kept, mut one): (Map<String, Value>, Map<String, Value>) =
        std::mem::take(members).into_iter().partition(|(name, _)| ["description", "default"].contains(&name.as_str()));
    one.insert("type".to_owned(), kind.clone());
    if let Some(values) = one.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    *members = kept;
    members.insert("anyOf".to_owned(), json!([one, {"type": "null"}]));
}

/// Takes null away from what a member may be.
fn forget_null(member: &mut Value) {
    let Some(ways) = member.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
    ways.retain(|way| *way != json!({"type": "null"}));
    if let [Value::Object(only)] = ways.as_mut_slice() {
        let only = std::mem::take(only);
        if let Some(members) = member.as_object_mut() {
            members.remove("anyOf");
            for (name, value) in only {
                members.entry(name).or_insert(value);
            }
        }
    }
}

impl Schema {
    /// The schema of a type of arguments, as it is shown to clients. An argument that need not be given may be null,
    /// which says the same; that is not shown.
    pub(crate) fn of_arguments<T: JsonSchema>() -> Value {
        let mut schema = Self::of::<T>();
        let required = schema["required"].clone();
        let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|each| each == name));
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.iter_mut().filter(|(name, _)| !is_required(name)).for_each(|(_, member)| forget_null(member));
        }
        schema
    }

    /// The schema of a type: closed, self-contained, without what only Rust cares about, one type a schema.
    fn of<T: JsonSchema>() -> Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let settings = settings.with_transform(RecursiveTransform(forget_number_format));
        let settings = settings.with_transform(RecursiveTransform(choose_null));
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        let object = schema.ensure_object();
        for name in ["$schema", "title", "description"] {
            object.remove(name);
        }
        object.insert("type".to_owned(), json!("object"));
        object.entry("properties").or_insert_with(|| json!({}));
        object.insert("additionalProperties".to_owned(), json!(false));
        schema.to_value()
    }

    /// The schema of a tool's data: those of a `T`, or what went wrong; with `lists`, also one of these for each of
    /// several targets.
    pub(crate) fn of_answer<T: JsonSchema>(lists: bool) -> Value {
        Self::with_error(Self::of::<T>(), lists)
    }

    /// The schema of a tool's data of others, which must be one of an object; or what went wrong.
    pub(crate) fn or_error(schema: Value) -> Result<Value, String> {
        match schema["type"].as_str() {
            Some("object") => Ok(Self::with_error(schema, false)),
            _ => Err("its outputSchema must have the type \"object\"".to_owned()),
        }
    }

    fn with_error(one: Value, lists: bool) -> Value {
        let required = one.get("required").cloned().unwrap_or_else(|| json!([]));
        let mut whole = one;
        let mut ways = vec![json!({"required": required}), json!({"required": ["error"]})];
        whole["properties"]["error"] = json!({
            "type": "object",
            "description": "Why the tool could not do its work: a word for programs, and what was wrong and what to do.",
            "properties": {"kind": {"type": "string"}, "message": {"type": "string"}},
            "required": ["kind", "message"],
        });
        if lists {
            // Not the whole schema once more: it would double what every client is told.
            let properties =
                json!({"target": {"type": "string"}, "answer": {"type": "object"}, "error": {"type": "object"}});
            whole["properties"]["results"] = json!({
                "type": "array",
                "description": "Where a list of targets was given, for each its answer, as for one, or its error.",
                "items": {"type": "object", "properties": properties, "required": ["target"]},
            });
            ways.push(json!({"required": ["results"]}));
        }
        if let Some(members) = whole.as_object_mut() {
            members.remove("required");
        }
        whole["anyOf"] = Value::Array(ways);
        whole
    }

    /// Compiles it.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::draft202012::new(schema).map_err(|error| error.to_string())?;
        let names = |value: &Value| value.as_str().map(str::to_owned);
        let allowed = schema["properties"].as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
        let required = schema["required"].as_array().map(|all| all.iter().filter_map(names).collect());
        Ok(Self { allowed, required: required.unwrap_or_default(), validator })
    }

    /// Refuses arguments that do not fit, with everything that is wrong with them. Those that are null and need not be
    /// given are taken out: models write it for what they leave open.
    pub(crate) fn check(&self, arguments: &mut Map<String, Value>) -> Result<(), Refusal> {
        arguments.retain(|name, value| !value.is_null() || !self.is_open_when_null(name));
        let problems: Vec<String> = [self.unknown(arguments), self.missing(arguments)]
            .into_iter()
            .flatten()
            .chain(self.wrong(arguments))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(Refusal::new("invalidParams", problems.join("\n"))) }
    }

    /// Whether an argument need not be given, and may not be null either.
    fn is_open_when_null(&self, name: &String) -> bool {
        // What is wrong elsewhere, such as what is missing, is said of the whole: its place is empty.
        let refuses =
            |alone: &Value| self.validator.iter_errors(alone).any(|error| !error.instance_path().as_str().is_empty());
        self.allowed.contains(name) && !self.required.contains(name) && refuses(&json!({ name: null }))
    }

    fn unknown(&self, arguments: &Map<String, Value>) -> Option<String> {
        let unknown: Vec<String> =
            arguments.keys().filter(|name| !self.allowed.contains(name)).map(|name| echo(name)).collect();
        if unknown.is_empty() {
            return None;
        }
        let named = unknown.iter().take(PROBLEMS_SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
        let allowed = match self.allowed.as_slice() {
            [] => "This tool takes no arguments.".to_owned(),
            allowed => format!("Allowed: {}", allowed.join(", ")),
        };
        Some(format!("Unknown argument(s): {named}. {allowed}"))
    }

    fn missing(&self, arguments: &Map<String, Value>) -> Option<String> {
        let missing: Vec<&str> =
            self.required.iter().map(String::as_str).filter(|name| !arguments.contains_key(*name)).collect();
        (!missing.is_empty()).then(|| format!("Missing required argument(s): {}", missing.join(", ")))
    }

    /// What is there and allowed, but not of the right type or range.
    fn wrong(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let instance = Value::Object(arguments.clone());
        let told_already = |kind: &ValidationErrorKind, path: &str| {
            path.is_empty()
                && matches!(
                    kind,
                    ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::Required { .. }
                )
        };
        self.validator
            .iter_errors(&instance)
            .filter(|error| !told_already(error.kind(), error.instance_path().as_str()))
            .take(PROBLEMS_SHOWN_MAX)
            .map(|error| {
                let name = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
                format!("Invalid argument {}: {}", echo(&name), in_words(&error))
            })
            .collect()
    }
}

/// What is wrong. Of several ways in which a value could have been right, the one that it was meant in is told: that
/// whose type it has.
fn in_words(error: &ValidationError<'_>) -> String {
    let ValidationErrorKind::AnyOf { context } = error.kind() else { return error.masked().to_string() };
    let kind_of = |problem: &ValidationError<'_>| match problem.kind() {
        ValidationErrorKind::Type { kind } if problem.instance_path() == error.instance_path() => Some(match kind {
            TypeKind::Single(kind) => format!("\"{kind}\""),
            TypeKind::Multiple(kinds) => {
                kinds.iter().map(|kind| format!("\"{kind}\"")).collect::<Vec<_>>().join(" or ")
            }
        }),
        _ => None,
    };
    let meant = context.iter().find(|problems| problems.iter().all(|problem| kind_of(problem).is_none()));
    match meant.and_then(|problems| problems.first()) {
        Some(problem) => {
            let place =
                problem.instance_path().as_str().strip_prefix(error.instance_path().as_str()).unwrap_or_default();
            let place = place.trim_start_matches('/');
            if place.is_empty() { in_words(problem) } else { format!("at {place}, {}", in_words(problem)) }
        }
        None => {
            let kinds: Vec<String> = context.iter().flatten().filter_map(kind_of).collect();
            format!("value is not of type {}", kinds.join(" or "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Arguments {
        /// What to look at.
        code: String,
        count: Option<u32>,
        names: Option<Vec<String>>,
    }

    #[derive(JsonSchema)]
    struct Nothing {}

    fn refusal<T: JsonSchema>(arguments: Value) -> String {
        let schema = Schema::compile(&Schema::of_arguments::<T>()).expect("compiled");
        let mut arguments = arguments.as_object().expect("an object").clone();
        schema.check(&mut arguments).expect_err("refused").text
    }

    #[test]
    fn an_argument_is_given_once() {
        assert_eq!(
            read(r#"{"a":1,"b":{"a":1}}"#),
            Ok(json!({"a": 1, "b": {"a": 1}}).as_object().expect("one").clone())
        );
        for invalid in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, r#"{"a":"\ud800"}"#, "[]"] {
            assert!(read(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn schemas_are_closed_and_plain() {
        let wanted = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(Schema::of_arguments::<Nothing>(), wanted);
        let schema = Schema::of_arguments::<Arguments>();
        assert_eq!(schema["properties"]["code"], json!({"type": "string", "description": "What to look at."}));
        assert_eq!(schema["properties"]["count"], json!({"type": "integer", "minimum": 0}), "one type, no format");
        let answer = Schema::of_answer::<Arguments>(false);
        let choice = json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]});
        assert_eq!(answer["properties"]["count"], choice, "data may be null");
        assert_eq!(schema["required"], json!(["code"]));
        assert_eq!(schema["additionalProperties"], json!(false));
    }

    #[test]
    fn each_problem_is_told_in_its_own_words() {
        let table = [
            (json!({"code": "x", "b": 1, "a": 2}), "Unknown argument(s): a, b. Allowed: code, count, names"),
            (json!({}), "Missing required argument(s): code"),
            (json!({"code": 7}), "Invalid argument code: value is not of type \"string\""),
            (
                json!({"x": 1}),
                "Unknown argument(s): x. Allowed: code, count, names\nMissing required argument(s): code",
            ),
        ];
        for (arguments, wanted) in table {
            assert_eq!(refusal::<Arguments>(arguments.clone()), wanted, "{arguments}");
        }
        assert_eq!(refusal::<Nothing>(json!({"x": 1})), "Unknown argument(s): x. This tool takes no arguments.");
        assert!(refusal::<Arguments>(json!({"code": "x", "names": ["a", 1]})).starts_with("Invalid argument names.1:"));
        assert!(refusal::<Arguments>(json!({"code": "x", "count": -1})).starts_with("Invalid argument count:"));
    }

    #[test]
    fn of_several_ways_the_one_that_was_meant_is_told() {
        let list = json!({"type": "array", "items": {"type": "string"}, "minItems": 1});
        let ways = json!({"anyOf": [{"type": "string"}, list]});
        let schema = json!({"type": "object", "properties": {"a": ways}, "additionalProperties": false});
        let schema = Schema::compile(&schema).expect("compiled");
        let told = |value: Value| schema.check(json!({"a": value}).as_object_mut().expect("one")).map_err(|it| it.text);
        assert_eq!((told(json!("x")), told(json!(["x"])), told(json!(null))), (Ok(()), Ok(()), Ok(())));
        assert_eq!(told(json!(7)), Err("Invalid argument a: value is not of type \"string\" or \"array\"".to_owned()));
        let wrong = told(json!(["x", 7])).expect_err("refused");
        assert_eq!(wrong, "Invalid argument a: at 1, value is not of type \"string\"");
        assert_eq!(told(json!([])), Err("Invalid argument a: value has less than 1 item".to_owned()));
    }

    #[test]
    fn what_fits_passes_and_no_refusal_is_long() {
        let schema = Schema::compile(&Schema::of_arguments::<Arguments>()).expect("compiled");
        let fits = json!({"code": "3 + 4", "count": null, "names": ["a"]});
        let mut fits = fits.as_object().expect("an object").clone();
        assert_eq!(schema.check(&mut fits), Ok(()));
        assert_eq!(Value::Object(fits), json!({"code": "3 + 4", "names": ["a"]}), "null is not given");
        assert!(refusal::<Arguments>(json!({"code": null})).starts_with("Invalid argument code:"), "it must be given");
        let many: Map<String, Value> = (0..10_000).map(|index| (format!("{index:x<2000}"), json!(1))).collect();
        assert!(refusal::<Nothing>(Value::Object(many)).len() < 2_000);
        let names = vec![json!(1); 10_000];
        assert!(refusal::<Arguments>(json!({"code": "x", "names": names})).len() < 2_000);
    }
}
