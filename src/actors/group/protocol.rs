//! The questions to a group: who sends them, what the answer is, and what it promises.

use std::sync::Arc;

use crate::ask::Question;
use crate::conversation::MessagePage;
use domain::group::{
    AddItem, AddRefusal, AddResults, Appeal, AppealRefusal, Ban, BanRefusal, Bot, BotChange,
    BotPost, BotRefusal, BrokenRule, ChangeRefusal, DisbandRefusal, FiledReport, Group,
    GroupAuditEntry, GroupCopy, HeldMessage, HeldRefusal, HeldVerdict, JoinAttempt, JoinRefusal,
    JoinRequest, Joining, Maker, Member, MembershipState, MuteRefusal, NewBan, NewBot, NewGroup,
    NewResolution, NewRole, NewTimeout, NewTopic, Newcomer, OwnerRefusal, PostRefusal,
    RemoveRefusal, RenameRefusal, Report, ReportReason, ReportRefusal, RequestRefusal,
    ResultsRefusal, RoleRefusal, Rule, RuleContent, RuleRefusal, Secret, SettingsChange, Timeout,
    TimeoutRefusal, Topic, TopicRefusal, TopicUpdate,
};
use domain::group::{OperatorGroupAct, OperatorGroupRefusal};
use domain::guests::Guest;
use domain::ids::{
    AddId, BotId, GroupId, HeldId, MembershipId, MessageId, ReportId, RuleId, UserId,
};
use domain::message::{Message, NewMessage, ShownMessage};
use domain::notices::Muting;
use domain::text::{Nickname, ReportText};
use domain::time::Timestamp;
use domain::user::Adder;
use index::archive::{Archived, Page};
use wire::group::{DurableGroup, GroupJson};

/// Why a group is not shown to a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ViewRefusal {
    /// The user is no member, or the group does not exist or is disbanded.
    #[error("there is no such group")]
    NotAMember,
}

/// A group as its members may see it. Everything in it is durable when it is sent.
#[derive(Debug, Clone)]
pub struct GroupView {
    /// Settings and members.
    pub group: Arc<Group>,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest message; `None` if there is none.
    pub last: Option<Arc<Message>>,
    /// The number of the newest event (`n`) that is durable.
    pub n: u64,
    /// The JSON of settings and members, shared by all views of this state of the group.
    pub group_json: Arc<GroupJson>,
}

impl GroupView {
    /// Returns the whole group, to be written as JSON.
    pub fn whole(&self) -> DurableGroup<'_> {
        let group = &*self.group;
        let group_json = Some(&*self.group_json);
        DurableGroup::specified(group, group_json, self.count, self.last.as_deref())
    }
}

/// Creates the group. Sent by `http::groups::create` to the room of a fresh id; answered with the
/// group once it is on disk.
#[derive(Debug)]
pub struct CreateGroup {
    /// The group as requested.
    pub new: NewGroup,
    /// The user who creates the group.
    pub owner: Newcomer,
}

impl Question for CreateGroup {
    type Answer = GroupView;
    type Refusal = CreateRefusal;
    const DECIDES: bool = true;
}

/// Creates a group as a copy of another one. Sent by `http::groups::copy` to the room of a fresh id;
/// answered with the group once it is on disk. The people are looked up and added afterwards.
#[derive(Debug)]
pub struct CreateCopy {
    /// What the copy begins with.
    pub copy: GroupCopy,
    /// The user who creates the group.
    pub owner: Newcomer,
}

impl Question for CreateCopy {
    type Answer = GroupView;
    type Refusal = CreateRefusal;
    const DECIDES: bool = true;
}

/// Why a group was not created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateRefusal {
    /// There is a group with the id.
    #[error("there is such a group already")]
    Known,
    /// A rule of the operators refuses its name or description.
    #[error(transparent)]
    Broken(#[from] BrokenRule),
}

/// Shows what is durable. Sent by `http::groups`, `http::members` and `Directory::views`.
#[derive(Debug)]
pub struct ViewGroup {
    /// The user who wants to see the group.
    pub reader: UserId,
}

impl Question for ViewGroup {
    type Answer = GroupView;
    type Refusal = ViewRefusal;
}

