//! The log: one line a request, written to standard error by a thread of its own.
//!
//! A reader of the log that stops reading must never stop the router, so lines wait in a bounded buffer, and those
//! beyond it are counted and dropped. Session ids, bodies and header values are never logged; what a client sent and is
//! logged (methods, tool names) is escaped.

use crate::config::{LogFormat, LogLevel};
use crate::core::Summary;
use crate::core::table::SessionId;
use crate::lock;
use protocol::limits::LOG_BYTES_MAX;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered before they are written together.
const GATHER: Duration = Duration::from_millis(10);

/// The buffer between those who log and the thread that writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Lines>,
    filled: Condvar,
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    dropped: u64,
    writing: bool,
}

impl Log {
    /// Begins to log.
    pub(crate) fn start(level: LogLevel, format: LogFormat) -> io::Result<Self> {
        let log = Self::default();
        let own = log.clone();
        std::thread::Builder::new().name("log".into()).spawn(move || own.write_for_ever())?;
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(filter(level))
            .with_ansi(io::stderr().is_terminal())
            .with_target(false)
            .with_writer(log.clone());
        let set = match format {
            LogFormat::Text => subscriber.try_init(),
            LogFormat::Json => subscriber.json().flatten_event(true).try_init(),
        };
        set.map_err(io::Error::other)?;
        Ok(log)
    }

    /// Waits until all that was logged is written, but not for ever.
    pub(crate) fn flush(&self) {
        let lines = lock(&self.0.lines);
        let busy = |lines: &mut Lines| !lines.bytes.is_empty() || lines.writing;
        drop(self.0.emptied.wait_timeout_while(lines, Duration::from_millis(500), busy));
    }

    fn write_for_ever(&self) {
        loop {
            let lines = lock(&self.0.lines);
            let filled = self.0.filled.wait_while(lines, |lines| lines.bytes.is_empty());
            drop(filled);
            std::thread::sleep(GATHER);
            let (bytes, dropped) = {
                let mut lines = lock(&self.0.lines);
                lines.writing = true;
                (std::mem::take(&mut lines.bytes), std::mem::take(&mut lines.dropped))
            };
            let mut stderr = io::stderr().lock();
            // With nobody to tell, a log that cannot be written is lost.
            drop(stderr.write_all(&bytes));
            if dropped > 0 {
                drop(writeln!(stderr, "({dropped} lines of the log were dropped)"));
            }
            lock(&self.0.lines).writing = false;
            self.0.emptied.notify_all();
        }
    }
}

impl Write for &Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lines = lock(&self.0.lines);
        if lines.bytes.len() + line.len() > LOG_BYTES_MAX {
            lines.dropped += 1;
            return Ok(line.len());
        }
        let first = lines.bytes.is_empty();
        lines.bytes.extend_from_slice(line);
        drop(lines);
        if first {
            self.0.filled.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = &'a Log;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// What is logged of one request, when it is over: for a stream, when the stream is.
#[derive(Debug)]
pub(crate) struct RequestLine {
    began: Instant,
    verb: &'static str,
    /// The session that it named or opened.
    pub(crate) session: Option<SessionId>,
    /// The message in its body.
    pub(crate) message: Summary,
    /// The HTTP status of its answer.
    pub(crate) status: u16,
    /// Why it was refused, if it was.
    pub(crate) refused: Option<&'static str>,
}

impl RequestLine {
    /// A line that begins now.
    pub(crate) fn new(verb: &'static str) -> Self {
        Self { began: Instant::now(), verb, session: None, message: Summary::default(), status: 0, refused: None }
    }
}

impl Drop for RequestLine {
    fn drop(&mut self) {
        tracing::info!(
            verb = self.verb,
            session = self.session.as_ref().map(tracing::field::debug),
            method = self.message.method.as_deref(),
            tool = self.message.tool.as_deref(),
            status = self.status,
            refused = self.refused,
            milliseconds = self.began.elapsed().as_micros() as f64 / 1000.0,
            "request"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_buffer_are_counted_and_dropped() {
        let log = Log::default();
        let line = vec![b'x'; LOG_BYTES_MAX];
        for _ in 0..3 {
            assert_eq!((&log).write(&line).expect("never fails"), line.len());
        }
        let lines = lock(&log.0.lines);
        assert_eq!((lines.bytes.len(), lines.dropped), (LOG_BYTES_MAX, 2));
    }

    #[test]
    fn what_clients_sent_is_escaped_and_ids_are_not_there() {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(log.clone()).finish();
        let id = SessionId::random().expect("randomness");
        tracing::subscriber::with_default(subscriber, || {
            let mut line = RequestLine::new("POST");
            line.session = Some(id);
            line.message.tool = Some("a\nINFO forged\u{1b}[31m".into());
        });
        let text = String::from_utf8(lock(&log.0.lines).bytes.clone()).expect("text");
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains(&id.to_text()), "{text}");
        assert!(text.contains(&format!("{id:?}")), "{text}");
    }
}
