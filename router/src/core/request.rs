//! Messages that come one by one, each with headers of its own that say to which session it belongs (HTTP).

use crate::core::admission::{self, Admitted, Summary, forward_batch};
use crate::core::era::{Verdict, judge};
use crate::core::events::EventBuffer;
use crate::core::headers::Headers;
use crate::core::open::Initialize;
use crate::core::reply::{Pending, Reply, Waiting};
use crate::core::session::{Responder, Session};
use crate::core::shared::Core;
use crate::core::stateless::StatelessRequest;
use crate::core::table::{SessionId, WorkerKey};
use crate::refusal::Refusal;
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind};
use protocol::stateless::{self, RoutingParams};
use std::sync::Arc;
use tokio::sync::oneshot;

impl Core {
    /// Takes one message. What is known of it is written to `summary` even if it is refused.
    pub(crate) async fn take(&self, headers: &Headers, body: Bytes, summary: &mut Summary) -> Result<Reply, Refusal> {
        if let Some(parts) = admission::read_batch(&body) {
            let parts = parts?;
            headers.check_revision(self.served())?;
            let session = self.find(headers, true)?;
            let parts = Admitted::batch(&session, &body, &parts)?;
            return pending(session, |session, responder| {
                Ok(forward_batch(session, parts, responder)?.map(Waiting::Batch))
            });
        }
        let envelope = admission::read(&body, summary)?;
        let params = RoutingParams::read(envelope.params);
        match judge(&envelope, &params, headers, self.served())? {
            Verdict::Session => self.take_in_session(headers, &envelope, body.clone()),
            Verdict::Nothing => Ok(Reply::Accepted),
            Verdict::Stateless { revision, name } => {
                let own = |text: Option<&str>| text.map(Box::from);
                let request = StatelessRequest {
                    principal: headers.principal.clone(),
                    revision,
                    method: own(envelope.method.as_deref()).unwrap_or_default(),
                    name,
                    gem: None,
                    headers: headers.parameters.clone(),
                    id: own(envelope.id).unwrap_or_default(),
                    params: own(envelope.params),
                    body: body.clone(),
                };
                let gem = headers.parameter("gem").filter(|_| request.calls());
                let gem = gem.map(decode).transpose()?;
                StatelessRequest { gem, ..request }.serve(&self.opener, || EventBuffer::passing().ends()).await
            }
        }
    }

    fn take_in_session(&self, headers: &Headers, envelope: &Envelope<'_>, body: Bytes) -> Result<Reply, Refusal> {
        headers.check_revision(self.served())?;
        if let (Kind::Request, Some("initialize"), Some(id)) = (envelope.kind, envelope.method.as_deref(), envelope.id)
        {
            let (principal, params) = (headers.principal.clone(), envelope.params.map(Into::into));
            let asked = Initialize { principal, id: id.into(), params, body, connection: None };
            // A task of its own: a client that goes away must not leave half a session.
            let opener = self.opener.clone();
            return Ok(Reply::Opening(tokio::spawn(async move { opener.open(asked).await })));
        }
        let session = self.find(headers, true)?;
        let admitted = Admitted::new(&session, envelope, body)?;
        pending(session, |session, responder| Ok(admitted.forward(session, || responder)?.map(Waiting::Exchange)))
    }

    /// The session that headers name; `post` tells what to say where they name none.
    pub(crate) fn find(&self, headers: &Headers, post: bool) -> Result<Arc<Session>, Refusal> {
        let named = headers.session.as_deref().ok_or(Refusal::NoSession { post })?;
        let id = SessionId::parse(named.as_bytes()).ok_or(Refusal::UnknownSession)?;
        let key = WorkerKey::Session { principal: headers.principal.clone(), id };
        self.shared.table.get(&key).ok_or(Refusal::UnknownSession)
    }
}

/// Forwards something; what is waited for decides what it gets.
fn pending(
    session: Arc<Session>,
    forward: impl FnOnce(&Session, Responder) -> Result<Option<Waiting>, Refusal>,
) -> Result<Reply, Refusal> {
    let (sender, receiver) = oneshot::channel();
    let waiting = forward(&session, Responder::Request(sender))?;
    Ok(match waiting {
        Some(waiting) => Reply::Pending(Pending { session, waiting, receiver, hold: None }),
        None => Reply::Accepted,
    })
}

fn decode(handle: &str) -> Result<Box<str>, Refusal> {
    let decoded = stateless::decode(handle);
    let mismatch = || stateless::mismatch("The header Mcp-Param-Gem is not valid base64 of UTF-8");
    Ok(decoded.ok_or_else(mismatch)?.into())
}
