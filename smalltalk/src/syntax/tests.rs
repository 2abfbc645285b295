//! What the parser makes of each form, and what it says of what it cannot read.

use super::ast::{ExpressionKind, Literal, Method, Statement};
use super::error_number::*;
use super::*;

fn method(source: &str) -> Method {
    let parsed = parse_method(source);
    assert_eq!(parsed.errors, [], "{source}");
    parsed.method.unwrap()
}

/// The literal that a do-it consists of.
fn literal(source: &str) -> Literal {
    let parsed = parse_doit(source);
    assert_eq!(parsed.errors, [], "{source}");
    match parsed.method.unwrap().statements.as_slice() {
        [Statement::Expression(expression)] => match &expression.kind {
            ExpressionKind::Literal(literal) => literal.clone(),
            other => panic!("{source}: {other:?}"),
        },
        other => panic!("{source}: {other:?}"),
    }
}

fn integer(value: i64) -> Literal {
    Literal::Integer(value.into())
}

fn symbol(name: &str) -> Literal {
    Literal::Symbol(name.to_owned())
}

/// An expression with all its messages in parentheses.
fn shape(source: &str) -> String {
    let parsed = parse_doit(source);
    assert_eq!(parsed.errors, [], "{source}");
    parsed.method.unwrap().statements.iter().map(statement_shape).collect::<Vec<_>>().join(". ")
}

fn statement_shape(statement: &Statement) -> String {
    match statement {
        Statement::Expression(expression) => expression_shape(&expression.kind),
        Statement::Return(expression) => format!("^{}", expression_shape(&expression.kind)),
    }
}

fn expression_shape(kind: &ExpressionKind) -> String {
    let message = |message: &ast::Message| {
        let environment = message.environment.map_or(String::new(), |number| format!("@{number} "));
        let arguments: String =
            message.arguments.iter().map(|argument| format!(" {}", expression_shape(&argument.kind))).collect();
        format!("{environment}{}{arguments}", message.selector)
    };
    match kind {
        ExpressionKind::Variable(name) => name.clone(),
        ExpressionKind::Pseudo(pseudo) => format!("{pseudo:?}"),
        ExpressionKind::Literal(Literal::Integer(value)) => value.to_string(),
        ExpressionKind::Literal(literal) => format!("{literal:?}"),
        ExpressionKind::Block(block) => {
            let arguments: String = block.arguments.iter().map(|argument| format!(":{} ", argument.name)).collect();
            let temporaries: String =
                block.temporaries.iter().map(|temporary| format!("|{} ", temporary.name)).collect();
            let statements: Vec<String> = block.statements.iter().map(statement_shape).collect();
            format!("[{arguments}{temporaries}{}]", statements.join(". "))
        }
        ExpressionKind::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| expression_shape(&element.kind)).collect();
            format!("{{{}}}", elements.join(". "))
        }
        ExpressionKind::Assignment { target, value } => format!("{} := {}", target.name, expression_shape(&value.kind)),
        ExpressionKind::Send { receiver, messages } => messages
            .iter()
            .fold(expression_shape(&receiver.kind), |so_far, next| format!("({so_far} {})", message(next))),
        ExpressionKind::Cascade { receiver, messages } => {
            let messages: Vec<String> = messages.iter().map(message).collect();
            format!("({} {})", expression_shape(&receiver.kind), messages.join("; "))
        }
    }
}

fn errors(source: &str) -> Vec<(u16, u32, u32)> {
    parse_doit(source).errors.iter().map(|error| (error.number, error.line, error.column)).collect()
}

#[test]
fn precedence_and_cascades() {
    assert_eq!(shape("a foo bar + b baz - c"), "(((a foo) bar) + (b baz)) - c)".replacen("(((", "((((", 1));
    assert_eq!(shape("x at: 1 + 2 put: y z"), "(x at:put: (1 + 2) (y z))");
    assert_eq!(shape("a b; c; d: 1; + 2"), "(a b; c; d: 1; + 2)");
    assert_eq!(shape("a b c: 1; d"), "((a b) c: 1; d)");
    assert_eq!(shape("x := y := (3 foo) bar: 4"), "x := y := ((3 foo) bar: 4)");
    assert_eq!(shape("super foo. ^self"), "(Super foo). ^SelfReference");
}