/// Adds a message to the log. Sent by `http::messages::create`; answered with the stored message
/// and its JSON once it is on disk. The followers of the journal hear of it in log order.
#[derive(Debug)]
pub struct PostMessage {
    /// The user who writes.
    pub author: UserId,
    /// The message as requested.
    pub message: NewMessage,
}

impl Question for PostMessage {
    type Answer = ShownMessage;
    type Refusal = PostRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Lists messages. Sent by `http::messages`; shows every message that was answered or delivered
/// before, and none that is not durable.
#[derive(Debug)]
pub struct ListMessages {
    /// The user who reads.
    pub reader: UserId,
    /// The page of messages.
    pub page: Page,
    /// Most messages to list.
    pub limit: usize,
}

impl Question for ListMessages {
    type Answer = MessagePage;
    type Refusal = ViewRefusal;
    const IN_TOPICS: bool = true;
}

/// Stores a request to add people. Sent by `http::members::add`; answered once the request is on
/// disk. The people are looked up afterwards, also over a restart.
#[derive(Debug)]
pub struct RequestAdd {
    /// The member who adds people, with the permission of their own room.
    pub by: Adder,
    /// The people to add.
    pub items: Vec<AddItem>,
}

impl Question for RequestAdd {
    type Answer = AddId;
    type Refusal = AddRefusal;
    const DECIDES: bool = true;
}

/// Returns the results of a request to add people. Sent by `http::members::results`.
#[derive(Debug)]
pub struct ShowAddResults {
    /// The member who wants to see the results.
    pub asker: UserId,
    /// The request.
    pub request: AddId,
}

impl Question for ShowAddResults {
    type Answer = AddResults;
    type Refusal = ResultsRefusal;
}

/// Lists liked messages, at most 100. Sent by `http::likes`; shows every like that was answered
/// before.
#[derive(Debug, Clone, Copy)]
pub struct ListLikes {
    /// The user who reads.
    pub reader: UserId,
    /// The page of liked messages.
    pub page: LikesPage,
}

/// The liked messages to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikesPage {
    /// The most liked messages that were written in the last `seconds`.
    Leaders {
        /// How far back to look, in seconds.
        seconds: u64,
    },
    /// The messages that the reader likes, newest like first.
    Mine,
    /// The reader's own messages that others like, newest first.
    ForMe,
}

impl Question for ListLikes {
    type Answer = Vec<(Archived, Option<Timestamp>)>;
    type Refusal = ViewRefusal;
    const IN_TOPICS: bool = true;
}

/// Creates a bot. Sent by `http::bots::create`; answered with the bot once it is on disk.
#[derive(Debug)]
pub struct AddBot {
    /// The member who creates the bot.
    pub maker: Maker,
    /// The bot as requested.
    pub new: NewBot,
    /// The secret with which the bot's callbacks are signed.
    pub secret: Secret,
}

