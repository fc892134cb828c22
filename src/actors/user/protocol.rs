//! The questions to a user's room: who sends them, what the answer is, and what it promises.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ask::{Question, Travel};
use crate::claim_time::ClaimTime;
use domain::attachment::ImageRef;
use domain::chat::{Sender, WriteRefusal};
use domain::file::FileId;
use domain::first_answer::AskKey;
use domain::group::Contact;
use domain::identities::{FirstIdentity, IdentityLogIn};
use domain::ids::{ClientId, Conversation, MessageId, TokenId, UserId};
use domain::limits::CONTACT_CHANGES;
use domain::mail::MailNote;
use domain::operators::OperatorRole;
use domain::time::Monotonic;
use domain::user::{
    Acquaintance, Adder, AddingRefusal, Application, ApplicationRefusal, Block, BlockRefusal,
    DeleteRefusal, Device, DeviceRefusal, EnteredAddress, IssueRefusal, LogoutRefusal,
    PasswordRefusal, Person, Profile, ProfileChange, ReadMark, ReadRefusal, ReportingRefusal,
    SmsMode, TokenRecord, Unread, UpTo, User,
};

/// Why a user's room refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum UserRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
}

/// Why an account does not get the names that were claimed for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum NamingRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The claim is over.
    #[error("this took too long; try again")]
    Late,
    /// The email address or the phone number changed too often.
    #[error("email and phone_number may change {CONTACT_CHANGES} times a day")]
    TooOften,
}

/// Creates the account. Sent by `http::auth::register`, `admin::users` and `subscribers::callbacks`
/// to the room of a fresh id, once the names are claimed.
#[derive(Debug)]
pub struct Register {
    /// When the claim of the names ends.
    pub until: Monotonic,
    /// The profile as requested.
    pub profile: Profile,
    /// The Argon2id hash of the password, in PHC form.
    pub password: String,
    /// The first token; `None` if somebody else creates the account.
    pub token: Option<TokenRecord>,
    /// The mail that confirms the address; `None` if the server sends none.
    pub note: Option<MailNote>,
    /// The role of an operator that the account begins with.
    pub operator: Option<OperatorRole>,
    /// The identity at a provider with which the account begins, in place of a password.
    pub identity: Option<FirstIdentity>,
}

impl Question for Register {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const DECIDES: bool = true;
}

/// Shows the account. Sent by `http::users`, `http::devices`, `http::pinned_conversations` and
/// `subscribers::callbacks`.
#[derive(Debug)]
pub struct ViewUser;

impl Question for ViewUser {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Pins these conversations and no others. Sent by `http::pinned_conversations`, which has checked
/// that they are the user's.
#[derive(Debug, Serialize, Deserialize)]
pub struct PinConversations {
    /// The conversations, in the order of the pins.
    pub conversations: Vec<Conversation>,
}

impl Question for PinConversations {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PinConversations"));
}

/// Notes which image came for an id that the user was given. Sent by `http::picture_uploads`.
#[derive(Debug, Serialize, Deserialize)]
pub struct NamePicture {
    /// The id.
    pub picture: FileId,
    /// The image.
    pub image: ImageRef,
}

impl Question for NamePicture {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("NamePicture"));
}

/// Whether a name is in the profile, after everything that was decided before. Sent by
/// `actors::names` before another user gets the name; the answer is durable.
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

/// Issues a token. Sent by `http::auth::login`, and by `http::oauth` after consent; answered with
/// the account once it is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct IssueToken {
    /// The record of the token.
    pub token: TokenRecord,
    /// The hash of the password that was checked; refused if the account has another one by now.
    pub password: String,
    /// The key of the authorization code that is spent on the token, if any.
    #[serde(default)]
    pub code: Option<AskKey>,
    /// The identity with which the user logged in, in place of a password.
    #[serde(default)]
    pub identity: Option<IdentityLogIn>,
}

impl Question for IssueToken {
    type Answer = Arc<User>;
    type Refusal = IssueRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("IssueToken"));
}