#[test]
fn minus_is_an_operator_or_a_sign() {
    assert_eq!(shape("3-4"), "(3 - 4)");
    assert_eq!(shape("3 -4"), "(3 - 4)");
    assert_eq!(shape("3--4"), "(3 - -4)");
    assert_eq!(shape("a<-4"), "(a < -4)");
    assert_eq!(shape("x foo: -1"), "(x foo: -1)");
    assert_eq!(shape("a->b ->> c"), "((a -> b) ->> c)");
}

#[test]
fn blocks_and_braces() {
    assert_eq!(shape("[]"), "[]");
    assert_eq!(shape("[:x]"), "[:x ]");
    assert_eq!(shape("[:x :y||t|t := x|y. t]"), "[:x :y |t t := (x | y). t]");
    assert_eq!(shape("[| t u | ^t]"), "[|t |u ^t]");
    assert_eq!(shape("[||3]"), "[3]");
    assert_eq!(shape("{}"), "{}");
    assert_eq!(shape("{1. a b. {2}.}"), "{1. (a b). {2}}");
}

#[test]
fn temporaries_comments_and_empty_statements() {
    assert_eq!(shape("\"c\" | a \"c\" b | \"c\" a := b. . b. "), "a := b. b");
    assert_eq!(shape("||3"), "3");
    assert_eq!(shape("|a|-3 abs"), "(-3 abs)");
    assert_eq!(shape(""), "");
}

#[test]
fn environments_of_sends_are_kept() {
    assert_eq!(shape("a @env1:foo @env0:+ b @env2:at: 1 put: 2"), "(((a @1 foo) @0 + b) @2 at:put: 1 2)");
    assert_eq!(shape("a @env1:at: 1 @env1:put: 2"), "(a @1 at:put: 1 2)");
    assert_eq!(errors("@env1:a foo"), [(UNEXPECTED, 1, 7)]);
    assert_eq!(errors("a @env1:at: 1 @env2:put: 2"), [(UNEXPECTED, 1, 21)]);
}

#[test]
fn integers() {
    for (source, value) in [
        ("0", 0),
        ("-3", -3),
        ("16rFF", 255),
        ("16rff", 255),
        ("-16rFF", -255),
        ("16r-FF", -255),
        ("36rZZ", 1295),
        ("2r101e3", 40),
        ("1e10", 10_000_000_000),
        ("1E3", 1000),
    ] {
        assert_eq!(literal(source), integer(value), "{source}");
    }
    assert_eq!(literal("1e30"), Literal::Integer(num_bigint::BigInt::from(10).pow(30)));
}

#[test]
fn floats_and_scaled_decimals() {
    for (source, value) in [
        ("1.5", 1.5),
        ("2.5e-3", 0.0025),
        ("-0.0", -0.0),
        ("1.0e+2", 100.0),
        ("5e-1", 0.5),
        ("1d2", 100.0),
        ("1.5q1", 15.0),
    ] {
        match literal(source) {
            Literal::Float(read) => assert_eq!(read.to_bits(), f64::to_bits(value), "{source}"),
            other => panic!("{source}: {other:?}"),
        }
    }
    let scaled = |unscaled: i64, fraction_digits, scale| Literal::ScaledDecimal {
        unscaled: unscaled.into(),
        fraction_digits,
        scale,
    };
    assert_eq!(literal("1.50s4"), scaled(150, 2, 4));
    assert_eq!(literal("1.5s"), scaled(15, 1, 1));
    assert_eq!(literal("-3s"), scaled(-3, 0, 0));
    assert_eq!(literal("3s2"), scaled(3, 0, 2));
    assert_eq!(shape("3 s"), "(3 s)");
    assert_eq!(shape("1.foo"), "1. foo");
}

