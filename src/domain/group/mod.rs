//! A group: its settings, its members, and what each fact changes in them.
//!
//! The rules are in the files of this folder, one for each family; this file only applies facts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::audience::Audience;
use crate::calendar::Calendar;
use crate::dedup::GuidMemory;
use crate::ids::{AddId, BotId, GroupId, MessageId, UserId};
use crate::message::Message;
use crate::notices::Muters;
use crate::pins::Pins;
use crate::polls::Polls;
use crate::time::{Moment, Timestamp};

mod additions;
mod admission;
mod appeals;
mod audit;
mod bans;
mod bot_changes;
mod bot_habits;
mod bot_oversight;
mod bots;
mod calendar;
mod compiled_rules;
mod confidential;
mod conversation;
mod copies;
mod creation;
mod departure;
mod directory;
mod fact;
#[cfg(test)]
pub(crate) mod fixtures;
mod held;
mod invitations;
mod invite_links;
mod joins;
mod member_activity;
mod membership;
mod moderation;
mod mutes;
mod ownership;
pub mod permissions;
mod polls;
mod posts;
mod reports;
mod requests;
mod roles;
mod rules;
mod settings;
mod slow_mode;
mod standstill;
mod timeouts;
mod topics;
mod writings;

pub use additions::{
    AddItem, AddRefusal, AddRequest, AddResults, LookupResult, LookupTarget, ResultsRefusal, Who,
};
pub use admission::{
    Admission, AdmissionChange, JoinAnswer, MembershipState, USUAL_QUESTION, is_denial_over,
};
pub use appeals::{Appeal, AppealRefusal, AppealSettled, AppealedAct, Appeals};
pub use audit::{AuditedAct, AuditedRule, GroupAuditEntry};
pub use bans::{Ban, BanRefusal, NewBan};
pub use bot_changes::BotChange;
pub use bot_habits::{BotCommand, BotHabits, HabitsChange};
pub use bot_oversight::BotInGroup;
pub use bots::{Bot, BotPost, BotRefusal, Maker, NewBot, Secret, Validity, hears};
pub use compiled_rules::{CompiledRules, NOBODY, RunningRules, refused_new_group};
pub use copies::{CopyOptions, CopyRefusal, GroupCopy};
pub use creation::{NewGroup, Newcomer};
pub use directory::{DirectoryOrder, DirectoryQuery, FoundGroup, FoundGroups};
pub use fact::{FormerMember, GroupFact, Member, MembershipEnd, MentionAll, Settings, Stay};
pub use held::{HeldMessage, HeldMessages, HeldRefusal, HeldSettled, HeldState, HeldVerdict};
pub use invitations::{Contact, Invite};
pub use invite_links::{
    Addressee, EmailInvitee, InviteLink, InviteLinkChange, InviteLinkRefusal, InviteLinkState,
    InviteLinks, LinkApproval, NewInviteLink, SharedLink, forgotten_links,
};
pub use joins::{JoinAttempt, JoinRefusal, JoinWay, Joining};
pub use member_activity::{ActivityFromLog, MemberActivity};
pub use membership::{RemoveRefusal, RenameRefusal};
pub use moderation::Moderation;
pub use mutes::MuteRefusal;
pub use ownership::{DisbandRefusal, OwnerRefusal};
pub use permissions::{BrokenRule, Denied, GroupAct, GroupKind, Role, TopicKind};
pub use posts::PostRefusal;
pub use reports::{
    FiledReport, Filing, NewResolution, OpenReports, Report, ReportAction, ReportReason,
    ReportRefusal, Reported, ReportedMessage, Resolution, Resolved, UnresolvedReport,
};
pub use requests::{
    AddressTrust, JoinRequest, RequestLink, RequestOrigin, RequestRefusal, SentRequest,
};
pub use roles::{NewRole, RoleRefusal};
pub(crate) use rules::saved_rule;
pub use rules::{
    AttachmentType, LinkHosts, NamedRule, NewcomerLimit, NewcomerSpan, PostRate, RefusedPost, Rule,
    RuleAction, RuleContent, RuleHost, RuleKind, RuleListRefusal, RulePattern, RuleRefusal, Rules,
    WordList,
};
pub use settings::{ChangeRefusal, RevisionPolicyChange, SettingsChange};
pub use slow_mode::{LastPosts, LastPostsFromLog};
pub use standstill::{Freeze, OperatorGroupAct, OperatorGroupRefusal};
pub use timeouts::{NewTimeout, Timeout, TimeoutEnd, TimeoutRefusal};
pub use topics::{
    NewTopic, Topic, TopicChange, TopicLog, TopicParent, TopicRefusal, TopicUpdate, Topics,
};

