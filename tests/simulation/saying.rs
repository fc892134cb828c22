//! Sending messages: to a group, under an Idempotency-Key, to another user; and repeating them as
//! long as their outcome is unknown.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use coterie::actors::ask::Failure;
use coterie::actors::chat::protocol::{RecallSender, WriteMessage};
use coterie::actors::group::protocol::PostMessage;
use coterie::actors::idempotency::{AnswerToSave, Rendered};
use coterie::actors::user::protocol::{AdmitSender, PermitWriting};
use coterie::auth::first_answers::KeyClaim;
use coterie::domain::attachment::AddressForm;
use coterie::domain::first_answer::{AskKey, Fingerprint};
use coterie::domain::group::PostRefusal;
use coterie::domain::ids::{Conversation, GroupId, MessageId, Pair, UserId};
use coterie::domain::message::{NewMessage, ShownMessage};
use coterie::domain::message_requests::DmFrom;
use coterie::domain::text::{MessageText, SourceGuid};
use coterie::domain::user::Acquaintance;

use crate::book::Say;
use crate::person::{Told, Worker};

impl Worker {
    pub(crate) async fn says(&mut self, user: UserId) {
        let group = self.group_or_topic();
        let is_keyed = self.random.u8(..3) == 0;
        let say = self.begins(user, group.into(), is_keyed);
        self.tries(say).await;
    }

    pub(crate) async fn writes(&mut self, user: UserId) {
        let Some(other) = self.somebody_else(user) else { return };
        let pair = Pair::of(user, other).unwrap();
        let say = self.begins(user, pair.into(), false);
        self.tries(say).await;
    }

    fn begins(&mut self, by: UserId, conv: Conversation, is_keyed: bool) -> usize {
        let length = if self.random.u8(..8) == 0 { 900 } else { 20 };
        let padding = "x".repeat(self.random.usize(..length));
        let mut book = self.book.borrow_mut();
        let (begun, number) = (book.next(), book.says.len());
        let text = format!("m{number} {padding}");
        book.says.push(Say { by, conv, text, is_keyed, begun, tries: 0, refused: 0, told: None });
        number
    }

    pub(crate) async fn tries(&mut self, number: usize) {
        let say = {
            let mut book = self.book.borrow_mut();
            let in_doubt = &mut book.people[self.who].in_doubt;
            in_doubt.retain(|it| *it != number);
            in_doubt.push(number);
            let say = &mut book.says[number];
            say.tries += 1;
            say.clone()
        };
        let told = match say.conv {
            Conversation::Group(group) if say.is_keyed => {
                self.posts_under_key(group, number, &say).await
            }
            Conversation::Group(group) => {
                let directory = self.directory();
                let asked = directory.ask(group, Self::post(&say));
                match self.asks::<PostMessage>(asked).await {
                    Told::Done(stored) => Told::Done(stored.message.id),
                    Told::Refused(refusal) => refused(refusal),
                    Told::Nothing => Told::Nothing,
                }
            }
            Conversation::Chat(pair) => self.writes_to(pair, &say).await,
        };
        self.concludes(number, told);
    }

    fn concludes(&mut self, number: usize, told: Told<MessageId, ()>) {
        let mut book = self.book.borrow_mut();
        let place = book.next();
        let say = &mut book.says[number];
        let what = match told {
            Told::Done(id) => {
                if say.told.is_none() {
                    say.told = Some((place, id));
                }
                let is_same = say.told.map(|it| it.1) == Some(id);
                if !is_same && say.is_keyed {
                    book.object(format!("m{number} was told to be two messages"));
                }
                format!("stored as {id}")
            }
            Told::Refused(()) => {
                say.refused += 1;
                "refused".to_owned()
            }
            Told::Nothing => "in doubt".to_owned(),
        };
        let who = self.who;
        book.note(|| format!("{who} m{number} {what}"));
        if !what.ends_with("doubt") {
            book.people[who].in_doubt.retain(|it| *it != number);
        }
    }

    fn post(say: &Say) -> PostMessage {
        PostMessage { author: say.by, message: Self::message(say) }
    }

    fn message(say: &Say) -> NewMessage {
        NewMessage {
            source_guid: SourceGuid::parse(say.text.split(' ').next().unwrap().to_owned()).unwrap(),
            text: Some(MessageText::parse(say.text.clone()).unwrap()),
            attachments: Vec::new(),
            form: AddressForm::Specified,
            here: Vec::new(),
        }
    }

