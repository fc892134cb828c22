//! What a group can be asked: who asks, what comes back, what is promised.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Question, Travel};
use crate::actors::paging::MessagePage;
use crate::domain::group::{
    AddItem, AddRefusal, AddResults, Bot, BotChange, BotPost, BotRefusal, ChangeRefusal,
    DisbandRefusal, Group, JoinRefusal, Maker, Member, MuteRefusal, NewBot, NewGroup, OwnerRefusal,
    PostRefusal, RemoveRefusal, RenameRefusal, ResultsRefusal, Secret, SettingsChange, Starter,
};
use crate::domain::ids::{AddId, BotId, MembershipId, UserId};
use crate::domain::message::{Message, NewMessage, ShownMessage};
use crate::domain::notices::Muting;
use crate::domain::text::Nickname;
use crate::domain::time::Timestamp;
use crate::index::archive::{Archived, Page};
use crate::wire::group::{GroupJson, Whole};

/// Why a group shows nothing to somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ViewRefusal {
    /// Also for a group that does not exist or is gone.
    #[error("there is no such group")]
    NotAMember,
}

/// A group as its members may see it: everything in it is durable when it is answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GroupView {
    /// Settings and members.
    pub group: Arc<Group>,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest message.
    pub last: Option<Arc<Message>>,
    /// The number of the newest event.
    pub n: u64,
    /// The JSON of settings and members, shared by those who show this group.
    #[serde(skip)]
    pub group_json: Arc<GroupJson>,
}

impl GroupView {
    /// As JSON has it.
    pub fn whole(&self) -> Whole<'_> {
        let (group, group_json) = (&*self.group, Some(&*self.group_json));
        Whole { group, group_json, count: self.count, last: self.last.as_deref() }
    }
}

/// Makes the group exist. Asked by `http::groups::create` of a room with a fresh id;
/// answers with the group, which is on disk by then.
#[derive(Debug, Serialize, Deserialize)]
pub struct CreateGroup {
    /// As asked for.
    pub new: NewGroup,
    /// Who creates it.
    pub owner: Starter,
}

impl Question for CreateGroup {
    type Answer = GroupView;
    type Refusal = ViewRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("CreateGroup"));
}

/// Shows the group. Asked by `http::groups` and `http::sync`; shows what is durable.
#[derive(Debug)]
pub struct ViewGroup {
    /// Who wants to see it.
    pub reader: UserId,
}

impl Question for ViewGroup {
    type Answer = GroupView;
    type Refusal = ViewRefusal;
}

/// Adds one message to the log. Asked by `http::messages::create`; answers with the
/// stored message and its JSON, which is on disk by then. Those who follow the journal hear of it in
/// log order.
#[derive(Debug, Serialize, Deserialize)]
pub struct PostMessage {
    /// Who writes.
    pub author: UserId,
    /// What.
    pub message: NewMessage,
}

impl Question for PostMessage {
    type Answer = ShownMessage;
    type Refusal = PostRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::posting("PostMessage"));
}

/// Lists messages. Asked by `http::messages::list` and `http::sync`; shows every
/// message that was answered or heard of before, and none that is not durable.
#[derive(Debug)]
pub struct ListMessages {
    /// Who reads.
    pub reader: UserId,
    /// Which ones.
    pub page: Page,
    /// How many at most.
    pub limit: usize,
}

impl Question for ListMessages {
    type Answer = MessagePage;
    type Refusal = ViewRefusal;
}

/// Keeps a request to add people. Asked by `http::members::add`; answers as soon as the
/// request is on disk; people are looked up afterwards, also over a restart.
#[derive(Debug, Serialize, Deserialize)]
pub struct RequestAdd {
    /// Who asks.
    pub by: UserId,
    /// Whom to add.
    pub items: Vec<AddItem>,
}

impl Question for RequestAdd {
    type Answer = AddId;
    type Refusal = AddRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RequestAdd"));
}

/// Tells what came of a request. Asked by `http::members::results`.
#[derive(Debug)]
pub struct ShowAddResults {
    /// Who wants to know.
    pub asker: UserId,
    /// Of which request.
    pub request: AddId,
}

impl Question for ShowAddResults {
    type Answer = AddResults;
    type Refusal = ResultsRefusal;
}

/// Lists liked messages, at most 100. Asked by `http::likes`; shows every like that was
/// answered before.
#[derive(Debug, Clone, Copy)]
pub struct ListLikes {
    /// Who reads.
    pub reader: UserId,
    /// Which ones.
    pub page: LikesPage,
}

/// Which liked messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikesPage {
    /// The most liked ones written in the last so many seconds.
    Leaders {
        /// How far back.
        seconds: u64,
    },
    /// Those the reader likes, newest like first.
    Mine,
    /// The reader's own that others like, newest first.
    ForMe,
}

impl Question for ListLikes {
    type Answer = Vec<(Archived, Option<Timestamp>)>;
    type Refusal = ViewRefusal;
}