/// A group as its room knows it: everything decided, durable or not. Serialized as an answer for
/// another node, it lacks what only the room needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Group {
    /// The group's id.
    pub id: GroupId,
    /// Name, description, picture and so on.
    pub settings: Settings,
    /// The owner.
    pub creator: UserId,
    /// When the group was created.
    pub created_at: Timestamp,
    /// When the settings, the owner or the set of members last changed.
    pub updated_at: Timestamp,
    /// The members. Shared, so that an answer can hold them without a copy.
    pub members: Arc<BTreeMap<UserId, Arc<Member>>>,
    /// The users who were members and are not now.
    #[serde(skip)]
    pub former: BTreeMap<UserId, FormerMember>,
    /// Whether the group was disbanded.
    pub disbanded: bool,
    /// How many messages were posted.
    pub count: u64,
    /// The pinned messages.
    pub pins: Pins,
    /// The open polls.
    #[serde(skip)]
    pub polls: Polls,
    /// The calendar events.
    #[serde(skip)]
    pub calendar: Calendar,
    /// The members who muted the group.
    #[serde(skip)]
    muters: Muters,
    /// The newest message.
    pub last: Option<Arc<Message>>,
    /// The timeouts by user, also some that are over. Shared, so that an answer can hold them.
    #[serde(default)]
    pub timeouts: Arc<BTreeMap<UserId, Timeout>>,
    /// The messages of the last minute, by guid, to refuse repeats.
    #[serde(skip)]
    pub guids: GuidMemory<MessageId>,
    /// The requests to add people that are not settled.
    #[serde(skip)]
    pub open_adds: BTreeMap<AddId, AddRequest>,
    /// The bots.
    #[serde(skip)]
    pub bots: BTreeMap<BotId, Bot>,
    /// The invites of people who have no account yet.
    #[serde(skip)]
    pub invites: BTreeMap<Contact, Invite>,
    /// The open requests to become a member, by user.
    #[serde(skip)]
    pub requests: BTreeMap<UserId, JoinRequest>,
    /// When users were denied to join, by user, also some denials that are over.
    #[serde(skip)]
    denials: BTreeMap<UserId, Timestamp>,
    /// The bans by user, also some that are over.
    #[serde(skip)]
    pub bans: BTreeMap<UserId, Ban>,
    /// The reports that nobody resolved.
    #[serde(skip)]
    open_reports: OpenReports,
    /// The last posts of members, for slow mode.
    #[serde(skip)]
    last_posts: LastPosts,
    /// The rules.
    #[serde(skip)]
    rules: Rules,
    /// What members did lately, for rules.
    #[serde(skip)]
    activity: MemberActivity,
    /// The messages that wait for approval.
    #[serde(skip)]
    held: HeldMessages,
    /// Appeals against bans and timeouts.
    #[serde(skip)]
    appeals: Appeals,
    /// The invite links.
    #[serde(skip)]
    invite_links: InviteLinks,
    #[serde(skip)]
    audience: Audience,
    /// The topics.
    #[serde(skip)]
    topics: Topics,
    /// What a topic has from its group; `None` for a group.
    #[serde(skip)]
    parent: Option<Arc<TopicParent>>,
}

