//! What a user's room can be asked: who asks, what comes back, what is promised.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::actors::ask::{Question, Travel};
use crate::actors::claim_time::ClaimTime;
use crate::domain::chat::{Sender, WriteRefusal};
use crate::domain::first_answer::AskKey;
use crate::domain::group::Contact;
use crate::domain::ids::{ClientId, Conversation, TokenId, UserId};
use crate::domain::time::Monotonic;
use crate::domain::user::{
    Acquaintance, Application, ApplicationRefusal, Block, BlockRefusal, DeleteRefusal, Device,
    DeviceRefusal, IssueRefusal, LogoutRefusal, PasswordRefusal, Profile, ProfileChange, ReadMark,
    ReadRefusal, SmsMode, TokenRecord, UpTo, User,
};

/// Why a user's room does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum UserRefusal {
    /// No such account.
    #[error("there is no such user")]
    Unknown,
}

/// Why an account does not get the names that were claimed for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum NamingRefusal {
    /// No such account.
    #[error("there is no such user")]
    Unknown,
    /// The claim is not good any more.
    #[error("this took too long; try again")]
    Late,
}

/// Makes the account exist. Asked by `http::auth::register` and by `admin::users` of a
/// room with a fresh id, once they have claimed the names.
#[derive(Debug)]
pub struct Register {
    /// Until when the names are claimed.
    pub until: Monotonic,
    /// Who they say they are.
    pub profile: Profile,
    /// Argon2id in PHC form.
    pub password: String,
    /// The first token; none when somebody else made the account.
    pub token: Option<TokenRecord>,
}

impl Question for Register {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const DECIDES: bool = true;
}

/// Shows the account to its owner. Asked by `http::users::me`.
#[derive(Debug)]
pub struct ViewUser;

impl Question for ViewUser {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Pins these conversations and no others. Asked by `http::pinned_conversations`, which
/// has looked whether they are the user's.
#[derive(Debug, Serialize, Deserialize)]
pub struct PinConversations {
    /// In their order.
    pub conversations: Vec<Conversation>,
}

impl Question for PinConversations {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PinConversations"));
}

/// Whether a name stands in the profile, by everything that was decided before. Asked by
/// `actors::names` before somebody else gets it; the answer is durable.
#[derive(Debug, Serialize, Deserialize)]
pub struct HoldsName {
    /// The email address or phone number.
    pub name: Contact,
}

impl Question for HoldsName {
    type Answer = bool;
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("HoldsName"));
}

/// Makes a token work. Asked by `http::auth::login`, and by `http::oauth` after consent;
/// answers with the account, which is on disk by then.
#[derive(Debug, Serialize, Deserialize)]
pub struct IssueToken {
    /// What is kept of it.
    pub token: TokenRecord,
    /// The hash of the password that was checked: refused when it is another by now.
    pub password: String,
    /// The key of the authorization code that is spent on it, if one is.
    #[serde(default)]
    pub code: Option<AskKey>,
}

impl Question for IssueToken {
    type Answer = Arc<User>;
    type Refusal = IssueRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("IssueToken"));
}

/// Notes that a token is in use. Asked by `token_use` once a day for each token at most.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoteTokenUse {
    /// The token.
    pub id: TokenId,
}

impl Question for NoteTokenUse {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("NoteTokenUse"));
}

/// Changes the password and ends every other token. Asked by `http::password`, after the
/// old one was checked.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangePassword {
    /// The hash that the old one was checked against.
    pub shown: String,
    /// Argon2id of the new one in PHC form.
    pub password: String,
    /// The token that goes on working.
    pub keep: TokenId,
}

impl Question for ChangePassword {
    type Answer = ();
    type Refusal = PasswordRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ChangePassword"));
}

/// Ends the account. Asked by `http::leaving`, after the password was checked and the
/// groups were left. From the answer on nobody finds the account.
#[derive(Debug, Serialize, Deserialize)]
pub struct DeleteUser {
    /// The hash that the password was checked against.
    pub shown: String,
}

impl Question for DeleteUser {
    type Answer = ();
    type Refusal = DeleteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("DeleteUser"));
}

/// Keeps an application. Asked by `http::applications::create`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RegisterApplication {
    /// With a fresh client id.
    pub application: Application,
}

impl Question for RegisterApplication {
    type Answer = ();
    type Refusal = ApplicationRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RegisterApplication"));
}

/// Removes an application. Asked by `http::applications::delete`. From the answer on the
/// tokens that it was given are dead.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveApplication {
    /// The application.
    pub client: ClientId,
}

impl Question for RemoveApplication {
    type Answer = ();
    type Refusal = ApplicationRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RemoveApplication"));
}