/// Makes a bot. Asked by `http::bots::create`; answers with the bot, which is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct AddBot {
    /// Who makes it.
    pub maker: Maker,
    /// As asked for.
    pub new: NewBot,
    /// With what its callbacks are signed.
    pub secret: Secret,
}

impl Question for AddBot {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("AddBot"));
}

/// Removes a bot. Asked by `http::bots::destroy`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveBot {
    /// Who requests it.
    pub by: UserId,
    /// The bot, by its secret id.
    pub bot: BotId,
}

impl Question for RemoveBot {
    type Answer = ();
    type Refusal = BotRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RemoveBot"));
}

/// Changes a bot. Asked by `http::bots::update`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangeBot {
    /// Whose request it is.
    pub by: UserId,
    /// The bot, by its secret id.
    pub bot: BotId,
    /// What is to be different.
    pub change: BotChange,
}

impl Question for ChangeBot {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ChangeBot"));
}

/// Gives a bot another secret. Asked by `http::bots::rotate`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RotateSecret {
    /// Whose request it is.
    pub by: UserId,
    /// Which bot.
    pub bot: BotId,
    /// The secret from now on.
    pub fresh: Secret,
}

impl Question for RotateSecret {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RotateSecret"));
}

/// Switches a bot off. Asked by those who carry callbacks, when its listener is gone.
#[derive(Debug, Serialize, Deserialize)]
pub struct DisableBot {
    /// Which, as it was when it was called.
    pub bot: Bot,
}

impl Question for DisableBot {
    type Answer = Bot;
    type Refusal = BotRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("DisableBot"));
}

/// Adds a bot's message to the log. Asked by `http::bots::post`; answers with the stored
/// message, which is on disk by then.
#[derive(Debug, Serialize, Deserialize)]
pub struct PostAsBot {
    /// Which bot.
    pub bot: BotId,
    /// What it says.
    pub post: BotPost,
}

impl Question for PostAsBot {
    type Answer = Arc<Message>;
    type Refusal = BotRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::posting_as_bot("PostAsBot"));
}

/// Changes settings. Asked by `http::groups::update`; answers with the group.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangeSettings {
    /// Who changes them.
    pub by: UserId,
    /// Which, to what.
    pub change: SettingsChange,
}

impl Question for ChangeSettings {
    type Answer = GroupView;
    type Refusal = ChangeRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ChangeSettings"));
}

/// Ends the group. Asked by `http::groups::destroy`; from the answer on nobody sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct DisbandGroup {
    /// Who ends it.
    pub by: UserId,
}

impl Question for DisbandGroup {
    type Answer = ();
    type Refusal = DisbandRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("DisbandGroup"));
}

/// Gives the group another owner. Asked by `http::owners::change`.
#[derive(Debug, Serialize, Deserialize)]
pub struct HandOver {
    /// Who has it.
    pub by: UserId,
    /// Who gets it.
    pub to: UserId,
}

impl Question for HandOver {
    type Answer = ();
    type Refusal = OwnerRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("HandOver"));
}

/// Ends a membership. Asked by `http::members::remove`; from the answer on the one who
/// is out sees nothing more.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveMember {
    /// Who ends it: themselves or another.
    pub by: UserId,
    /// The membership.
    pub membership: MembershipId,
}

impl Question for RemoveMember {
    type Answer = ();
    type Refusal = RemoveRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RemoveMember"));
}

/// Calls a member something else. Asked by `http::members::rename`; answers with the
/// membership as it is then.
#[derive(Debug, Serialize, Deserialize)]
pub struct RenameMember {
    /// Who.
    pub by: UserId,
    /// Called what.
    pub nickname: Nickname,
}

impl Question for RenameMember {
    type Answer = Member;
    type Refusal = RenameRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RenameMember"));
}

/// Silences a group for one member, or lets it be heard again. Asked by `http::members`;
/// answers with the membership as it is then.
#[derive(Debug, Serialize, Deserialize)]
pub struct MuteGroup {
    /// Who.
    pub by: UserId,
    /// For how long.
    pub muting: Muting,
}

impl Question for MuteGroup {
    type Answer = Member;
    type Refusal = MuteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("MuteGroup"));
}

/// Shows the group to whoever knows the share token, members or not. Asked by
/// `http::joining::invitation`; shows what is durable.
#[derive(Debug)]
pub struct ViewShared {
    /// What they know.
    pub token: String,
}

impl Question for ViewShared {
    type Answer = GroupView;
    type Refusal = JoinRefusal;
}

/// Comes in by the share URL. Asked by `http::joining::join`; answers with the group.
#[derive(Debug, Serialize, Deserialize)]
pub struct JoinShared {
    /// Who.
    pub user: Starter,
    /// What they know.
    pub token: String,
}

impl Question for JoinShared {
    type Answer = GroupView;
    type Refusal = JoinRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("JoinShared"));
}

/// Comes back. Asked by `http::joining::rejoin`; answers with the group.
#[derive(Debug, Serialize, Deserialize)]
pub struct RejoinGroup {
    /// Who.
    pub user: Starter,
}

impl Question for RejoinGroup {
    type Answer = GroupView;
    type Refusal = JoinRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RejoinGroup"));
}
