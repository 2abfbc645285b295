//! Lists in pages. A cursor says where the next page of which list begins; it means the same to every gem that serves
//! the same toolsets. It keeps nothing between two pages.

use crate::request::{Reply, Request, refuse};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use protocol::error::INVALID_PARAMS;
use protocol::limits::LIST_PAGE_MAX;
use serde_json::{Map, Value};
use std::ops::Range;

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Which of its elements.
    pub(crate) range: Range<usize>,
    /// The cursor of what comes after them, if anything does.
    pub(crate) next: Option<String>,
}

/// The page that a request asks for, of a list of this name and length.
pub(crate) fn page(request: &Request<'_>, name: &str, length: usize) -> Result<Page, Reply> {
    let params: Option<Map<String, Value>> = request.params.and_then(|params| serde_json::from_str(params).ok());
    let begin = match params.as_ref().and_then(|params| params.get("cursor")) {
        None | Some(Value::Null) => 0,
        Some(cursor) => {
            let begin = cursor.as_str().and_then(|cursor| read(cursor, name)).filter(|begin| *begin < length);
            begin.ok_or_else(|| {
                let message = "Invalid cursor: give nextCursor of the page before, or none for the first page";
                refuse(request.id, INVALID_PARAMS, message, "invalidParams")
            })?
        }
    };
    let end = length.min(begin + LIST_PAGE_MAX);
    let next = (end < length).then(|| URL_SAFE_NO_PAD.encode(format!("{name}:{end}")));
    Ok(Page { range: begin..end, next })
}

fn read(cursor: &str, name: &str) -> Option<usize> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (list, begin) = text.split_once(':')?;
    begin.parse().ok().filter(|begin| list == name && begin % LIST_PAGE_MAX == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::revision::newest_of_sessions;
    use serde_json::json;

    fn at(cursor: &Value, name: &str, length: usize) -> Option<Page> {
        let params = json!({ "cursor": cursor }).to_string();
        let revision = newest_of_sessions();
        page(&Request { id: "1", method: "x/list", params: Some(&params), revision }, name, length).ok()
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let length = 2 * LIST_PAGE_MAX + 1;
        let (mut seen, mut cursor) = (0, Value::Null);
        loop {
            let page = at(&cursor, "tools", length).expect("a page");
            assert_eq!(page.range.start, seen);
            seen = page.range.end;
            match page.next {
                Some(next) => cursor = json!(next),
                None => break,
            }
        }
        assert_eq!(seen, length);
        assert_eq!(at(&Value::Null, "tools", 0), Some(Page { range: 0..0, next: None }));
    }

    #[test]
    fn no_other_cursor_is_taken() {
        let next = at(&Value::Null, "tools", LIST_PAGE_MAX + 1).expect("a page").next.expect("more");
        assert!(at(&json!(next), "tools", LIST_PAGE_MAX + 1).is_some());
        assert_eq!(at(&json!(next), "prompts", LIST_PAGE_MAX + 1), None, "of another list");
        assert_eq!(at(&json!(next), "tools", LIST_PAGE_MAX), None, "the list is shorter now");
        let forged = URL_SAFE_NO_PAD.encode("tools:1");
        for invalid in [json!(""), json!("nonsense"), json!(forged), json!(7), json!({})] {
            assert_eq!(at(&invalid, "tools", 1000), None, "{invalid}");
        }
    }
}
