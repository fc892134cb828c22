//! Shows a group and its messages: only what is durable, and all of it.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Reply};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{
    GroupView, ListMessages, SharedView, ViewGroup, ViewListed, ViewRefusal, ViewShared,
};
use crate::ledger::Recording;
use domain::group::{JoinRefusal, SharedLink};
use domain::ids::UserId;
use wire::group::GroupJson;

impl GroupActor {
    /// The group as decided so far, to be sent only once all of that is durable.
    pub(super) fn view(&mut self) -> GroupView {
        let group = self.group.as_ref().expect("only a group that exists is viewed");
        let earlier = &mut self.earlier_json;
        let (shown, group_json) = self.cached_json.get_or_insert_with(|| {
            let group_json = earlier.take().map(|earlier| GroupJson::following(&earlier));
            (group.shared_copy(), Arc::new(group_json.unwrap_or_default()))
        });
        GroupView {
            group: Arc::clone(shown),
            group_json: Arc::clone(group_json),
            count: group.count,
            last: group.last.clone(),
            // The number of the newest durable event. The view may show later ones too; the reader
            // gets those with higher numbers, and applying them again changes nothing.
            n: self.ledger.head().n,
        }
    }

    /// Answers with the group once all that it shows is durable, or refuses.
    fn show_if<R: Send + 'static>(
        &mut self,
        may_see: bool,
        reply: Reply<GroupView, R>,
        refusal: R,
    ) {
        let seen = if may_see { Ok(self.view()) } else { Err(Failure::Refused(refusal)) };
        self.when_durable(move |room| {
            reply.send(match room {
                Ok(_) => seen,
                Err(fault) => Err(Failure::Fault(fault)),
            });
        });
    }

    pub(super) fn may_read(&self, reader: UserId) -> bool {
        self.group.as_ref().is_some_and(|group| group.member(reader).is_some())
    }
}

impl Answers<ViewGroup> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ViewGroup> {
        Some(Err(ViewRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ViewGroup>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let may_see = self.may_read(ask.question.reader);
        self.show_if(may_see, ask.reply, ViewRefusal::NotAMember);
    }
}

impl Answers<ViewShared> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ViewShared> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<ViewShared>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ViewShared { token, viewer } = &ask.question;
        let now = self.context.clock.now().wall;
        let link = match &self.group {
            Some(group) if viewer.is_none_or(|it| group.ban_of(it, now).is_none()) => {
                group.link_of(token, now).map(|link| {
                    let invite = match link {
                        SharedLink::ShareUrl | SharedLink::Directory => None,
                        SharedLink::Invite(link) => Some(link),
                    };
                    let maker = invite.map(|link| link.by);
                    let guest = invite.and_then(|link| link.guest());
                    let state = viewer.and_then(|it| group.state_of(it, now));
                    (maker, group.link_asks(link), state, guest)
                })
            }
            Some(_) | None => Err(JoinRefusal::NoSuchGroup),
        };
        match link {
            Ok((maker, asks, state, guest)) => {
                let shared = SharedView { view: self.view(), maker, asks, state, guest };
                let reply = ask.reply;
                self.when_durable(move |room| {
                    reply.send(room.map(|_| shared).map_err(Into::into));
                });
            }
            Err(refusal) => self.refuse_once_durable(refusal, ask.reply),
        }
    }
}

impl Answers<ViewListed> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ViewListed> {
        Some(Err(JoinRefusal::NoSuchGroup))
    }

    fn answer(&mut self, ask: Ask<ViewListed>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ViewListed { viewer, has_directory } = ask.question;
        let now = self.context.clock.now().wall;
        let group = self.group.as_ref();
        let seen = group.filter(|group| group.may_preview(viewer, has_directory, now));
        let seen = seen.map(|it| (it.link_asks(SharedLink::Directory), it.state_of(viewer, now)));
        let Some((asks, state)) = seen else {
            return self.refuse_once_durable(JoinRefusal::NoSuchGroup, ask.reply);
        };
        let shared = SharedView { view: self.view(), maker: None, asks, state, guest: None };
        self.when_durable(move |room| {
            ask.reply.send(room.map(|_| shared).map_err(Into::into));
        });
    }
}

impl Answers<ListMessages> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListMessages> {
        Some(Err(ViewRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListMessages>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListMessages { reader, page, limit } = ask.question;
        if !self.may_read(reader) {
            return self.refuse_once_durable(ViewRefusal::NotAMember, ask.reply);
        }
        let admits = move |room: &Self| match room.may_read(reader) {
            true => Ok(()),
            false => Err(ViewRefusal::NotAMember),
        };
        self.answer_page(page, limit, admits, ask.reply, ctx);
    }
}
