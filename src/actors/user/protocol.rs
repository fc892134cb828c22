//! The questions to a user's room: who sends them, what the answer is, and what it promises.

use std::sync::Arc;

use crate::ask::Question;
use domain::attachment::ImageRef;
use domain::chat::{Sender, WriteRefusal};
use domain::file::FileId;
use domain::first_answer::AskKey;
use domain::group::Contact;
use domain::guests::{AccountKind, Guest};
use domain::identities::{FirstIdentity, IdentityLogIn};
use domain::ids::{ClientId, Conversation, MessageId, ReportId, TokenId, UserId};
use domain::limits::CONTACT_CHANGES;
use domain::mail::MailNote;
use domain::operators::OperatorRole;
use domain::registration::AccountWait;
use domain::scim::FirstProvisioning;
use domain::time::Monotonic;
use domain::user::{
    Acquaintance, Adder, AddingRefusal, Application, ApplicationRefusal, Block, BlockRefusal,
    ConversationList, ConversationListChange, DeleteRefusal, Device, DeviceRefusal, EnteredAddress,
    IssueRefusal, LogoutRefusal, PasswordRefusal, Person, Profile, ProfileChange, ReadMark,
    ReadRefusal, ReportingRefusal, SenderStanding, SmsMode, TokenRecord, Unread, UpTo, User,
};

/// Why a user's room refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UserRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
}

/// Why an account does not get the names that were claimed for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
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
    /// The names and the state that a directory gives the account, if one creates it. Nobody has a
    /// password then.
    pub provisioning: Option<FirstProvisioning>,
    /// What the account waits for before anybody can log in; `None` if it can be used at once.
    pub waiting: Option<AccountWait>,
}

impl Question for Register {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const DECIDES: bool = true;
}

/// Shows the account. Sent by `http::users`, `http::devices`, `http::conversation_list` and
/// `subscribers::callbacks`.
#[derive(Debug)]
pub struct ViewUser;

impl Question for ViewUser {
    type Answer = Arc<User>;
    type Refusal = UserRefusal;
}

/// Arranges the user's list. Sent by `http::conversation_list`, which has checked that the
/// conversations are the user's.
#[derive(Debug)]
pub struct ArrangeList {
    /// What changes.
    pub change: ConversationListChange,
}

