//! Running tests.

use super::Session;
use serde_json::json;

fn session() -> Session {
    let mut session = Session::new();
    session.run(
        "TestCase subclass: 'PtTest' instVarNames: #() inDictionary: UserGlobals.
        TestCase subclass: 'GoodTest' instVarNames: #() inDictionary: UserGlobals",
    );
    for source in [
        "testPasses self assert: 3 + 4 equals: 7",
        "testFails self assert: false",
        "testDnu self helper",
        "helper ^self zzzNoSuchSelector",
        "testErrors ^Error signal: ''on purpose''",
        "testHalts self halt",
        "testRecursion ^self testRecursion",
    ] {
        session.run(&format!("PtTest compile: '{source}' classified: 'tests'"));
    }
    session.run("GoodTest compile: 'testGood self assert: true' classified: 'tests'");
    session.image.commit().expect("committed");
    session
}

#[test]
fn a_class_of_tests_is_run() {
    let mut session = session();
    let text = "PtTest: 6 run, 1 passed, 1 failed, 4 errors\n  FAIL  PtTest debug: #testFails\n  ERROR PtTest debug: \
                #testDnu\n  ERROR PtTest debug: #testErrors\n  ERROR PtTest debug: #testHalts\n  ERROR PtTest debug: \
                #testRecursion\n";
    let answer = session.answer("run_test_class", json!({"className": "PtTest"}));
    assert_eq!(answer.text, text);
    let data = answer.structured.expect("data");
    assert_eq!((&data["run"], &data["failed"], &data["errors"]), (&json!(6), &json!(1), &json!(4)));
    assert_eq!(data["items"][0], json!({"status": "fail", "test": "PtTest debug: #testFails"}));
    let text = session.text("run_test_class", json!({"className": "GoodTest"}));
    assert_eq!(text, "GoodTest: 1 run, 1 passed, 0 failed, 0 errors");
    assert_eq!(session.refusal("run_test_class", json!({"className": "Nope"})).kind, "notFound");
    let refusal = session.refusal("run_test_class", json!({"className": "Object"}));
    assert_eq!(refusal.kind, "refused");
}

#[test]
fn one_test_is_run() {
    let mut session = session();
    let run = |session: &mut Session, selector: &str| {
        session.text("run_test_method", json!({"className": "PtTest", "selector": selector}))
    };
    assert_eq!(run(&mut session, "testPasses"), "PtTest>>testPasses: 1 run, 1 passed, 0 failed, 0 errors");
    let failed = "PtTest>>testFails: 1 run, 0 passed, 1 failed, 0 errors\n  FAIL  PtTest debug: #testFails\n";
    assert_eq!(run(&mut session, "testFails"), failed);
    let refusal = session.refusal("run_test_method", json!({"className": "PtTest", "selector": "testNope"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "No such method: PtTest>>testNope"));
}

#[test]
fn failing_tests_are_listed() {
    let mut session = session();
    let all = session.text("list_failing_tests", json!({}));
    assert_eq!(all.lines().count(), 5, "{all}");
    assert!(all.contains("FAIL  PtTest debug: #testFails\n"), "{all}");
    let good = session.text("list_failing_tests", json!({"classNames": ["GoodTest"]}));
    assert_eq!(good, "(no failing tests)");
    let ours = json!({"limit": 1, "dictionaryName": "UserGlobals"});
    let data = session.data("list_failing_tests", ours);
    assert_eq!((&data["run"], &data["total"], &data["nextOffset"]), (&json!(7), &json!(5), &json!(1)));
    assert_eq!(session.refusal("list_failing_tests", json!({"classNames": ["Nope"]})).kind, "notFound");
    assert_eq!(session.text("list_test_classes", json!({"dictionaryName": "UserGlobals"})), "GoodTest\nPtTest\n");
    let classes = session.text("list_test_classes", json!({}));
    assert!(classes.contains("GsTestCase\n"), "{classes}");
}

#[test]
fn a_failure_is_described() {
    let mut session = session();
    let describe = |session: &mut Session, selector: &str| {
        session.answer("describe_test_failure", json!({"className": "PtTest", "selector": selector}))
    };
    assert_eq!(describe(&mut session, "testPasses").text, "PtTest>>testPasses passed (no failure).");
    let lost = describe(&mut session, "testDnu");
    let text = "PtTest>>testDnu - MessageNotUnderstood: a MessageNotUnderstood occurred (error 2010), a PtTest does \
                not understand  #'zzzNoSuchSelector'";
    assert_eq!(lost.text, text);
    let data = lost.structured.expect("data");
    assert_eq!((&data["status"], &data["class"]), (&json!("error"), &json!("MessageNotUnderstood")));
    assert_eq!((&data["selector"], &data["number"]), (&json!("zzzNoSuchSelector"), &json!(2010)));
    assert_eq!(data["receiver"], "PtTest debug: #testDnu");
    assert_eq!(data["frames"], json!(["PtTest>>helper (line 1)", "PtTest>>testDnu (line 1)"]));
    let failed = describe(&mut session, "testFails");
    assert!(failed.text.starts_with("PtTest>>testFails - TestFailure: "), "{}", failed.text);
    assert!(failed.text.contains("Assertion failed"), "{}", failed.text);
    assert_eq!(failed.structured.expect("data")["status"], "fail");
    let endless = describe(&mut session, "testRecursion");
    assert!(endless.text.contains("AlmostOutOfStack"), "{}", endless.text);
}