/// Records that a token is in use. Sent by `token_use`, at most once a day for each token.
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

/// Changes the password and revokes all tokens but one. Sent by `http::password`, after the old
/// password was checked.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangePassword {
    /// The hash that the old password was checked against.
    pub checked_hash: String,
    /// The Argon2id hash of the new password, in PHC form.
    pub password: String,
    /// The token that stays valid.
    pub keep: TokenId,
    /// The mail that tells the owner; `None` if the server sends none.
    #[serde(default)]
    pub note: Option<MailNote>,
}

impl Question for ChangePassword {
    type Answer = ();
    type Refusal = PasswordRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ChangePassword"));
}

/// Deletes the account. Sent by `http::leaving`, after the password was checked and the groups were
/// left. From the answer on nobody finds the account.
#[derive(Debug, Serialize, Deserialize)]
pub struct DeleteUser {
    /// The hash that the password was checked against.
    pub checked_hash: String,
}

impl Question for DeleteUser {
    type Answer = ();
    type Refusal = DeleteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("DeleteUser"));
}

/// Registers an application. Sent by `http::applications::create`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RegisterApplication {
    /// The application, with a fresh client id.
    pub application: Application,
}

impl Question for RegisterApplication {
    type Answer = ();
    type Refusal = ApplicationRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("RegisterApplication"));
}

/// Removes an application. Sent by `http::applications::delete`. From the answer on the tokens of
/// the application are invalid.
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

/// Revokes a token. Sent by `http::auth::logout`, `http::tokens` and `http::oauth`. From the answer
/// on the token is invalid.
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

/// Changes the profile. Sent by `http::users::update`, which has claimed a new email address or
/// phone number; answered with the account once it is on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangeProfile {
    /// The new values.
    pub change: ProfileChange,
    /// How long the new email address or phone number is claimed; `None` if neither changes.
    pub claimed: Option<ClaimTime>,
    /// An address that waits until it is confirmed.
    #[serde(default)]
    pub entered: Option<EnteredAddress>,
}

impl Question for ChangeProfile {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ChangeProfile"));
}

/// Switches SMS mode on or off. Sent by `http::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetSmsMode {
    /// The mode to switch on; `None` to switch it off.
    pub mode: Option<SmsMode>,
}

impl Question for SetSmsMode {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("SetSmsMode"));
}

/// Blocks another user's direct messages. Sent by `http::blocks::create`, which knows that the
/// other account exists; answered with the block once it is on disk. From the answer on,
/// [`AdmitSender`] refuses the other user.
#[derive(Debug, Serialize, Deserialize)]
pub struct BlockUser {
    /// The user to block.
    pub other: UserId,
}

impl Question for BlockUser {
    type Answer = Block;
    type Refusal = BlockRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("BlockUser"));
}

/// Ends a block, if there is one. Sent by `http::blocks::delete`.
#[derive(Debug, Serialize, Deserialize)]
pub struct UnblockUser {
    /// The user who is no longer blocked.
    pub other: UserId,
}

impl Question for UnblockUser {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("UnblockUser"));
}

/// Lists the users whom this one blocks, oldest block first. Sent by `http::blocks::list`.
#[derive(Debug)]
pub struct ShowBlocks;

impl Question for ShowBlocks {
    type Answer = Vec<Block>;
    type Refusal = UserRefusal;
}

/// Whether the user blocks another. Sent by `http::blocks`.
#[derive(Debug)]
pub struct HasBlocked {
    /// The other user.
    pub other: UserId,
}

impl Question for HasBlocked {
    type Answer = bool;
    type Refusal = UserRefusal;
}

/// Asks the recipient's room whether a user may write to them, before the message goes to the chat:
/// a block that was answered earlier refuses it. Sent by `http::direct_messages`, `http::revising`
/// and `subscribers::callbacks`.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdmitSender {
    /// The user who is about to write.
    pub from: UserId,
}

impl Question for AdmitSender {
    type Answer = ();
    type Refusal = WriteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("AdmitSender"));
}