impl Question for ArrangeList {
    type Answer = ConversationList;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Notes which image came for an id that the user was given. Sent by `http::picture_uploads`.
#[derive(Debug)]
pub struct NamePicture {
    /// The id.
    pub picture: FileId,
    /// The image.
    pub image: ImageRef,
}

impl Question for NamePicture {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Whether a name is in the profile, after everything that was decided before. Sent by
/// `actors::names` before another user gets the name; the answer is durable.
#[derive(Debug)]
pub struct HoldsName {
    /// The email address or phone number.
    pub name: Contact,
}

impl Question for HoldsName {
    type Answer = bool;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Issues a token. Sent by `http::auth::login`, and by `http::oauth` after consent; answered with
/// the account once it is on disk.
#[derive(Debug)]
pub struct IssueToken {
    /// The record of the token.
    pub token: TokenRecord,
    /// The hash of the password that was checked; refused if the account has another one by now.
    pub password: String,
    /// The key of the authorization code that is spent on the token, if any.
    pub code: Option<AskKey>,
    /// The identity with which the user logged in, in place of a password.
    pub identity: Option<IdentityLogIn>,
}

impl Question for IssueToken {
    type Answer = Arc<User>;
    type Refusal = IssueRefusal;
    const DECIDES: bool = true;
}

/// Records that a token is in use. Sent by `token_use`, at most once a day for each token.
#[derive(Debug)]
pub struct NoteTokenUse {
    /// The token.
    pub id: TokenId,
}

impl Question for NoteTokenUse {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Changes the password and revokes all tokens but one. Sent by `http::password`, after the old
/// password was checked.
#[derive(Debug)]
pub struct ChangePassword {
    /// The hash that the old password was checked against.
    pub checked_hash: String,
    /// The Argon2id hash of the new password, in PHC form.
    pub password: String,
    /// The token that stays valid.
    pub keep: TokenId,
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

impl Question for ChangePassword {
    type Answer = ();
    type Refusal = PasswordRefusal;
    const DECIDES: bool = true;
}

/// Deletes the account. Sent by `http::leaving`, after the password was checked and the groups were
/// left. From the answer on nobody finds the account.
#[derive(Debug)]
pub struct DeleteUser {
    /// The hash that the password was checked against.
    pub checked_hash: String,
}

impl Question for DeleteUser {
    type Answer = ();
    type Refusal = DeleteRefusal;
    const DECIDES: bool = true;
}

/// Registers an application. Sent by `http::applications::create`.
#[derive(Debug)]
pub struct RegisterApplication {
    /// The application, with a fresh client id.
    pub application: Application,
}

impl Question for RegisterApplication {
    type Answer = ();
    type Refusal = ApplicationRefusal;
    const DECIDES: bool = true;
}

/// Removes an application. Sent by `http::applications::delete`. From the answer on the tokens of
/// the application are invalid.
#[derive(Debug)]
pub struct RemoveApplication {
    /// The application.
    pub client: ClientId,
}

impl Question for RemoveApplication {
    type Answer = ();
    type Refusal = ApplicationRefusal;
    const DECIDES: bool = true;
}

/// Revokes a token. Sent by `http::auth::logout`, `http::tokens` and `http::oauth`. From the answer
/// on the token is invalid.
#[derive(Debug)]
pub struct RevokeToken {
    /// The token.
    pub id: TokenId,
}

impl Question for RevokeToken {
    type Answer = ();
    type Refusal = LogoutRefusal;
    const DECIDES: bool = true;
}

/// Changes the profile. Sent by `http::users::update`, which has claimed a new email address or
/// phone number; answered with the account once it is on disk.
#[derive(Debug)]
pub struct ChangeProfile {
    /// The new values.
    pub change: ProfileChange,
    /// Until when the new email address or phone number is claimed; `None` if neither changes.
    pub claimed: Option<Monotonic>,
    /// An address that waits until it is confirmed.
    pub entered: Option<EnteredAddress>,
}

impl Question for ChangeProfile {
    type Answer = Arc<User>;
    type Refusal = NamingRefusal;
    const DECIDES: bool = true;
}

/// Switches SMS mode on or off. Sent by `http::users`.
#[derive(Debug)]
pub struct SetSmsMode {
    /// The mode to switch on; `None` to switch it off.
    pub mode: Option<SmsMode>,
}

impl Question for SetSmsMode {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Blocks another user's direct messages. Sent by `http::blocks::create`, which knows that the
/// other account exists; answered with the block once it is on disk. From the answer on,
/// [`AdmitSender`] refuses the other user.
#[derive(Debug)]
pub struct BlockUser {
    /// The user to block.
    pub other: UserId,
}

impl Question for BlockUser {
    type Answer = Block;
    type Refusal = BlockRefusal;
    const DECIDES: bool = true;
}

/// Ends a block, if there is one. Sent by `http::blocks::delete`.
#[derive(Debug)]
pub struct UnblockUser {
    /// The user who is no longer blocked.
    pub other: UserId,
}

impl Question for UnblockUser {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
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
/// a block that was answered earlier refuses it, and so does a declined request. Sent by
/// `http::direct_messages`, `http::revisions` and `subscribers::callbacks`.
#[derive(Debug)]
pub struct AdmitSender {
    /// The user who is about to write.
    pub from: UserId,
}

impl Question for AdmitSender {
    type Answer = SenderStanding;
    type Refusal = WriteRefusal;
    const DECIDES: bool = true;
}

/// Asks the sender's own room whether they may write, counts the message against the flood limits,
/// and returns the sender's public profile. Sent by `http::direct_messages` last before the message
/// goes to the chat.
#[derive(Debug)]
pub struct PermitWriting {
    /// The recipient.
    pub to: UserId,
    /// How well the recipient knows the sender.
    pub acquaintance: Acquaintance,
}

impl Question for PermitWriting {
    type Answer = Sender;
    type Refusal = WriteRefusal;
    const DECIDES: bool = true;
}

/// Asks the adder's own room whether they may add these people to a group, and counts them. Sent by
/// `http::members::add` before the request goes to the group.
#[derive(Debug)]
pub struct PermitAdding {
    /// The people who are not in the group yet.
    pub people: Vec<Person>,
}

impl Question for PermitAdding {
    type Answer = Adder;
    type Refusal = AddingRefusal;
    const DECIDES: bool = true;
}

/// Asks the reporter's own room whether they may report one more message, and counts it. Sent by
/// `http::reports` before the report goes to the group.
#[derive(Debug)]
pub struct PermitReporting;

impl Question for PermitReporting {
    type Answer = ();
    type Refusal = ReportingRefusal;
    const DECIDES: bool = true;
}

/// Tells a user that operators looked at a report of theirs. Sent by `http::operator_reports`.
#[derive(Debug)]
pub struct NoteReportResolved {
    /// The report.
    pub report: ReportId,
}

impl Question for NoteReportResolved {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Adds a device that gets notices. Sent by `http::devices::add`.
#[derive(Debug)]
pub struct AddDevice {
    /// The device, with the keys of its browser.
    pub device: Device,
}

impl Question for AddDevice {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Removes a device, which gets no more notices. Sent by `http::devices::remove`, and by
/// `subscribers::notices` when the push service no longer knows the device.
#[derive(Debug)]
pub struct RemoveDevice {
    /// The device, by its `registration_id`.
    pub id: String,
}

impl Question for RemoveDevice {
    type Answer = ();
    type Refusal = DeviceRefusal;
    const DECIDES: bool = true;
}

/// Marks a conversation as read up to a place; a mark before the one that is there is ignored. Sent
/// by `http::reading` and by sessions; answered with the mark that is then there, which becomes
/// durable soon after, together with other marks.
#[derive(Debug)]
pub struct MarkRead {
    /// The conversation.
    pub conv: Conversation,
    /// The place up to which it was read.
    pub upto: UpTo,
}

/// The mark that a user has now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedRead {
    /// The mark.
    pub mark: ReadMark,
    /// What is unread after the mark, if the look-up of the message found that too.
    pub unread: Option<Unread>,
}

impl Question for MarkRead {
    type Answer = MarkedRead;
    type Refusal = ReadRefusal;
    const DECIDES: bool = true;
}

/// Marks a message and all later ones as unread, by setting the read mark back to before it; ignored
/// if it is unread already. Sent by `http::reading`; answered with the mark that is then there, once
/// it is durable.
#[derive(Debug)]
pub struct MarkUnread {
    /// The conversation.
    pub conv: Conversation,
    /// The message.
    pub message: MessageId,
}

impl Question for MarkUnread {
    type Answer = MarkedRead;
    type Refusal = ReadRefusal;
    const DECIDES: bool = true;
}

/// Disables the account: from the answer on no log-in succeeds, every token is invalid, and no
/// notices are sent. Sent by `admin::users`.
#[derive(Debug)]
pub struct Disable;

impl Question for Disable {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Lets the account log in again. Sent by `admin::users`.
#[derive(Debug)]
pub struct Enable;

impl Question for Enable {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Gives the account another password; every token becomes invalid. Sent by `admin::users`.
#[derive(Debug)]
pub struct ResetPassword {
    /// The Argon2id hash of the password, in PHC form.
    pub password: String,
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

impl Question for ResetPassword {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Ends every token of the account. Sent by `http::operators`.
#[derive(Debug)]
pub struct EndTokens;

impl Question for EndTokens {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Gives the account another role of an operator, or takes it; answered with the former one. Sent by
/// `http::operators` and `admin::users`.
#[derive(Debug)]
pub struct SetOperatorRole {
    /// The role; `None` if it is taken.
    pub role: Option<OperatorRole>,
}

impl Question for SetOperatorRole {
    type Answer = Option<OperatorRole>;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Makes a member or a guest of the account; answered with the former kind. Sent by
/// `http::operators`.
#[derive(Debug)]
pub struct SetGuest {
    /// The guest; `None` for a member.
    pub guest: Option<Guest>,
}

impl Question for SetGuest {
    type Answer = AccountKind;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}
