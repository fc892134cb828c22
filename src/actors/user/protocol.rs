//! What a user's room can be asked: who asks, what comes back, what is promised.

use std::sync::Arc;

use crate::actors::ask::Question;
use crate::domain::chat::{Sender, WriteRefusal};
use crate::domain::ids::{Conversation, TokenId, UserId};
use crate::domain::user::UpTo;
use crate::domain::user::{
    Acquaintance, Block, BlockRefusal, Device, DeviceRefusal, LogoutRefusal, Profile,
    ProfileChange, ReadMark, ReadRefusal, SmsMode, TokenHash, TokenRecord, User,
};

/// Why a user's room does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UserRefusal {
    /// No such account.
    #[error("there is no such user")]
    Unknown,
}

/// Makes the account exist, with its first token. Asked by `http::auth::register` of a
/// room with a fresh id, while it holds the names.
#[derive(Debug)]
pub struct Register {
    /// Who they say they are.
    pub profile: Profile,
    /// Argon2id in PHC form.
    pub password: String,
    /// The first token.
    pub token: TokenRecord,
}

impl Question for Register {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Shows the account to its owner. Asked by `http::users::me`.
#[derive(Debug)]
pub struct ViewUser;

impl Question for ViewUser {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Makes a token work. Asked by `http::auth::login`, after the password was checked.
#[derive(Debug)]
pub struct IssueToken {
    /// What is kept of it.
    pub token: TokenRecord,
}

impl Question for IssueToken {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Ends a token. Asked by `http::auth::logout`; answers with its hash, for the cache.
#[derive(Debug)]
pub struct RevokeToken {
    /// Which.
    pub id: TokenId,
}

impl Question for RevokeToken {
    type Answer = TokenHash;
    type Refusal = LogoutRefusal;
}

/// Changes the profile. Asked by `http::users::update`, which holds a new email address
/// while it does; answers with the account, which is on disk by then.
#[derive(Debug)]
pub struct ChangeProfile {
    /// What is to change.
    pub change: ProfileChange,
}

impl Question for ChangeProfile {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Switches SMS mode on or off. Asked by `http::users`.
#[derive(Debug)]
pub struct SetSmsMode {
    /// On like this, or off.
    pub mode: Option<SmsMode>,
}

impl Question for SetSmsMode {
    type Answer = ();
    type Refusal = UserRefusal;
}

/// Keeps somebody's direct messages away. Asked by `http::blocks::create`, which knows
/// that the other one exists; answers with the block, which is on disk by then. From the
/// answer on, [`AdmitSender`] refuses them.
#[derive(Debug)]
pub struct BlockUser {
    /// Whom.
    pub other: UserId,
}

impl Question for BlockUser {
    type Answer = Block;
    type Refusal = BlockRefusal;
}

/// Ends a block, if there is one. Asked by `http::blocks::delete`.
#[derive(Debug)]
pub struct UnblockUser {
    /// Whom to let write again.
    pub other: UserId,
}

impl Question for UnblockUser {
    type Answer = ();
    type Refusal = UserRefusal;
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
#[derive(Debug)]
pub struct AdmitSender {
    /// Who is about to write.
    pub from: UserId,
}

impl Question for AdmitSender {
    type Answer = ();
    type Refusal = WriteRefusal;
}

/// Asks a sender's own room whether they may write, counts the message against floods,
/// and tells who they are. Asked by `http::direct_messages::create`, last before the
/// message goes to the chat.
#[derive(Debug)]
pub struct PermitWriting {
    /// To whom.
    pub to: UserId,
    /// How well that one knows them.
    pub acquaintance: Acquaintance,
}

impl Question for PermitWriting {
    type Answer = Sender;
    type Refusal = WriteRefusal;
}

/// Sends notices to a device. Asked by `http::devices::add`.
#[derive(Debug)]
pub struct AddDevice {
    /// Which.
    pub device: Device,
}

impl Question for AddDevice {
    type Answer = ();
    type Refusal = UserRefusal;
}

/// Sends no more notices to a device. Asked by `http::devices::remove`, and when its
/// push service does not know it any more.
#[derive(Debug)]
pub struct RemoveDevice {
    /// Which.
    pub id: String,
}

impl Question for RemoveDevice {
    type Answer = ();
    type Refusal = DeviceRefusal;
}

/// Marks a conversation as read up to a place; a lower mark than the one that stands is
/// ignored. Asked by `http::reading` and by sessions; answers with the mark that counts.
#[derive(Debug)]
pub struct MarkRead {
    /// Which conversation.
    pub conv: Conversation,
    /// Up to where.
    pub upto: UpTo,
    /// Whether somebody waits for it.
    pub haste: Haste,
}

/// Whether a mark is durable when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// It is.
    Now,
    /// It will be in a moment, together with others.
    Soon,
}

impl Question for MarkRead {
    type Answer = ReadMark;
    type Refusal = ReadRefusal;
}
