//! A handler that panics answers 500 and harms nobody else.

use crate::refusal::Refusal;
use axum::response::Response;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// The answer of `handler`, or 500 if it panics.
pub(crate) async fn guarded(handler: impl Future<Output = Response>) -> Response {
    let mut handler = pin!(handler);
    std::future::poll_fn(|cx| {
        // After a panic the future is never polled again, and what it shares lies behind locks that recover.
        match catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx))) {
            Ok(poll) => poll,
            Err(_) => {
                tracing::error!("a handler panicked");
                Poll::Ready(Refusal::Internal.response(None))
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let response = guarded(async { panic!("on purpose") }).await;
        assert_eq!(response.status(), 500);
        let response = guarded(async { Refusal::Path.response(None) }).await;
        assert_eq!(response.status(), 404);
    }
}