#[test]
fn bad_numbers_are_refused() {
    for source in ["37r1", "1r1", "2r123", "16r", "16rG", "1e99999", "1e999999999999999999999", "1.0e999", "1s99999"] {
        assert_eq!(errors(source), [(INVALID_NUMBER, 1, 1)], "{source}");
    }
    assert_eq!(errors(&"9".repeat(20_000)), [(INVALID_NUMBER, 1, 1)]);
}

#[test]
fn strings_characters_and_symbols() {
    assert_eq!(literal("'it''s'"), Literal::String("it's".to_owned()));
    assert_eq!(literal("''"), Literal::String(String::new()));
    assert_eq!(literal("$'"), Literal::Character('\''));
    assert_eq!(literal("$é"), Literal::Character('é'));
    for (source, name) in
        [("#foo", "foo"), ("#a:b:", "a:b:"), ("#+", "+"), ("#->", "->"), ("#'a b'", "a b"), ("#_x1", "_x1")]
    {
        assert_eq!(literal(source), symbol(name), "{source}");
    }
}

#[test]
fn literal_arrays() {
    let nested = Literal::Array(vec![symbol("x:y:"), symbol("z"), Literal::Array(vec![])]);
    let expected = Literal::Array(vec![
        integer(1),
        integer(-2),
        symbol("foo"),
        symbol("bar"),
        symbol("+"),
        Literal::Character('a'),
        Literal::String("s".to_owned()),
        Literal::Nil,
        Literal::Boolean(true),
        Literal::Boolean(false),
        nested,
        Literal::ByteArray(vec![1, 255]),
        Literal::ByteArray(vec![]),
        symbol("self"),
    ]);
    assert_eq!(literal("#(1 -2 foo #bar + $a 's' nil true false (x:y: z #()) #[1 255] [] self)"), expected);
    assert_eq!(literal("#[0 16rFF]"), Literal::ByteArray(vec![0, 255]));
    assert_eq!(errors("#[256]"), [(INVALID_LITERAL, 1, 3)]);
    assert_eq!(errors("#[-1]"), [(INVALID_LITERAL, 1, 3)]);
    assert_eq!(errors("#(1 ^ 2)"), [(INVALID_LITERAL, 1, 5)]);
}

#[test]
fn patterns() {
    assert_eq!(method("foo").selector, "foo");
    assert_eq!(method("->> x ^x").selector, "->>");
    assert_eq!(method("| x ^x").selector, "|");
    let keyword = method("at: i put: v | t | ^t");
    assert_eq!(keyword.selector, "at:put:");
    let names =
        |list: &[ast::Declaration]| list.iter().map(|entry| (entry.name.clone(), entry.offset)).collect::<Vec<_>>();
    assert_eq!(names(&keyword.arguments), [("i".to_owned(), 4), ("v".to_owned(), 11)]);
    assert_eq!(names(&keyword.temporaries), [("t".to_owned(), 15)]);
    assert_eq!(method_selector("at: i put: v ((("), Some("at:put:".to_owned()));
    assert_eq!(method_selector("3"), None);
    assert_eq!(parse_method("3 + 4").errors[0].number, EXPECTED_PATTERN);
    assert_eq!(parse_method("").errors[0].number, EXPECTED_PATTERN);
}

#[test]
fn pragmas() {
    let source =
        "foo <primitive: 60><marker: #handler> | t | <a: -1 b: #(x) > <protected> <protected primitive: #x> ^1";
    let pragmas = method(source).pragmas;
    let selectors: Vec<&str> = pragmas.iter().map(|pragma| pragma.selector.as_str()).collect();
    assert_eq!(selectors, ["primitive:", "marker:", "a:b:", "protected", "protected", "primitive:"]);
    assert_eq!(pragmas[1].arguments, [symbol("handler")]);
    assert_eq!(pragmas[2].arguments, [integer(-1), Literal::Array(vec![symbol("x")])]);
    assert_eq!(parse_method("foo <primitive: x> ^1").errors.len(), 1);
    assert_eq!(parse_method("foo <primitive: 1").errors.len(), 1);
    assert_eq!(parse_method("foo <> ^1").errors.len(), 1);
}