/// The parts of a group that are stored while its room does not run.
#[derive(Debug, Clone)]
pub struct GroupParts {
    /// Name, description, picture and so on.
    pub settings: Settings,
    /// The owner.
    pub creator: UserId,
    /// When the group was created.
    pub created_at: Timestamp,
    /// When the settings, the owner or the set of members last changed.
    pub updated_at: Timestamp,
    /// Whether the group was disbanded.
    pub disbanded: bool,
    /// The members.
    pub members: Vec<Member>,
    /// The users who were members and are not now.
    pub former: Vec<FormerMember>,
    /// Requests to add people that are not settled.
    pub open_adds: Vec<AddRequest>,
    /// The bots.
    pub bots: Vec<Bot>,
    /// The invites of people who have no account yet.
    pub invites: Vec<Invite>,
    /// The open requests to become a member.
    pub requests: Vec<JoinRequest>,
    /// When users were denied to join.
    pub denials: Vec<(UserId, Timestamp)>,
    /// The bans.
    pub bans: Vec<Ban>,
    /// The timeouts.
    pub timeouts: Vec<Timeout>,
    /// The pinned messages.
    pub pins: Pins,
    /// The open polls.
    pub polls: Polls,
    /// The calendar events.
    pub calendar: Calendar,
    /// The newest message.
    pub last: Option<Arc<Message>>,
    /// The messages of the last minute, by guid.
    pub guids: GuidMemory<MessageId>,
    /// The open reports.
    pub open_reports: OpenReports,
    /// The last posts of members since slow mode changed.
    pub last_posts: LastPosts,
    /// The rules.
    pub rules: Rules,
    /// What members did lately, for rules.
    pub activity: MemberActivity,
    /// The messages that wait for approval.
    pub held: HeldMessages,
    /// Appeals against bans and timeouts.
    pub appeals: Appeals,
    /// The invite links.
    pub invite_links: InviteLinks,
    /// The topics.
    pub topics: Vec<Topic>,
}

impl GroupParts {
    /// The parts of a new group, before it has members.
    pub fn new(settings: Settings, creator: UserId, at: Timestamp) -> Self {
        Self {
            settings,
            creator,
            created_at: at,
            updated_at: at,
            disbanded: false,
            members: Vec::new(),
            former: Vec::new(),
            open_adds: Vec::new(),
            bots: Vec::new(),
            invites: Vec::new(),
            requests: Vec::new(),
            denials: Vec::new(),
            bans: Vec::new(),
            timeouts: Vec::new(),
            pins: Pins::default(),
            polls: Polls::default(),
            calendar: Calendar::default(),
            last: None,
            guids: GuidMemory::default(),
            last_posts: LastPosts::default(),
            open_reports: OpenReports::new(),
            rules: Rules::default(),
            activity: MemberActivity::default(),
            held: HeldMessages::new(),
            appeals: Appeals::new(),
            invite_links: InviteLinks::new(),
            topics: Vec::new(),
        }
    }
}

impl Group {
    /// The group that its first fact creates.
    pub fn created(id: GroupId, settings: Settings, owner: Member, at: Timestamp) -> Self {
        let parts = GroupParts::new(settings, owner.user_id, at);
        Self::assembled(id, GroupParts { members: vec![owner], ..parts })
    }

    /// Restores a group from what was stored.
    pub fn assembled(id: GroupId, parts: GroupParts) -> Self {
        let mut group = Self {
            id,
            settings: parts.settings,
            creator: parts.creator,
            created_at: parts.created_at,
            updated_at: parts.updated_at,
            members: Arc::new(
                parts.members.into_iter().map(|it| (it.user_id, it.into())).collect(),
            ),
            former: parts.former.into_iter().map(|it| (it.member.user_id, it)).collect(),
            disbanded: parts.disbanded,
            count: parts.last.as_ref().map_or(0, |message| message.count),
            last: parts.last,
            guids: parts.guids,
            open_adds: parts.open_adds.into_iter().map(|request| (request.id, request)).collect(),
            bots: parts.bots.into_iter().map(|bot| (bot.id.clone(), bot)).collect(),
            invites: parts.invites.into_iter().map(|it| (it.contact.clone(), it)).collect(),
            requests: parts.requests.into_iter().map(|it| (it.user.id, it)).collect(),
            denials: parts.denials.into_iter().collect(),
            timeouts: Arc::new(parts.timeouts.into_iter().map(|it| (it.user, it)).collect()),
            bans: parts.bans.into_iter().map(|it| (it.user, it)).collect(),
            pins: parts.pins,
            polls: parts.polls,
            calendar: parts.calendar,
            last_posts: parts.last_posts,
            open_reports: parts.open_reports,
            rules: parts.rules,
            activity: parts.activity,
            held: parts.held,
            appeals: parts.appeals,
            invite_links: parts.invite_links,
            muters: Muters::default(),
            audience: Audience::nobody(),
            topics: Arc::new(parts.topics.into_iter().map(|it| (it.id, it.into())).collect()),
            parent: None,
        };
        let muters = group.members.values().filter(|member| member.muted);
        group.muters = Arc::new(muters.map(|member| member.user_id).collect());
        group.rebuild_audience();
        group
    }