impl Question for AddBot {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

/// Removes a bot. Sent by `http::bots::destroy` and `subscribers::reconciler`.
#[derive(Debug)]
pub struct RemoveBot {
    /// The user who removes the bot.
    pub by: UserId,
    /// The bot, by its secret id.
    pub bot: BotId,
}

impl Question for RemoveBot {
    type Answer = ();
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

/// Changes a bot. Sent by `http::bots`; answered with the bot as it is then.
#[derive(Debug)]
pub struct ChangeBot {
    /// The user who changes the bot.
    pub by: UserId,
    /// The bot, by its secret id.
    pub bot: BotId,
    /// The new values.
    pub change: BotChange,
}

impl Question for ChangeBot {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

/// Gives a bot a new secret. Sent by `http::deliveries::rotate`; the answer is the changed bot.
#[derive(Debug)]
pub struct RotateSecret {
    /// The user who requests it.
    pub by: UserId,
    /// The bot, by its secret id.
    pub bot: BotId,
    /// The new secret.
    pub fresh: Secret,
}

impl Question for RotateSecret {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

/// Switches a bot off. Sent by `subscribers::callbacks` when the bot's listener is gone.
#[derive(Debug)]
pub struct DisableBot {
    /// The bot, as it was when it was called back.
    pub bot: Bot,
}

impl Question for DisableBot {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

/// Adds a bot's message to the log. Sent by `http::bots::post` and `subscribers::callbacks`;
/// answered with the stored message once it is on disk.
#[derive(Debug)]
pub struct PostAsBot {
    /// The bot, by its secret id.
    pub bot: BotId,
    /// The message as requested.
    pub post: BotPost,
}

impl Question for PostAsBot {
    type Answer = Arc<Message>;
    type Refusal = BotRefusal;
    const DECIDES: bool = true;
}

/// Changes settings. Sent by `http::groups::update`; answered with the group.
#[derive(Debug)]
pub struct ChangeSettings {
    /// The member who changes them.
    pub by: UserId,
    /// The new values.
    pub change: SettingsChange,
}

impl Question for ChangeSettings {
    type Answer = GroupView;
    type Refusal = ChangeRefusal;
    const DECIDES: bool = true;
}

/// Disbands the group. Sent by `http::groups::destroy`; from the answer on nobody sees the group.
#[derive(Debug)]
pub struct DisbandGroup {
    /// The user who disbands the group.
    pub by: UserId,
}

impl Question for DisbandGroup {
    type Answer = ();
    type Refusal = DisbandRefusal;
    const DECIDES: bool = true;
}

/// Archives the group, or takes it out of the archive. Sent by `http::groups`; answered with the group
/// once it is on disk.
#[derive(Debug)]
pub struct ArchiveGroup {
    /// The owner.
    pub by: UserId,
    /// Whether it is to be archived.
    pub is_archived: bool,
}

impl Question for ArchiveGroup {
    type Answer = GroupView;
    type Refusal = ChangeRefusal;
    const DECIDES: bool = true;
}

/// Does what an operator asks for. Sent by `http::operator_groups`; answered once it is on disk.
#[derive(Debug)]
pub struct OperateGroup(pub OperatorGroupAct);

impl Question for OperateGroup {
    type Answer = ();
    type Refusal = OperatorGroupRefusal;
    const DECIDES: bool = true;
}

/// Gives the group another owner. Sent by `http::owners::change`.
#[derive(Debug)]
pub struct HandOver {
    /// The owner so far.
    pub by: UserId,
    /// The new owner.
    pub to: UserId,
}

impl Question for HandOver {
    type Answer = ();
    type Refusal = OwnerRefusal;
    const DECIDES: bool = true;
}

/// Ends a membership. Sent by `http::members::remove`; from the answer on the former member sees
/// nothing more.
#[derive(Debug)]
pub struct RemoveMember {
    /// The member who ends it: their own or another's.
    pub by: UserId,
    /// The membership.
    pub membership: MembershipId,
}

impl Question for RemoveMember {
    type Answer = ();
    type Refusal = RemoveRefusal;
    const DECIDES: bool = true;
}

/// Makes a member an admin or a plain member. Sent by `http::members::change_role`; answered with
/// the membership as it is then.
#[derive(Debug)]
pub struct ChangeRole {
    /// The member who changes the role.
    pub by: UserId,
    /// The membership.
    pub membership: MembershipId,
    /// The new role.
    pub role: NewRole,
}

impl Question for ChangeRole {
    type Answer = Member;
    type Refusal = RoleRefusal;
    const DECIDES: bool = true;
}

/// Changes a member's nickname. Sent by `http::members::rename`; answered with the membership as it
/// is then.
#[derive(Debug)]
pub struct RenameMember {
    /// The member whose nickname changes.
    pub by: UserId,
    /// The new nickname.
    pub nickname: Nickname,
}

impl Question for RenameMember {
    type Answer = Member;
    type Refusal = RenameRefusal;
    const DECIDES: bool = true;
}

/// Mutes or unmutes the group for one member. Sent by `http::notices`; answered with the membership
/// as it is then.
#[derive(Debug)]
pub struct MuteGroup {
    /// The member who mutes or unmutes.
    pub by: UserId,
    /// For how long, or that the mute ends.
    pub muting: Muting,
}

impl Question for MuteGroup {
    type Answer = Member;
    type Refusal = MuteRefusal;
    const DECIDES: bool = true;
}

/// Shows the group to anyone who has its share token, member or not. Sent by
/// `http::joining::invitation`; shows what is durable.
#[derive(Debug)]
pub struct ViewShared {
    /// The share token.
    pub token: String,
    /// The user who looks, if they are logged in: a banned one sees nothing.
    pub viewer: Option<UserId>,
}

/// Shows the group to a member, or to anybody if the directory lists it. Sent by `http::original`;
/// shows what is durable.
#[derive(Debug)]
pub struct ViewListed {
    /// The user who looks.
    pub viewer: UserId,
    /// Whether the installation has a directory.
    pub has_directory: bool,
}

impl Question for ViewListed {
    type Answer = SharedView;
    type Refusal = JoinRefusal;
}

/// A group as its link or the directory shows it.
#[derive(Debug)]
pub struct SharedView {
    /// The group.
    pub view: GroupView,
    /// The member who made the link; `None` for the share URL.
    pub maker: Option<UserId>,
    /// Whether people who join this way ask.
    pub asks: bool,
    /// What the viewer is to the group.
    pub state: Option<MembershipState>,
    /// The guest whom the link makes of somebody without an account; `None` if it makes none.
    pub guest: Option<Guest>,
}

impl Question for ViewShared {
    type Answer = SharedView;
    type Refusal = JoinRefusal;
}

/// Bans a user. Sent by `http::bans`; answered with the ban.
#[derive(Debug)]
pub struct BanUser {
    /// The member who bans.
    pub by: UserId,
    /// The ban.
    pub ban: NewBan,
}

impl Question for BanUser {
    type Answer = Ban;
    type Refusal = BanRefusal;
    const DECIDES: bool = true;
}

/// Lifts the ban of a user. Sent by `http::bans`.
#[derive(Debug)]
pub struct UnbanUser {
    /// The member who lifts it.
    pub by: UserId,
    /// The banned user.
    pub user: UserId,
}

impl Question for UnbanUser {
    type Answer = ();
    type Refusal = BanRefusal;
    const DECIDES: bool = true;
}

/// Times a member out. Sent by `http::timeouts`; answered with the timeout.
#[derive(Debug)]
pub struct TimeOutMember {
    /// The member who times the other out.
    pub by: UserId,
    /// The membership.
    pub membership: MembershipId,
    /// The timeout.
    pub timeout: NewTimeout,
}

impl Question for TimeOutMember {
    type Answer = Timeout;
    type Refusal = TimeoutRefusal;
    const DECIDES: bool = true;
}

/// Ends the timeout of a user. Sent by `http::timeouts`.
#[derive(Debug)]
pub struct EndTimeout {
    /// The member who ends it.
    pub by: UserId,
    /// A membership of the user, also one that has ended.
    pub membership: MembershipId,
}

impl Question for EndTimeout {
    type Answer = ();
    type Refusal = TimeoutRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Returns the bans that are not over. Sent by `http::bans::list`.
#[derive(Debug)]
pub struct ListBans {
    /// The member who wants to see them.
    pub reader: UserId,
}

impl Question for ListBans {
    type Answer = Vec<Ban>;
    type Refusal = BanRefusal;
}

/// Returns the user of a membership that lasts or has ended, and whether it lasts. Sent by
/// `http::bans`, which serves paths of clients of the original service.
#[derive(Debug)]
pub struct FindMembership {
    /// The user who names it.
    pub reader: UserId,
    /// The membership.
    pub membership: MembershipId,
}

impl Question for FindMembership {
    type Answer = (UserId, bool);
    type Refusal = BanRefusal;
}

/// Reports a message. Sent by `http::reports`.
#[derive(Debug)]
pub struct FileReport {
    /// The member who reports.
    pub by: UserId,
    /// The message.
    pub message: MessageId,
    /// The reason.
    pub reason: ReportReason,
    /// What the member says about it.
    pub text: Option<ReportText>,
}

impl Question for FileReport {
    type Answer = FiledReport;
    type Refusal = ReportRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Resolves a report. Sent by `http::reports`.
#[derive(Debug)]
pub struct ResolveReport {
    /// The owner or admin.
    pub by: UserId,
    /// The report.
    pub report: ReportId,
    /// What to do about it.
    pub resolution: NewResolution,
}

impl Question for ResolveReport {
    type Answer = ();
    type Refusal = ReportRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Returns a report. Sent by `http::reports::resolve`, which passes it on to the operators.
#[derive(Debug)]
pub struct ViewReport {
    /// The member who wants to resolve it.
    pub reader: UserId,
    /// The report.
    pub report: ReportId,
}

impl Question for ViewReport {
    type Answer = Report;
    type Refusal = ReportRefusal;
    const IN_TOPICS: bool = true;
}

/// Returns reports, the newest first. Sent by `http::reports::list`.
#[derive(Debug)]
pub struct ListReports {
    /// The member who wants to see them.
    pub reader: UserId,
    /// Whether the open ones are wanted, and not the resolved ones.
    pub is_open: bool,
    /// Only reports before this one.
    pub before: Option<ReportId>,
    /// Their number, at most.
    pub most: usize,
}

impl Question for ListReports {
    type Answer = Vec<Report>;
    type Refusal = ReportRefusal;
    const IN_TOPICS: bool = true;
}

/// Returns entries of the audit, the newest first, each with its number. Sent by `http::group_audit`.
#[derive(Debug)]
pub struct ListAudit {
    /// The member who wants to see them.
    pub reader: UserId,
    /// Only entries before this one.
    pub before: Option<u64>,
    /// Their number, at most.
    pub most: usize,
}

impl Question for ListAudit {
    type Answer = Vec<(u64, GroupAuditEntry)>;
    type Refusal = ReportRefusal;
    const IN_TOPICS: bool = true;
}

/// Makes a rule, or replaces the content of one. Sent by `http::rules`.
#[derive(Debug)]
pub struct SaveRule {
    /// The owner or admin.
    pub by: UserId,
    /// The rule; `None` to make one.
    pub rule: Option<RuleId>,
    /// What it says.
    pub content: RuleContent,
}

impl Question for SaveRule {
    type Answer = Arc<Rule>;
    type Refusal = RuleRefusal;
    const DECIDES: bool = true;
}

/// Deletes a rule. Sent by `http::rules`.
#[derive(Debug)]
pub struct DeleteRule {
    /// The owner or admin.
    pub by: UserId,
    /// The rule.
    pub rule: RuleId,
}

impl Question for DeleteRule {
    type Answer = ();
    type Refusal = RuleRefusal;
    const DECIDES: bool = true;
}

/// Returns the rules, oldest first. Sent by `http::rules`.
#[derive(Debug)]
pub struct ListRules {
    /// The member who wants to see them.
    pub reader: UserId,
}

impl Question for ListRules {
    type Answer = Vec<Arc<Rule>>;
    type Refusal = RuleRefusal;
}

/// Returns the rules that a text alone would match, also those that are switched off. Sent by
/// `http::rules`.
#[derive(Debug)]
pub struct TestRules {
    /// The member who tries the text.
    pub by: UserId,
    /// The text.
    pub text: String,
}

impl Question for TestRules {
    type Answer = Vec<Arc<Rule>>;
    type Refusal = RuleRefusal;
}

/// Appeals against the ban or timeout of the caller. Sent by `http::reports`.
#[derive(Debug)]
pub struct FileAppeal {
    /// The user.
    pub user: UserId,
    /// What they say.
    pub text: ReportText,
}

impl Question for FileAppeal {
    type Answer = ReportId;
    type Refusal = AppealRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Returns the open appeals, the newest first. Sent by `http::reports`.
#[derive(Debug)]
pub struct ListAppeals {
    /// The member who wants to see them.
    pub reader: UserId,
}

impl Question for ListAppeals {
    type Answer = Vec<Appeal>;
    type Refusal = ReportRefusal;
    const IN_TOPICS: bool = true;
}

/// Returns the held messages that a member sees, the newest first. Sent by `http::held`.
#[derive(Debug)]
pub struct ListHeld {
    /// The member who wants to see them.
    pub reader: UserId,
}

impl Question for ListHeld {
    type Answer = Vec<Arc<HeldMessage>>;
    type Refusal = HeldRefusal;
    const IN_TOPICS: bool = true;
}

/// Posts a held message, or drops it. Sent by `http::held`.
#[derive(Debug)]
pub struct SettleHeld {
    /// The owner or admin.
    pub by: UserId,
    /// The held message.
    pub held: HeldId,
    /// What they decide.
    pub verdict: HeldVerdict,
}

impl Question for SettleHeld {
    type Answer = ();
    type Refusal = HeldRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Returns the requests to become a member that a member may decide. Sent by
/// `http::join_requests::list`.
#[derive(Debug)]
pub struct ListJoinRequests {
    /// The member who wants to see them.
    pub reader: UserId,
}

impl Question for ListJoinRequests {
    type Answer = Vec<JoinRequest>;
    type Refusal = RequestRefusal;
}

/// Approves or denies a request to become a member. Sent by `http::join_requests`.
#[derive(Debug)]
pub struct DecideJoinRequest {
    /// The member who decides.
    pub by: UserId,
    /// The membership that the request is for.
    pub membership: MembershipId,
    /// Whether the request is approved.
    pub is_approved: bool,
}

impl Question for DecideJoinRequest {
    type Answer = ();
    type Refusal = RequestRefusal;
    const DECIDES: bool = true;
}

/// Withdraws a request to become a member. Sent by `http::join_requests`; answered alike without
/// one.
#[derive(Debug)]
pub struct WithdrawJoinRequest {
    /// The user who asked to join.
    pub user: UserId,
}

impl Question for WithdrawJoinRequest {
    type Answer = ();
    type Refusal = RequestRefusal;
    const DECIDES: bool = true;
}

/// Joins by a link or from the directory, or asks to. Sent by `http::joining::join`; answered with the group.
#[derive(Debug)]
pub struct JoinShared {
    /// The user who joins.
    pub user: Newcomer,
    /// The link, if there is one, and the answer to the question.
    pub attempt: JoinAttempt,
}

/// The group, and what became of the user who wanted to join it.
#[derive(Debug, Clone)]
pub struct JoinedView {
    /// The group; who asks sees a preview of it.
    pub view: GroupView,
    /// What became of the user.
    pub joining: Joining,
}

impl Question for JoinShared {
    type Answer = JoinedView;
    type Refusal = JoinRefusal;
    const DECIDES: bool = true;
}

/// Returns to a group that the user has left. Sent by `http::joining`; answered with the group.
#[derive(Debug)]
pub struct RejoinGroup {
    /// The user who returns.
    pub user: Newcomer,
}

impl Question for RejoinGroup {
    type Answer = GroupView;
    type Refusal = JoinRefusal;
    const DECIDES: bool = true;
}

/// Lists the topics, oldest first. Sent by `http::topics::list`.
#[derive(Debug)]
pub struct ListTopics {
    /// The member who reads.
    pub reader: UserId,
}

impl Question for ListTopics {
    type Answer = Vec<Arc<Topic>>;
    type Refusal = TopicRefusal;
}

/// Makes a topic. Sent by `http::topics::create`.
#[derive(Debug)]
pub struct MakeTopic {
    /// The owner or admin.
    pub by: UserId,
    /// The topic.
    pub new: NewTopic,
}

impl Question for MakeTopic {
    type Answer = Arc<Topic>;
    type Refusal = TopicRefusal;
    const DECIDES: bool = true;
}

/// Changes a topic. Sent by `http::topics::update`.
#[derive(Debug)]
pub struct UpdateTopic {
    /// The owner or admin.
    pub by: UserId,
    /// The topic.
    pub topic: GroupId,
    /// What is to change.
    pub update: TopicUpdate,
}

impl Question for UpdateTopic {
    type Answer = Arc<Topic>;
    type Refusal = TopicRefusal;
    const DECIDES: bool = true;
}

/// Removes a topic with its messages. Sent by `http::topics::remove`.
#[derive(Debug)]
pub struct RemoveTopic {
    /// The owner or admin.
    pub by: UserId,
    /// The topic.
    pub topic: GroupId,
}

impl Question for RemoveTopic {
    type Answer = ();
    type Refusal = TopicRefusal;
    const DECIDES: bool = true;
}