#[test]
fn all_errors_come_at_once_with_their_places() {
    let source = "| é |\né := .\né := 3 + .\né foo: [:x | x bar: ). x + ]. é\n  at: €.\n(é foo";
    let expected = [
        (EXPECTED_PRIMARY, 2, 6),
        (EXPECTED_PRIMARY, 3, 10),
        (EXPECTED_PRIMARY, 4, 21),
        (INVALID_CHARACTER, 5, 7),
        (EXPECTED_CLOSING, 6, 7),
    ];
    let found = errors(source);
    for error in expected {
        assert!(found.contains(&error), "{error:?} in {:?}", parse_doit(source).errors);
    }
}

#[test]
fn messages_say_what_was_found() {
    let text = |source: &str| parse_doit(source).errors[0].to_string();
    assert_eq!(text("3 + )"), "line 1, column 5: expected a primary expression, found ) (error 1001)");
    assert_eq!(
        text("3 +"),
        "line 1, column 4: expected a primary expression, found the end of the source (error 1001)"
    );
    assert_eq!(text("(3 . 4)"), "line 1, column 4: expected ) for the ( of line 1, column 1, found . (error 1003)");
    assert_eq!(text("'abc"), "line 1, column 1: this string is not closed, expected a ' (error 1012)");
    assert_eq!(text("3. \"abc"), "line 1, column 4: this comment is not closed, expected a \" (error 1012)");
    assert_eq!(
        text("3 := 4"),
        "line 1, column 3: expected a period or the end of the statement, found := (error 1034)"
    );
    assert_eq!(
        text("3 foo ]"),
        "line 1, column 7: expected a statement or the end of the source, found ] (error 1034)"
    );
    assert_eq!(text("3; foo"), "line 1, column 2: expected a message before the cascade, found ; (error 1034)");
}

#[test]
fn an_error_hides_nothing_that_is_good() {
    let parsed = parse_method("foo a := . b := 3. ^(c d");
    assert_eq!(parsed.errors.len(), 2);
    assert_eq!(parsed.method.unwrap().statements.len(), 1);
}

#[test]
fn lines_end_as_on_any_system() {
    assert_eq!(error::line_and_column("a\nb\r\nc\rdé€", 9), (4, 3));
    assert_eq!(error::line_and_column("", 0), (1, 1));
}

#[test]
fn nesting_is_bounded_but_chains_are_not() {
    for opener in ["(", "[", "{", "#(", "a := ", "x foo: (", "#(("] {
        let source = opener.repeat(100_000);
        let errors = parse_doit(&source).errors;
        assert!(errors.iter().any(|error| error.number == TOO_DEEP), "{opener}");
    }
    let deep = format!("{}3{}", "(".repeat(MAX_DEPTH - 1), ")".repeat(MAX_DEPTH - 1));
    assert_eq!(parse_doit(&deep).errors, []);
    for chain in [" foo", " + 1", ", 'x'", "; foo: 3"] {
        let source = format!("a b{}", chain.repeat(100_000));
        assert_eq!(parse_doit(&source).errors, [], "{chain}");
    }
}

#[test]
fn the_count_of_errors_and_the_size_of_the_source_are_bounded() {
    assert_eq!(parse_doit(&"). ".repeat(10_000)).errors.len(), MAX_ERRORS);
    assert_eq!(parse_doit(&"€ ".repeat(10_000)).errors.len(), MAX_ERRORS);
    let errors = parse_doit(&" ".repeat(MAX_SOURCE_BYTES + 1)).errors;
    assert_eq!(errors[0].number, TOO_LARGE);
}