/// Asks the sender's own room whether they may write, counts the message against the flood limits,
/// and returns the sender's public profile. Sent by `http::direct_messages` last before the message
/// goes to the chat.
#[derive(Debug, Serialize, Deserialize)]
pub struct PermitWriting {
    /// The recipient.
    pub to: UserId,
    /// How well the recipient knows the sender.
    pub acquaintance: Acquaintance,
}

impl Question for PermitWriting {
    type Answer = Sender;
    type Refusal = WriteRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PermitWriting"));
}

/// Asks the adder's own room whether they may add these people to a group, and counts them. Sent by
/// `http::members::add` before the request goes to the group.
#[derive(Debug, Serialize, Deserialize)]
pub struct PermitAdding {
    /// The people who are not in the group yet.
    pub people: Vec<Person>,
}

impl Question for PermitAdding {
    type Answer = Adder;
    type Refusal = AddingRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PermitAdding"));
}

/// Asks the reporter's own room whether they may report one more message, and counts it. Sent by
/// `http::reports` before the report goes to the group.
#[derive(Debug, Serialize, Deserialize)]
pub struct PermitReporting;

impl Question for PermitReporting {
    type Answer = ();
    type Refusal = ReportingRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("PermitReporting"));
}

/// Adds a device that gets notices. Sent by `http::devices::add`.
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

/// Removes a device, which gets no more notices. Sent by `http::devices::remove`, and by
/// `subscribers::notices` when the push service no longer knows the device.
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

/// Marks a conversation as read up to a place; a mark before the one that is there is ignored. Sent
/// by `http::reading` and by sessions; answered with the mark that is then there, which becomes
/// durable soon after, together with other marks.
#[derive(Debug, Serialize, Deserialize)]
pub struct MarkRead {
    /// The conversation.
    pub conv: Conversation,
    /// The place up to which it was read.
    pub upto: UpTo,
}

/// The mark that a user has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedRead {
    /// The mark.
    #[serde(flatten)]
    pub mark: ReadMark,
    /// What is unread after the mark, if the look-up of the message found that too. Nodes of an
    /// earlier version never say.
    #[serde(default)]
    pub unread: Option<Unread>,
}

impl Question for MarkRead {
    type Answer = MarkedRead;
    type Refusal = ReadRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("MarkRead"));
}

/// Marks a message and all later ones as unread, by setting the read mark back to before it; ignored
/// if it is unread already. Sent by `http::reading`; answered with the mark that is then there, once
/// it is durable.
#[derive(Debug, Serialize, Deserialize)]
pub struct MarkUnread {
    /// The conversation.
    pub conv: Conversation,
    /// The message.
    pub message: MessageId,
}

impl Question for MarkUnread {
    type Answer = MarkedRead;
    type Refusal = ReadRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("MarkUnread"));
}

/// Disables the account: from the answer on no log-in succeeds, every token is invalid, and no
/// notices are sent. Sent by `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Disable;

impl Question for Disable {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("Disable"));
}

/// Lets the account log in again. Sent by `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Enable;

impl Question for Enable {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("Enable"));
}

/// Gives the account another password; every token becomes invalid. Sent by `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ResetPassword {
    /// The Argon2id hash of the password, in PHC form.
    pub password: String,
    /// The mail that tells the owner; `None` if the server sends none.
    #[serde(default)]
    pub note: Option<MailNote>,
}

impl Question for ResetPassword {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("ResetPassword"));
}

/// Ends every token of the account. Sent by `http::operators`.
#[derive(Debug, Serialize, Deserialize)]
pub struct EndTokens;

impl Question for EndTokens {
    type Answer = ();
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("EndTokens"));
}

/// Gives the account another role of an operator, or takes it; answered with the former one. Sent by
/// `http::operators` and `admin::users`.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetOperatorRole {
    /// The role; `None` if it is taken.
    pub role: Option<OperatorRole>,
}

impl Question for SetOperatorRole {
    type Answer = Option<OperatorRole>;
    type Refusal = UserRefusal;
    const TRAVEL: Option<Travel<Self>> = Some(Travel::of("SetOperatorRole"));
}