    /// A copy of the group for others to look at, without what only its room needs.
    pub fn shared_copy(&self) -> Arc<Self> {
        Arc::new(Self {
            id: self.id,
            settings: self.settings.clone(),
            creator: self.creator,
            created_at: self.created_at,
            updated_at: self.updated_at,
            members: Arc::clone(&self.members),
            former: BTreeMap::new(),
            disbanded: self.disbanded,
            count: self.count,
            last: self.last.clone(),
            guids: GuidMemory::default(),
            open_adds: BTreeMap::new(),
            bots: BTreeMap::new(),
            invites: BTreeMap::new(),
            requests: BTreeMap::new(),
            denials: BTreeMap::new(),
            bans: BTreeMap::new(),
            last_posts: LastPosts::default(),
            open_reports: OpenReports::new(),
            rules: Rules::default(),
            activity: MemberActivity::default(),
            held: HeldMessages::new(),
            appeals: Appeals::new(),
            invite_links: InviteLinks::new(),
            timeouts: Arc::clone(&self.timeouts),
            pins: Pins::default(),
            polls: Polls::default(),
            calendar: Calendar::default(),
            muters: Arc::clone(&self.muters),
            audience: self.audience.clone(),
            topics: Arc::clone(&self.topics),
            parent: self.parent.clone(),
        })
    }

    /// Returns this user's membership; `None` if they are no member or the group was disbanded.
    pub fn member(&self, user: UserId) -> Option<&Member> {
        self.members.get(&user).map(|member| &**member).filter(|_| !self.disbanded)
    }

    /// The users who receive events now: the members.
    pub const fn audience(&self) -> &Audience {
        &self.audience
    }

