//! The rows of a group: settings, members, stays, invites, bots.

use crate::derive::Derivation;
use crate::rows::{BotRow, EventPosition, GroupRow, Seat, SentRow};
use crate::{IndexFault, due, files, images, keys, likes, past};
use domain::alarm::Appointment;
use domain::group::{
    AddRequest, Appeal, AppealSettled, Ban, Bot, Contact, FormerMember, GroupFact, HeldMessage,
    Invite, InviteLink, InviteLinkChange, JoinRequest, Member, MembershipEnd, Moderation, Report,
    Reported, ReportedMessage, Resolved, Role, Settings, Stay, Timeout, forgotten_links,
    is_denial_over,
};
use domain::ids::{AddId, GroupId, HeldId, MessageId, StreamId, UserId};
use domain::limits::{ADD_RESULTS_MILLIS, HELD_MILLIS, STAYS};
use domain::message::Author;
use domain::revision::{Deleter, Revision, RevisionKind};
use domain::time::Timestamp;

/// Old requests to add people that each new one has forgotten: more than one, so that they become
/// fewer.
const FORGOTTEN_ADDS: usize = 4;

/// Old resolved reports that each further resolution drops: more than one, so that they become fewer.
const DROPPED_REPORTS: usize = 4;

impl Derivation<'_> {
    pub(super) fn group(
        &mut self,
        group: GroupId,
        place: EventPosition,
        at: Timestamp,
        fact: &GroupFact,
    ) -> Result<(), IndexFault> {
        let n = place.n;
        match fact {
            // The rows of messages and revisions are written by `Derivation::event`.
            GroupFact::Posted(_) | GroupFact::Revised(_) => Ok(()),
            GroupFact::Created { settings, owner } => self.create(group, n, at, settings, owner),
            GroupFact::MembersJoined { members, .. } => self.join(group, n, at, members),
            GroupFact::MemberLeft { member, parting, .. } => {
                self.touch(group, at, |_| {})?;
                self.unseat(group, place, member, *parting)
            }
            GroupFact::MemberChanged { member, .. } => self.put_member(group, n, member),
            GroupFact::SettingsChanged { settings, .. } => {
                self.touch(group, at, |row| row.settings = settings.clone())?;
                self.list_group(group, settings, at)?;
                self.note_archived(group, settings.archived_at.is_some())?;
                self.note_shown(group, n)
            }
            GroupFact::OwnerChanged { old, new } => {
                self.touch(group, at, |row| row.creator = *new)?;
                self.promote(group, n, *old, Role::Admin)?;
                self.promote(group, n, *new, Role::Owner)?;
                self.note_shown(group, n)
            }
            GroupFact::Polled(change) => self.polled(group, n, at, change),
            // `Derivation::event` has written the rows of the calendar.
            GroupFact::Planned(_) => Ok(()),
            GroupFact::Disbanded { .. } => self.disband(group, place, at),
            GroupFact::Liked(like) => {
                self.like((StreamId::Group(group), n), like, likes::LikeDelta::Given)
            }
            GroupFact::BotAdded(bot) | GroupFact::BotChanged(bot) => self.add_bot(group, bot),
            GroupFact::BotRemoved(bot) => self.remove_bot(group, bot),
            GroupFact::Unliked(like) => {
                self.like((StreamId::Group(group), n), like, likes::LikeDelta::TakenBack)
            }
            GroupFact::AddRequested(request) => {
                self.forget_adds(group, request.at)?;
                let by_time = keys::add_at(group, request.at, request.id);
                self.draft.put(by_time, &request.id)?;
                self.draft.put_bytes(due::open_add(group, request.id), Vec::new());
                self.draft.put(keys::add(group, request.id), request)
            }
            GroupFact::AddSettled { request, results } => {
                self.draft.delete(due::open_add(group, *request));
                let key = keys::add(group, *request);
                let known: Option<AddRequest> = self.draft.get("add", &key)?;
                let Some(mut known) = known else { return Ok(()) };
                if known.is_old(at) {
                    self.draft.delete(key);
                    return Ok(());
                }
                // Only an open request is looked up, and it can name a thousand people.
                known.items.clear();
                known.results = Some(results.clone());
                self.draft.put(key, &known)
            }
            GroupFact::Invited { invites } => {
                invites.iter().try_for_each(|invite| self.invite(group, invite))
            }
            GroupFact::JoinRequested(request) => self.file_join_request(group, request, at),
            GroupFact::RequestSettled { user, by, is_approved } => {
                self.settle_join_request(group, *user, !is_approved && by != user, at)
            }
            GroupFact::Moderated(moderation) => self.moderate(group, moderation, at),
            GroupFact::Topic(change) => self.change_topic(group, change),
            GroupFact::InvitesSettled { contacts, .. } => {
                contacts.iter().for_each(|contact| self.uninvite(group, contact));
                Ok(())
            }
        }
    }

    /// Deletes some of the requests to add people whose results nobody may see any more.
    fn forget_adds(&mut self, group: GroupId, now: Timestamp) -> Result<(), IndexFault> {
        let old = Timestamp::from_millis(now.millis().saturating_sub(ADD_RESULTS_MILLIS));
        let first = keys::add_at(group, Timestamp::default(), AddId::new(0));
        let last = keys::add_at(group, old, AddId::new(u64::MAX));
        for key in self.draft.first_keys(&first, &last, FORGOTTEN_ADDS)? {
            let request: Option<AddId> = self.draft.get("add", &key)?;
            self.draft.delete(key);
            let Some(request) = request else { continue };
            let key = keys::add(group, request);
            let known: Option<AddRequest> = self.draft.get("add", &key)?;
            if known.is_some_and(|known| known.results.is_some()) {
                self.draft.delete(key);
            }
        }
        Ok(())
    }

    fn add_bot(&mut self, group: GroupId, bot: &Bot) -> Result<(), IndexFault> {
        let row = BotRow { group, bot: bot.clone() };
        self.place_bot(group, bot)?;
        self.draft.put(keys::bot_number(bot.number), &())?;
        self.draft.put(keys::bot(&bot.id), &row)?;
        self.draft.put(keys::bot_of_group(group, &bot.id), &row)?;
        self.draft.put(keys::bot_of_creator(bot.creator, &bot.id), &row)
    }

    fn remove_bot(&mut self, group: GroupId, bot: &Bot) -> Result<(), IndexFault> {
        self.displace_bot(group, bot)?;
        self.draft.delete(keys::bot_number(bot.number));
        self.draft.delete(keys::bot(&bot.id));
        self.draft.delete(keys::bot_of_group(group, &bot.id));
        self.draft.delete(keys::bot_of_creator(bot.creator, &bot.id));
        self.forget_callbacks(bot.number)
    }

    fn create(
        &mut self,
        group: GroupId,
        n: u64,
        at: Timestamp,
        settings: &Settings,
        owner: &Member,
    ) -> Result<(), IndexFault> {
        let row = GroupRow {
            settings: settings.clone(),
            creator: owner.user_id,
            created_at: at,
            updated_at: at,
            disbanded: false,
        };
        self.draft.put(keys::group(group), &row)?;
        self.seat(group, n, owner)?;
        self.list_group(group, settings, at)
    }

    fn join(
        &mut self,
        group: GroupId,
        n: u64,
        at: Timestamp,
        members: &[Member],
    ) -> Result<(), IndexFault> {
        self.touch(group, at, |_| {})?;
        self.count_joins(group, members.len() as u64, at)?;
        self.mark_topics_read(group, members, at)?;
        members.iter().try_for_each(|member| {
            self.end_join_request(group, member.user_id)?;
            self.seat(group, n, member)
        })
    }

    fn touch(
        &mut self,
        group: GroupId,
        at: Timestamp,
        change: impl FnOnce(&mut GroupRow),
    ) -> Result<(), IndexFault> {
        let key = keys::group(group);
        let row: Option<GroupRow> = self.draft.get("group", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        row.updated_at = at;
        change(&mut row);
        self.draft.put(key, &row)
    }

    fn seat(&mut self, group: GroupId, n: u64, member: &Member) -> Result<(), IndexFault> {
        self.put_member(group, n, member)?;
        self.draft.delete(keys::former(group, member.user_id));
        let key = keys::seat(member.user_id, group);
        let mut seat: Seat = self.draft.get("seat", &key)?.unwrap_or_default();
        if !seat.is_active() {
            if seat.stays.len() >= STAYS {
                seat.stays.remove(0);
            }
            seat.stays.push(Stay { from_n: n, to_n: None });
            seat.left = false;
        }
        self.draft.put(key, &seat)
    }

    fn unseat(
        &mut self,
        group: GroupId,
        place: EventPosition,
        member: &Member,
        parting: MembershipEnd,
    ) -> Result<(), IndexFault> {
        let user = member.user_id;
        let former = FormerMember { member: member.clone(), parting };
        self.draft.put(keys::former(group, user), &former)?;
        self.set_mute_alarm(group, user, None)?;
        self.draft.delete(keys::member(group, user));
        past::note_member(&mut self.draft, group, place.n, user, None)?;
        self.note_admin(group, user, None)?;
        self.count_leave(group)?;
        self.end_stay(keys::seat(user, group), place, |seat| {
            seat.left = parting == MembershipEnd::Left
        })
    }

    fn end_stay(
        &mut self,
        key: Vec<u8>,
        place: EventPosition,
        change: impl FnOnce(&mut Seat),
    ) -> Result<(), IndexFault> {
        let mut seat: Seat = self.draft.get("seat", &key)?.unwrap_or_default();
        if let Some(stay) = seat.stays.last_mut().filter(|stay| stay.to_n.is_none()) {
            stay.to_n = Some(place.n);
            seat.ended = place.cursor().get();
        }
        change(&mut seat);
        self.draft.put(key, &seat)
    }

    fn invite(&mut self, group: GroupId, invite: &Invite) -> Result<(), IndexFault> {
        self.draft.put_bytes(keys::invitation(&invite.contact, group), Vec::new());
        self.draft.put(keys::invite(group, &invite.contact), invite)
    }

    fn file_join_request(
        &mut self,
        group: GroupId,
        request: &JoinRequest,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let user = request.user.id;
        if request.is_own() {
            let sent = SentRow { group, at, is_denied: false };
            self.draft.put(keys::sent_request(user, group), &sent)?;
        }
        self.draft.put(keys::join_request(group, user), request)
    }

    /// Deletes the request of a user to become a member, if there is one.
    fn end_join_request(&mut self, group: GroupId, user: UserId) -> Result<(), IndexFault> {
        for key in [keys::join_request(group, user), keys::sent_request(user, group)] {
            if self.draft.has(&key)? {
                self.draft.delete(key);
            }
        }
        Ok(())
    }

    fn settle_join_request(
        &mut self,
        group: GroupId,
        user: UserId,
        is_denied: bool,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let sent_key = keys::sent_request(user, group);
        let was_sent = self.draft.has(&sent_key)?;
        self.end_join_request(group, user)?;
        if !is_denied {
            return Ok(());
        }
        // As in the room, a new denial forgets those that are over.
        self.forget_denials(group, |denied_at| is_denial_over(denied_at, at))?;
        self.draft.put(keys::denial(group, user), &(user, at))?;
        if was_sent {
            self.draft.put(sent_key, &SentRow { group, at, is_denied })?;
        }
        Ok(())
    }

    /// Deletes denials with the requests that were denied.
    fn forget_denials(
        &mut self,
        group: GroupId,
        is_over: impl Fn(Timestamp) -> bool,
    ) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::denials(group))? {
            let denial: Option<(UserId, Timestamp)> = self.draft.get("denial", &key)?;
            let Some((user, _)) = denial.filter(|(_, at)| is_over(*at)) else { continue };
            self.draft.delete(key);
            let sent_key = keys::sent_request(user, group);
            let sent: Option<SentRow> = self.draft.get("sent request", &sent_key)?;
            if sent.is_some_and(|sent| sent.is_denied) {
                self.draft.delete(sent_key);
            }
        }
        Ok(())
    }

    fn moderate(
        &mut self,
        group: GroupId,
        moderation: &Moderation,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        match moderation {
            Moderation::Banned(ban) => {
                // As in the room, a new ban forgets those that are over.
                for key in self.draft.keys_below(&keys::bans(group))? {
                    let known: Option<Ban> = self.draft.get("ban", &key)?;
                    if known.is_some_and(|known| known.is_over(at)) {
                        self.draft.delete(key);
                    }
                }
                self.release_held_of(group, ban.user, at)?;
                self.draft.put(keys::ban(group, ban.user), ban)?;
                self.end_join_request(group, ban.user)?;
                self.count_as_removed(group, ban.user)
            }
            Moderation::Unbanned { user, .. } => {
                self.draft.delete(keys::ban(group, *user));
                Ok(())
            }
            Moderation::TimedOut(timeout) => {
                for key in self.draft.keys_below(&keys::timeouts(group))? {
                    let known: Option<Timeout> = self.draft.get("timeout", &key)?;
                    if known.is_some_and(|known| known.until <= at) {
                        self.draft.delete(key);
                    }
                }
                self.draft.put(keys::timeout(group, timeout.user), timeout)
            }
            Moderation::TimeoutEnded { user, .. } => {
                self.draft.delete(keys::timeout(group, *user));
                Ok(())
            }
            Moderation::Reported(reported) => self.report(group, reported, at),
            Moderation::Resolved(resolved) => self.resolve(group, resolved, at),
            Moderation::RuleSaved { rule, .. } => {
                self.draft.put(keys::rule(group, rule.id), &**rule)
            }
            Moderation::RuleDeleted { rule, .. } => {
                self.draft.delete(keys::rule(group, rule.id));
                Ok(())
            }
            // The audit alone names it.
            Moderation::RuleRefused(_) => Ok(()),
            Moderation::Appealed(appeal) => {
                self.draft.put(keys::appeal(group, appeal.user, appeal.act), appeal)
            }
            Moderation::AppealSettled(settled) => self.close_appeal(group, settled),
            Moderation::InviteLink(change) => self.change_invite_link(group, change, at),
            Moderation::Held(held) => self.hold(group, held),
            Moderation::HeldSettled(settled) => {
                self.release_held(group, settled.id, settled.since, at)
            }
        }
    }

    fn change_invite_link(
        &mut self,
        group: GroupId,
        change: &InviteLinkChange,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let key = keys::invite_link(group, change.id());
        if let InviteLinkChange::Made(link) = change {
            self.draft.put(key, link)?;
            let mut known = Vec::new();
            for key in self.draft.keys_below(&keys::invite_links(group))? {
                known.extend(self.draft.get::<InviteLink>("invite link", &key)?);
            }
            for id in forgotten_links(known.iter(), at) {
                self.draft.delete(keys::invite_link(group, id));
            }
            return Ok(());
        }
        let known: Option<InviteLink> = self.draft.get("invite link", &key)?;
        let Some(mut link) = known else { return Ok(()) };
        link.apply(change);
        self.draft.put(key, &link)
    }

    fn report(
        &mut self,
        group: GroupId,
        reported: &Reported,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let Reported { report: id, filing, copy, .. } = reported;
        let key = keys::open_report(group, *id);
        let report = match copy {
            Some(copy) => self.opened(group, reported, copy, at)?,
            None => {
                let known: Option<Report> = self.draft.get("report", &key)?;
                let Some(mut known) = known else { return Ok(()) };
                known.filings.push(filing.clone());
                known
            }
        };
        self.draft.put(key, &report)
    }

    /// A report that its first filing opens. It keeps the files and images of the message.
    fn opened(
        &mut self,
        group: GroupId,
        reported: &Reported,
        copy: &ReportedMessage,
        at: Timestamp,
    ) -> Result<Report, IndexFault> {
        let stream = StreamId::Group(group);
        let kept = MessageId::new(reported.report.get());
        files::kept_by_report(&mut self.draft, stream, kept, &copy.message.attachments)?;
        images::carries(&mut self.draft, stream, kept, &copy.message.attachments)?;
        Ok(Report {
            id: reported.report,
            about: reported.about,
            copy: copy.clone(),
            filings: vec![reported.filing.clone()],
            at,
            resolution: None,
        })
    }

    /// A held message keeps its files and images.
    fn hold(&mut self, group: GroupId, held: &HeldMessage) -> Result<(), IndexFault> {
        let stream = StreamId::Group(group);
        let kept = held.message.id;
        files::kept_by_report(&mut self.draft, stream, kept, &held.message.attachments)?;
        images::carries(&mut self.draft, stream, kept, &held.message.attachments)?;
        let alarm = Appointment::HeldEnds { group, held: held.id() };
        self.reset_alarm(alarm, None, Some(held.ends_at()))?;
        self.draft.put(keys::held(group, held.id()), held)
    }

    fn close_appeal(&mut self, group: GroupId, settled: &AppealSettled) -> Result<(), IndexFault> {
        let key = keys::appeal(group, settled.user, settled.act);
        let known: Option<Appeal> = self.draft.get("appeal", &key)?;
        match known.filter(|appeal| appeal.id == settled.id) {
            Some(known) => self.draft.put(key, &Appeal { is_settled: true, ..known }),
            None => Ok(()),
        }
    }

    /// Removes the held messages of a topic that ends. Their files and images stay, as those of its
    /// messages do.
    pub(crate) fn release_all_held(&mut self, topic: GroupId) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::held_messages(topic))? {
            let known: Option<HeldMessage> = self.draft.get("held message", &key)?;
            if let Some(held) = known {
                let alarm = Appointment::HeldEnds { group: topic, held: held.id() };
                self.reset_alarm(alarm, Some(held.ends_at()), None)?;
            }
            self.draft.delete(key);
        }
        Ok(())
    }

    /// Removes the held messages of a user.
    fn release_held_of(
        &mut self,
        group: GroupId,
        user: UserId,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::held_messages(group))? {
            let known: Option<HeldMessage> = self.draft.get("held message", &key)?;
            if let Some(held) = known.filter(|held| held.user == user) {
                self.release_held(group, held.id(), held.at, at)?;
            }
        }
        Ok(())
    }

    /// Removes a held message that waited since then, and releases its files and images.
    fn release_held(
        &mut self,
        group: GroupId,
        id: HeldId,
        since: Timestamp,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let alarm = Appointment::HeldEnds { group, held: id };
        self.reset_alarm(alarm, Some(since.plus_millis(HELD_MILLIS)), None)?;
        self.draft.delete(keys::held(group, id));
        self.release_kept(group, MessageId::new(id.get()), at)
    }

    /// Releases the files and images that a report or a held message keeps.
    fn release_kept(
        &mut self,
        group: GroupId,
        message: MessageId,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let kind = RevisionKind::Deleted { actor: Deleter::Admin };
        let released = Revision { message, by: Author::System, kind };
        let stream = StreamId::Group(group);
        images::revised(&mut self.draft, stream, at, &released)?;
        files::released_by_report(&mut self.draft, stream, at, message)
    }

    /// Moves a report to the resolved ones, and drops some of those that are too old.
    fn resolve(
        &mut self,
        group: GroupId,
        resolved: &Resolved,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let first = keys::resolved_reports(group);
        for key in self.draft.first_keys(&first, &keys::end_of(&first), DROPPED_REPORTS)? {
            let known: Option<Report> = self.draft.get("report", &key)?;
            if let Some(known) = known.filter(|known| known.is_over(at)) {
                self.release_kept(group, MessageId::new(known.id.get()), at)?;
                self.draft.delete(key);
            }
        }
        let key = keys::open_report(group, resolved.report);
        let known: Option<Report> = self.draft.get("report", &key)?;
        self.draft.delete(key);
        let Some(known) = known else { return Ok(()) };
        let report = Report { resolution: Some(resolved.resolution.clone()), ..known };
        self.draft.put(keys::resolved_report(group, resolved.report), &report)
    }

    /// A user who left counts as removed from now on.
    fn count_as_removed(&mut self, group: GroupId, user: UserId) -> Result<(), IndexFault> {
        let key = keys::former(group, user);
        let former: Option<FormerMember> = self.draft.get("former", &key)?;
        let Some(former) = former else { return Ok(()) };
        self.draft.put(key, &FormerMember { parting: MembershipEnd::Removed, ..former })?;
        let key = keys::seat(user, group);
        let seat: Option<Seat> = self.draft.get("seat", &key)?;
        seat.map_or(Ok(()), |seat| self.draft.put(key, &Seat { left: false, ..seat }))
    }

    fn uninvite(&mut self, group: GroupId, contact: &Contact) {
        self.draft.delete(keys::invitation(contact, group));
        self.draft.delete(keys::invite(group, contact));
    }

    fn promote(
        &mut self,
        group: GroupId,
        n: u64,
        user: UserId,
        role: Role,
    ) -> Result<(), IndexFault> {
        let member: Option<Member> = self.draft.get("member", &keys::member(group, user))?;
        let Some(member) = member else { return Ok(()) };
        self.put_member(group, n, &Member { role, ..member })
    }

    fn put_member(&mut self, group: GroupId, n: u64, member: &Member) -> Result<(), IndexFault> {
        past::note_member(&mut self.draft, group, n, member.user_id, Some(member))?;
        self.note_admin(group, member.user_id, Some(member.role))?;
        self.set_mute_alarm(group, member.user_id, member.mute_ends)?;
        self.draft.put(keys::member(group, member.user_id), member)
    }

    /// Sets the alarm for the end of a member's mute. Called before the member's row is written,
    /// since the previous end is read from it.
    fn set_mute_alarm(
        &mut self,
        group: GroupId,
        user: UserId,
        ends: Option<Timestamp>,
    ) -> Result<(), IndexFault> {
        let known: Option<Member> = self.draft.get("member", &keys::member(group, user))?;
        let before = known.and_then(|member| member.mute_ends);
        self.reset_alarm(Appointment::MuteEnds { group, user }, before, ends)
    }

    /// Notes how a group is shown from event `n` on.
    fn note_shown(&mut self, group: GroupId, n: u64) -> Result<(), IndexFault> {
        let row: Option<GroupRow> = self.draft.get("group", &keys::group(group))?;
        let Some(row) = row else { return Ok(()) };
        past::note_group(&mut self.draft, group, n, &row)
    }

    fn disband(
        &mut self,
        group: GroupId,
        place: EventPosition,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        self.touch(group, at, |row| row.disbanded = true)?;
        self.unlist_group(group)?;
        self.remove_topics(group)?;
        self.silence_polls(group)?;
        self.silence_calendar(group)?;
        for key in self.draft.keys_below(&keys::join_requests(group))? {
            self.end_join_request(group, keys::user_of(&key))?;
        }
        self.forget_denials(group, |_| true)?;
        let reports = [keys::open_reports(group), keys::resolved_reports(group)];
        let acts = [
            keys::bans(group),
            keys::timeouts(group),
            keys::rules(group),
            keys::held_messages(group),
            keys::appeals(group),
            keys::invite_links(group),
        ];
        for prefix in acts.into_iter().chain(reports) {
            for key in self.draft.keys_below(&prefix)? {
                self.draft.delete(key);
            }
        }
        for key in self.draft.keys_below(&keys::bots_of_group(group))? {
            if let Some(row) = self.draft.get::<BotRow>("bot", &key)? {
                self.remove_bot(group, &row.bot)?;
                self.reconsider(row.bot.creator, group)?;
            }
        }
        let mut users: Vec<GroupId> = Vec::new();
        for prefix in [keys::members(group), keys::former_members(group)] {
            users.extend(self.draft.keys_below(&prefix)?.iter().map(|key| keys::group_of(key)));
        }
        for user in users {
            let user = UserId::new(user.get());
            self.set_mute_alarm(group, user, None)?;
            self.end_stay(keys::seat(user, group), place, |seat| seat.disbanded = true)?;
            self.reconsider(user, group)?;
        }
        for key in self.draft.keys_below(&keys::invites(group))? {
            let invite: Option<Invite> = self.draft.get("invite", &key)?;
            let Some(invite) = invite else { continue };
            self.reconsider_invited(group, &invite.contact)?;
            self.uninvite(group, &invite.contact);
        }
        Ok(())
    }
}