/// Ends a token. Asked by `http::auth::logout`. From the answer on it is dead.
#[derive(Debug, Serialize, Deserialize)]
pub struct RevokeToken {
    /// The token.
    pub id: TokenId,
}

impl Question for RevokeToken {
    type Answer = ();
    type Refusal = LogoutRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RevokeToken"));
}

/// Changes the profile. Asked by `http::users::update`, which has claimed a
/// new email address or phone number; answers with the account, which is on disk by then.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangeProfile {
    /// What is to change.
    pub change: ProfileChange,
    /// How long what only one account may have is claimed, if something of it is new.
    pub claimed: Option<ClaimTime>,
}

impl Question for ChangeProfile {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ChangeProfile"));
}

/// Switches SMS mode on or off. Asked by `http::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetSmsMode {
    /// On like this, or off.
    pub mode: Option<SmsMode>,
}

impl Question for SetSmsMode {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("SetSmsMode"));
}

/// Keeps somebody's direct messages away. Asked by `http::blocks::create`, which knows
/// that the other one exists; answers with the block, which is on disk by then. From the
/// answer on, [`AdmitSender`] refuses them.
#[derive(Debug, Serialize, Deserialize)]
pub struct BlockUser {
    /// Whom.
    pub other: UserId,
}

impl Question for BlockUser {
    type Answer = Block;
    type Refusal = BlockRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("BlockUser"));
}

/// Ends a block, if there is one. Asked by `http::blocks::delete`.
#[derive(Debug, Serialize, Deserialize)]
pub struct UnblockUser {
    /// Whom to let write again.
    pub other: UserId,
}

impl Question for UnblockUser {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("UnblockUser"));
}

/// Lists whom the user blocks, oldest block first. Asked by `http::blocks::list`.
#[derive(Debug)]
pub struct ShowBlocks;

impl Question for ShowBlocks {
    type Answer = Vec<Block>;
    type Refusal = UserRefusal;
}

/// Tells whether the user blocks somebody. Asked by `http::blocks`.
#[derive(Debug)]
pub struct HasBlocked {
    /// Whom.
    pub other: UserId,
}

impl Question for HasBlocked {
    type Answer = bool;
    type Refusal = UserRefusal;
}

/// Asks a recipient whether somebody may write to them. Asked by
/// `http::direct_messages::create` before the message goes to the chat: a block that was
/// answered before that refuses it.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdmitSender {
    /// Who is about to write.
    pub from: UserId,
}

impl Question for AdmitSender {
    type Answer = ();
    type Refusal = WriteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("AdmitSender"));
}

/// Asks a sender's own room whether they may write, counts the message against floods,
/// and tells who they are. Asked by `http::direct_messages::create`, last before the
/// message goes to the chat.
#[derive(Debug, Serialize, Deserialize)]
pub struct PermitWriting {
    /// To whom.
    pub to: UserId,
    /// How well that one knows them.
    pub acquaintance: Acquaintance,
}

impl Question for PermitWriting {
    type Answer = Sender;
    type Refusal = WriteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PermitWriting"));
}

/// Sends notices to a device. Asked by `http::devices::add`.
#[derive(Debug, Serialize, Deserialize)]
pub struct AddDevice {
    /// The device, with the keys of its browser.
    pub device: Device,
}

impl Question for AddDevice {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("AddDevice"));
}

/// Sends no more notices to a device. Asked by `http::devices::remove`, and when its
/// push service does not know it any more.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveDevice {
    /// The device, by its `registration_id`.
    pub id: String,
}

impl Question for RemoveDevice {
    type Answer = ();
    type Refusal = DeviceRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RemoveDevice"));
}

/// Marks a conversation as read up to a place; a lower mark than the one that stands is
/// ignored. Asked by `http::reading` and by sessions; answers with the mark that counts.
#[derive(Debug, Serialize, Deserialize)]
pub struct MarkRead {
    /// Which conversation.
    pub conv: Conversation,
    /// Up to where.
    pub upto: UpTo,
    /// Whether somebody waits for it.
    pub haste: Haste,
}

/// Whether a mark is durable when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Haste {
    /// It is.
    Now,
    /// It will be in a moment, together with others.
    Soon,
}

impl Question for MarkRead {
    type Answer = ReadMark;
    type Refusal = ReadRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("MarkRead"));
}

/// Shuts the account: no log-in from the answer on, every token is dead, and notices reach
/// it nowhere. Asked by `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Disable;

impl Question for Disable {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("Disable"));
}

/// Lets the account log in again. Asked by `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Enable;

impl Question for Enable {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("Enable"));
}

/// Gives the account another password; every token is dead. Asked by `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ResetPassword {
    /// Argon2id in PHC form.
    pub password: String,
}

impl Question for ResetPassword {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ResetPassword"));
}