    /// Posts as `http/once.rs` does.
    async fn posts_under_key(
        &mut self,
        group: GroupId,
        number: usize,
        say: &Say,
    ) -> Told<MessageId, ()> {
        let (key, request) = (AskKey::new(number as u128), Fingerprint::new(number as u128));
        let begun = self.server.first_answers.begin(key, request);
        let turn = match tokio::time::timeout(Duration::from_secs(120), begun).await {
            Ok(Ok(KeyClaim::First(turn))) => turn,
            Ok(Ok(KeyClaim::Again(first))) => {
                let id = first.body.as_ref().and_then(|body| body.parse().ok());
                return Told::Done(MessageId::new(id.expect("the kept answer is an id")));
            }
            Ok(Ok(KeyClaim::Reused)) => panic!("a key was used for another request"),
            Ok(Err(_)) | Err(_) => return Told::Nothing,
        };
        let (directory, post) = (self.directory(), Self::post(say));
        let acts = actix::spawn(async move {
            let kept = Arc::<OnceLock<_>>::default();
            let show = |stored: &ShownMessage| Rendered {
                status: 201,
                body: stored.message.id.get().to_string().into(),
            };
            let keep = AnswerToSave {
                key,
                request,
                asker: None,
                render: Arc::new(show),
                saved: Arc::clone(&kept),
            };
            let answered = directory.ask_with_record(group, post, Some(Box::new(keep))).await;
            match (&answered, kept.get()) {
                (Ok(_), Some(kept)) => turn.finish(Arc::clone(&kept.first)),
                (Err(Failure::Fault(_)), _) => drop(actix::spawn(turn.doubt())),
                (Ok(_) | Err(Failure::Refused(_)), _) => {}
            }
            answered
        });
        let answered = async { acts.await.expect("nobody ends this task") };
        match self.asks::<PostMessage>(answered).await {
            Told::Done(stored) => Told::Done(stored.message.id),
            Told::Refused(PostRefusal::DuplicateGuid { existing }) => {
                let what = format!("m{number} is stored as {existing} without its answer");
                self.book.borrow_mut().object(what);
                Told::Done(existing)
            }
            Told::Refused(refusal) => refused(refusal),
            Told::Nothing => Told::Nothing,
        }
    }

    /// Sends a direct message as `http/direct_messages.rs` does.
    async fn writes_to(&mut self, pair: Pair, say: &Say) -> Told<MessageId, ()> {
        let directory = self.directory();
        let (from, to) = (say.by, pair.other(say.by).unwrap());
        let message = Self::message(say);
        let recall = RecallSender { sender: from, guid: message.source_guid.clone() };
        let asked = self.asks::<RecallSender>(directory.ask(pair, recall)).await;
        let Told::Done(recalled) = asked else { return Told::Nothing };
        if let Some(stored) = recalled.repeated {
            return Told::Done(stored.id);
        }
        let asked = self.asks::<AdmitSender>(directory.ask(to, AdmitSender { from })).await;
        let Told::Done(standing) = asked else { return Told::Nothing };
        let reception = standing.reception(DmFrom::Everyone, true, true).unwrap();
        let permit = PermitWriting { to, acquaintance: Acquaintance::Known };
        let asked = self.asks::<PermitWriting>(directory.ask(from, permit)).await;
        let Told::Done(sender) = asked else { return Told::Nothing };
        let write = WriteMessage { sender, reception, message };
        match self.asks::<WriteMessage>(directory.ask(pair, write)).await {
            Told::Done(stored) => Told::Done(stored.message.id),
            Told::Refused(refusal) => panic!("nothing here may be refused: {refusal}"),
            Told::Nothing => Told::Nothing,
        }
    }
}

fn refused(refusal: PostRefusal) -> Told<MessageId, ()> {
    match refusal {
        PostRefusal::NotAMember => Told::Refused(()),
        PostRefusal::DuplicateGuid { existing } => Told::Done(existing),
        PostRefusal::Address(refusal) => panic!("nobody is named here: {refusal}"),
        PostRefusal::Denied(refusal) => panic!("every member may post here: {refusal}"),
        PostRefusal::Broken(refusal) => panic!("no group has rules here: {refusal:?}"),
    }
}
