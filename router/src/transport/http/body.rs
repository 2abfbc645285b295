//! Reading a request's body: bounded in bytes and in time, and not at all when it declares itself too long.

use crate::refusal::Refusal;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use protocol::limits::{BODY_BYTES_MAX, BODY_MILLIS};
use std::time::Duration;

/// The whole body.
pub(crate) async fn read<B>(body: B) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.size_hint().lower() > BODY_BYTES_MAX as u64 {
        return Err(Refusal::TooLarge);
    }
    let deadline = Duration::from_millis(BODY_MILLIS);
    tokio::time::timeout(deadline, collect(body)).await.map_err(|_| Refusal::TooSlow)?
}

async fn collect<B>(mut body: B) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut whole = Bytes::new();
    let mut parts = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Refusal::BrokenBody)?.into_data() else { continue };
        if whole.len() + parts.len() + data.len() > BODY_BYTES_MAX {
            return Err(Refusal::TooLarge);
        }
        // Most bodies come in one piece, which need not be copied.
        if whole.is_empty() && parts.is_empty() {
            whole = data;
        } else {
            parts.extend_from_slice(&std::mem::take(&mut whole));
            parts.extend_from_slice(&data);
        }
    }
    Ok(if parts.is_empty() { whole } else { parts.freeze() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::Frame;
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// A body of pieces whose length is not declared; it stays open if `open`.
    struct Pieces {
        pieces: VecDeque<usize>,
        open: bool,
    }

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match self.pieces.pop_front() {
                Some(size) => Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![b'x'; size]))))),
                None if self.open => Poll::Pending,
                None => Poll::Ready(None),
            }
        }
    }

    async fn read_pieces(pieces: &[usize], open: bool) -> Result<usize, Refusal> {
        read(Pieces { pieces: pieces.iter().copied().collect(), open }).await.map(|bytes| bytes.len())
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_are_bounded_in_bytes_and_time() {
        assert_eq!(read_pieces(&[], false).await, Ok(0));
        assert_eq!(read_pieces(&[1, 2, 3], false).await, Ok(6));
        assert_eq!(read_pieces(&[BODY_BYTES_MAX], false).await, Ok(BODY_BYTES_MAX));
        assert_eq!(read_pieces(&[BODY_BYTES_MAX, 1], true).await, Err(Refusal::TooLarge));
        assert_eq!(read_pieces(&[1], true).await, Err(Refusal::TooSlow));
    }
}
