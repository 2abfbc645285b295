//! The requests of one session, in order, each answered before the next is read.
//!
//! Trusts nothing that a gem sends: what a peer does wrong on the wire costs it this connection and no other session
//! anything. Must never write to the repository itself.

use super::author::AuthorBinding;
use super::commit_queue::{CommitRequest, CommitResult};
use super::fault::{SentObjects, read_cluster};
use super::frames::FrameStream;
use super::published::sorted_unique;
use super::refusal::{self, Refusal};
use super::stone::Stone;
use crate::link::LinkError;
use protocol::frame::FrameError;
use protocol::limits::FAULT_OBJECTS_MAX;
use protocol::limits::stone::SESSION_OID_BLOCKS_MAX;
use protocol::stone::{Answer, KERNEL_OID_BIT, Oid, Request, Token, Write};
use std::collections::HashSet;
use std::ops::Range;

/// One session and what it has been given.
pub(crate) struct Session<'a> {
    stone: &'a Stone,
    number: u64,
    author: AuthorBinding,
    read_only: bool,
    view: u64,
    granted: Vec<Range<Oid>>,
    sent: SentObjects,
    /// A commit was made that cannot be answered as it should: a refusal would be wrong, so the connection ends.
    broken: bool,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        stone: &'a Stone,
        number: u64,
        author: AuthorBinding,
        read_only: bool,
        view: u64,
        identities: Range<Oid>,
    ) -> Self {
        let (granted, sent) = (vec![identities], SentObjects::default());
        Self { stone, number, author, read_only, view, granted, sent, broken: false }
    }

    /// Answers requests until the connection ends.
    pub(crate) fn run(mut self, mut frames: FrameStream) -> Result<(), LinkError> {
        while let Some((header, request, permit)) = frames.next_request(&self.stone.budget)? {
            let answering = self.stone.lifetime.answer();
            let answer = self.perform(request).unwrap_or_else(Answer::from);
            drop(permit);
            if self.broken {
                return Err(
                    FrameError::Malformed("a commit was made, and what others changed could not be read").into()
                );
            }
            frames.answer(header.exchange, &answer)?;
            drop(answering);
        }
        Ok(())
    }

    fn perform(&mut self, request: Request) -> Result<Answer, Refusal> {
        match request {
            Request::Fault { oids } => self.fault(&oids),
            Request::Commit { token, tool, writes } => self.commit(token, tool, writes),
            Request::MoveView => self.move_view(),
            Request::Reserve => self.reserve(),
            Request::CommitStatus { token } => {
                // The answer keeps a commit of that name from ever being made, which is more than reading.
                self.author.author()?;
                Ok(Answer::CommitStatus(self.stone.committer.commit_status(token)?))
            }
            Request::Bind { grant } => {
                self.author.bind(&grant)?;
                self.move_view()
            }
            Request::ChangedSince { commit } => {
                let changed = self.changed_between(commit, self.view + 1)?;
                Ok(Answer::View { view: self.view, changed })
            }
        }
    }

    fn move_view(&mut self) -> Result<Answer, Refusal> {
        let newest = self.stone.published.view();
        let changed = self.move_to(newest, newest + 1)?;
        Ok(Answer::View { view: self.view, changed })
    }

    fn fault(&mut self, oids: &[Oid]) -> Result<Answer, Refusal> {
        if oids.len() > FAULT_OBJECTS_MAX {
            return Err(refusal::too_many_asked(oids.len()));
        }
        let (view, sent) = (self.view, &mut self.sent);
        let records = self.stone.readers.read(|reader| read_cluster(reader, view, oids, sent))?;
        Ok(Answer::Objects(records))
    }

    fn commit(&mut self, token: Token, tool: String, writes: Vec<Write>) -> Result<Answer, Refusal> {
        let (user, client) = self.author.author()?;
        if self.read_only {
            return Err(refusal::read_only());
        }
        if writes.is_empty() {
            let newest = self.stone.published.view();
            let changed = self.move_to(newest, newest + 1)?;
            return Ok(Answer::Committed { view: self.view, changed });
        }
        self.check(&writes)?;
        let written: Vec<Oid> = writes.iter().map(|write| write.record.oid).collect();
        let request = CommitRequest { user, client, session: self.number, tool, token, writes };
        match self.stone.committer.commit(request) {
            CommitResult::Committed(number) => {
                let changed = self.move_to(number, number);
                let changed = changed.inspect_err(|_| self.broken = true)?;
                written.into_iter().for_each(|oid| self.sent.add(oid));
                Ok(Answer::Committed { view: number, changed })
            }
            // Made by this session earlier, or by another of the same gem: then its writes are news here as well.
            CommitResult::AlreadyCommitted(number) => {
                let moved = self.move_to(number.max(self.view), number + 1);
                let changed = moved.inspect_err(|_| self.broken = true)?;
                Ok(Answer::Committed { view: self.view, changed })
            }
            CommitResult::Conflict(objects) => Ok(Answer::Conflict { objects }),
            CommitResult::Refused(refusal) => Err(refusal),
        }
    }

    /// Checks what can be checked without reading the repository.
    fn check(&self, writes: &[Write]) -> Result<(), Refusal> {
        let mut seen = HashSet::with_capacity(writes.len());
        for Write { base, record } in writes {
            let oid = record.oid;
            if !seen.insert(oid) {
                return Err(refusal::twice_in_commit(oid));
            }
            match base {
                Some(base) if *base > self.view => return Err(refusal::base_ahead(oid, *base, self.view)),
                None if oid & KERNEL_OID_BIT == 0 && !self.granted.iter().any(|block| block.contains(&oid)) => {
                    return Err(refusal::not_granted(oid));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Moves the view, and answers what the commits after it and before `before` wrote.
    fn move_to(&mut self, view: u64, before: u64) -> Result<Vec<Oid>, Refusal> {
        let changed = self.changed_between(self.view, before)?;
        self.sent.forget(&changed);
        self.view = view;
        Ok(changed)
    }

    /// What the commits after `after` and before `before` wrote, each object once.
    fn changed_between(&self, after: u64, before: u64) -> Result<Vec<Oid>, Refusal> {
        let changed = match self.stone.published.changed_between(after, before) {
            Some(changed) => changed,
            None => self.stone.readers.read(|reader| Ok(reader.changed_between(after, before)?))?,
        };
        Ok(sorted_unique(changed))
    }

    fn reserve(&mut self) -> Result<Answer, Refusal> {
        if self.granted.len() >= SESSION_OID_BLOCKS_MAX {
            return Err(refusal::too_many_identities());
        }
        let block = self.stone.oids.allocate(&self.stone.committer)?;
        let first = block.start;
        match self.granted.last_mut() {
            Some(last) if last.end == block.start => last.end = block.end,
            _ => self.granted.push(block),
        }
        Ok(Answer::Block(first))
    }
}
