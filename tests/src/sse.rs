//! Server-sent events as a client reads them, strictly: what is no event, comment or field fails the test.

use crate::http::Connection;
use serde_json::Value;

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its `id`.
    pub id: Option<String>,
    /// Its `event`.
    pub name: Option<String>,
    /// Its `retry`.
    pub retry: Option<u64>,
    /// Its `data`, the lines put together again.
    pub data: Option<String>,
}

/// What comes on a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A line that means nothing and keeps the stream alive.
    Comment(String),
    /// An event.
    Event(Event),
}

/// A stream of events that is being read.
#[derive(Debug)]
pub struct Stream {
    connection: Connection,
    held: Vec<u8>,
    ended: bool,
}

impl Event {
    /// The JSON of its data.
    pub fn json(&self) -> Value {
        let data = self.data.as_deref().unwrap_or_default();
        serde_json::from_str(data).unwrap_or_else(|error| panic!("JSON, not {data:?}: {error}"))
    }
}

impl Item {
    fn read(text: &str) -> Self {
        if let Some(comment) = text.strip_prefix(':') {
            assert!(!comment.contains('\n'), "a comment is one line: {text:?}");
            return Item::Comment(comment.trim().to_owned());
        }
        let mut event = Event::default();
        for line in text.lines() {
            let (field, value) = line.split_once(':').unwrap_or_else(|| panic!("a field, not {line:?}"));
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            match (field, &mut event.data) {
                ("id", _) => event.id = Some(value),
                ("event", _) => event.name = Some(value),
                ("retry", _) => event.retry = Some(value.parse().expect("milliseconds")),
                ("data", Some(data)) => {
                    data.push('\n');
                    data.push_str(&value);
                }
                ("data", none) => *none = Some(value),
                _ => panic!("no field of an event: {line:?}"),
            }
        }
        Item::Event(event)
    }
}

impl Stream {
    /// The stream that the body of a response is, whose head was read from this connection.
    pub fn of(connection: Connection) -> Self {
        Self { connection, held: Vec::new(), ended: false }
    }

    /// What comes next; `None` at the proper end.
    pub fn next_item(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.take() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            match self.connection.chunk().expect("a chunk, or a proper end") {
                Some(chunk) => self.held.extend_from_slice(&chunk),
                None => {
                    assert!(self.held.is_empty(), "half an event at the end");
                    self.ended = true;
                }
            }
        }
    }

    /// The next event; `None` at the proper end.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            if let Item::Event(event) = self.next_item()? {
                return Some(event);
            }
        }
    }

    /// The connection below; what was read of it and not taken is gone.
    pub fn into_connection(self) -> Connection {
        self.connection
    }

    /// Takes a whole item out of what was read.
    fn take(&mut self) -> Option<Item> {
        let end = self.held.windows(2).position(|window| window == b"\n\n")?;
        let text = String::from_utf8(self.held.drain(..end + 2).collect()).expect("text");
        Some(Item::read(&text[..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_comments_are_told_apart() {
        assert_eq!(Item::read(": keep-alive"), Item::Comment("keep-alive".into()));
        let Item::Event(event) = Item::read("id: 1-2\nretry: 5\nevent: message\ndata: [1,\ndata: 2]") else {
            panic!("an event");
        };
        assert_eq!((event.id.as_deref(), event.retry, event.name.as_deref()), (Some("1-2"), Some(5), Some("message")));
        assert_eq!(event.json(), serde_json::json!([1, 2]));
    }
}