    /// The audience of a fact: everybody who is in the group before it or after it; some of them for
    /// a confidential one, and nobody for a fact that only the room needs.
    pub fn audience_of(&self, fact: &GroupFact) -> Audience {
        match fact {
            GroupFact::MembersJoined { members, .. } => {
                self.audience.and(members.iter().map(|member| member.user_id))
            }
            GroupFact::AddRequested(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::Invited { .. }
            | GroupFact::InvitesSettled { .. } => Audience::nobody(),
            GroupFact::JoinRequested(_)
            | GroupFact::RequestSettled { .. }
            | GroupFact::Moderated(_) => self.confidants(fact),
            GroupFact::Created { owner, .. } => Audience::of([owner.user_id]),
            GroupFact::Posted(_)
            | GroupFact::MemberLeft { .. }
            | GroupFact::MemberChanged { .. }
            | GroupFact::SettingsChanged { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::Disbanded { .. }
            | GroupFact::Liked(_)
            | GroupFact::Unliked(_)
            | GroupFact::BotAdded(_)
            | GroupFact::BotRemoved(_)
            | GroupFact::BotChanged(_)
            | GroupFact::Revised(_)
            | GroupFact::Polled(_)
            | GroupFact::Planned(_)
            | GroupFact::Topic(_) => self.audience.clone(),
        }
    }

    /// Applies a fact. Deterministic: ids, times and names are inside the fact.
    pub fn apply(&mut self, at: Timestamp, fact: &GroupFact, now: Moment) {
        match fact {
            GroupFact::Created { .. } => debug_assert!(false, "a group is created once"),
            GroupFact::Posted(message) => self.note_message(message, at, now),
            GroupFact::MembersJoined { members, .. } => {
                self.updated_at = at;
                for member in members {
                    self.requests.remove(&member.user_id);
                    self.activity.note_join(member.user_id, at);
                    self.seat(member.clone());
                }
            }
            GroupFact::MemberLeft { member, parting, .. } => {
                self.updated_at = at;
                self.unseat(member.user_id, *parting);
            }
            GroupFact::MemberChanged { member, .. } => {
                self.seat(member.clone());
            }
            GroupFact::SettingsChanged { settings, .. } => {
                self.updated_at = at;
                self.set_settings(settings);
            }
            GroupFact::OwnerChanged { new, .. } => self.hand_over(*new, at),
            GroupFact::Disbanded { .. } => self.close(),
            GroupFact::Polled(change) => self.polls.apply(at, change),
            GroupFact::Planned(change) => self.calendar.apply(at, change),
            GroupFact::Revised(revision) => {
                self.pins.apply(revision);
                self.polls.revised(revision);
                self.calendar.revised(revision);
                if let Some(last) = self.last.as_mut()
                    && let Some(revised) = last.after_revision(revision, at)
                {
                    *last = Arc::new(revised);
                }
            }
            // The room keeps likes beside the messages.
            GroupFact::Liked(_) | GroupFact::Unliked(_) => {}
            GroupFact::BotAdded(bot) | GroupFact::BotChanged(bot) => {
                self.bots.insert(bot.id.clone(), bot.clone());
            }
            GroupFact::BotRemoved(bot) => {
                self.bots.remove(&bot.id);
            }
            GroupFact::AddRequested(request) => {
                self.open_adds.insert(request.id, request.clone());
            }
            GroupFact::AddSettled { request, .. } => {
                self.open_adds.remove(request);
            }
            GroupFact::Invited { invites } => {
                let named = invites.iter().map(|it| (it.contact.clone(), it.clone()));
                self.invites.extend(named);
            }
            GroupFact::JoinRequested(request) => self.file(request.clone(), at),
            GroupFact::RequestSettled { user, by, is_approved } => {
                self.settle_request(*user, *by, *is_approved, at);
            }
            GroupFact::Moderated(moderation) => self.moderate(moderation, at),
            GroupFact::Topic(change) => self.apply_topic_change(change),
            GroupFact::InvitesSettled { contacts, .. } => {
                self.invites.retain(|contact, _| !contacts.contains(contact));
            }
        }
        self.rebuild_audience();
        debug_assert!(
            self.disbanded || self.members.contains_key(&self.creator),
            "the roster always holds the creator"
        );
    }

    fn close(&mut self) {
        self.disbanded = true;
        self.invites.clear();
        self.requests.clear();
        self.denials.clear();
        self.bans.clear();
        self.open_reports.clear();
        self.rules = Rules::default();
        self.activity = MemberActivity::default();
        self.held.clear();
        self.appeals.clear();
        self.invite_links.clear();
    }

    fn set_settings(&mut self, settings: &Settings) {
        if settings.slow_mode != self.settings.slow_mode {
            self.last_posts = LastPosts::default();
        }
        self.settings = settings.clone();
    }

    fn note_message(&mut self, message: &Arc<Message>, at: Timestamp, now: Moment) {
        self.note_last_post(message, at);
        self.note_activity(message, at);
        debug_assert_eq!(message.count, self.count + 1, "messages are counted without a hole");
        self.count = message.count;
        self.last = Some(Arc::clone(message));
        self.guids.remember(message, now.mono);
    }

    fn seat(&mut self, member: Member) {
        self.former.remove(&member.user_id);
        self.note_mute(member.user_id, member.muted);
        Arc::make_mut(&mut self.members).insert(member.user_id, Arc::new(member));
    }

    fn unseat(&mut self, user: UserId, parting: MembershipEnd) {
        self.note_mute(user, false);
        if let Some(member) = Arc::make_mut(&mut self.members).remove(&user) {
            let member = Arc::unwrap_or_clone(member);
            self.former.insert(user, FormerMember { member, parting });
        }
    }

    fn note_mute(&mut self, user: UserId, is_muted: bool) {
        if is_muted {
            Arc::make_mut(&mut self.muters).insert(user);
        } else if self.muters.contains(&user) {
            Arc::make_mut(&mut self.muters).remove(&user);
        }
    }

    /// All members, in the order of their users.
    pub fn all_members(&self) -> impl Iterator<Item = &Member> {
        self.members.values().map(|member| &**member)
    }

    /// The members who muted the group; `None` if nobody did.
    pub fn muters(&self) -> Option<Muters> {
        (!self.muters.is_empty()).then(|| Arc::clone(&self.muters))
    }

    fn hand_over(&mut self, new: UserId, at: Timestamp) {
        let members = Arc::make_mut(&mut self.members);
        if let Some(old) = members.get_mut(&self.creator) {
            Arc::make_mut(old).role = Role::Admin;
        }
        if let Some(owner) = members.get_mut(&new) {
            Arc::make_mut(owner).role = Role::Owner;
        }
        self.creator = new;
        self.updated_at = at;
    }

    /// Rebuilds the audience if the set of members changed. No fact both adds and removes members.
    fn rebuild_audience(&mut self) {
        if self.audience.users().len() != self.members.len() {
            self.audience = Audience::of(self.members.keys().copied());
        }
        debug_assert!(self.audience.users().iter().eq(self.members.keys()), "a stale audience");
    }
}
