//! How keys are made: a prefix byte, then ids as big-endian numbers, so that related rows lie
//! together and in order.

use domain::file::FileId;
use domain::first_answer::AskKey;
use domain::gallery::GalleryKind;
use domain::group::{AppealedAct, Contact};
use domain::identities::Identity;
use domain::ids::{
    AddId, BotId, CalendarEventId, ClientId, Conversation, DeliveryId, DirectoryGroupId, GroupId,
    HeldId, InvitationId, InviteLinkId, MailId, MessageId, NameId, Pair, PollId, ReportId, RuleId,
    StreamId, TokenId, UserId,
};
use domain::time::Timestamp;
use domain::user::TokenHash;

/// The position up to which events are applied.
pub(super) const APPLIED: &[u8] = b"0applied";
/// The highest ids in the journal.
pub(super) const HIGHS: &[u8] = b"0highs";
/// The layout of all rows; if it is not the program's, the index is rebuilt.
pub(super) const LAYOUT: &[u8] = b"0layout";

/// The settings of the installation.
pub(super) const SETTINGS: &[u8] = b"0settings";

/// The cursor of the newest public profile of any user.
pub(super) const PUBLIC_PROFILES: &[u8] = b"0portraits";

/// The prefix of names in directories.
const DIRECTORY_NAMES: u8 = b'\'';

/// The seconds of a day; ranks are grouped by days.
pub(super) const DAY: u64 = 86_400;

/// An upper bound of the keys that begin with `prefix`; no key is as long.
pub(super) fn end_of(prefix: &[u8]) -> Vec<u8> {
    let mut key = prefix.to_vec();
    key.extend_from_slice(&[0xff; 300]);
    key
}

fn key(prefix: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut key = Vec::with_capacity(1 + length);
    key.push(prefix);
    parts.iter().for_each(|part| key.extend_from_slice(part));
    key
}

fn stream_bytes(stream: StreamId) -> smallvec::SmallVec<[u8; 17]> {
    let mut bytes = smallvec::SmallVec::new();
    match stream {
        StreamId::Group(id) => {
            bytes.push(b'g');
            bytes.extend_from_slice(&id.get().to_be_bytes());
        }
        StreamId::Chat(pair) => {
            bytes.push(b'd');
            bytes.extend_from_slice(&pair.low().get().to_be_bytes());
            bytes.extend_from_slice(&pair.high().get().to_be_bytes());
        }
        StreamId::User(id) => {
            bytes.push(b'u');
            bytes.extend_from_slice(&id.get().to_be_bytes());
        }
        StreamId::Callbacks => bytes.push(b'b'),
        StreamId::Audit => bytes.push(b'a'),
        StreamId::Instance => bytes.push(b'i'),
        StreamId::Name(id) => {
            bytes.push(b'n');
            bytes.extend_from_slice(id.bytes());
        }
    }
    bytes
}

pub(super) fn message(stream: StreamId, id: MessageId) -> Vec<u8> {
    key(b'm', &[&stream_bytes(stream), &id.get().to_be_bytes()])
}

/// The message id at the end of a key.
pub(super) fn message_of(key: &[u8]) -> MessageId {
    MessageId::new(last_number(key))
}

pub(super) fn event(stream: StreamId, n: u64) -> Vec<u8> {
    key(b'e', &[&stream_bytes(stream), &n.to_be_bytes()])
}

pub(super) fn tail(stream: StreamId) -> Vec<u8> {
    key(b't', &[&stream_bytes(stream)])
}

pub(super) fn group(id: GroupId) -> Vec<u8> {
    key(b'g', &[&id.get().to_be_bytes()])
}

pub(super) fn member(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'p', &[&group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn members(group: GroupId) -> Vec<u8> {
    key(b'p', &[&group.get().to_be_bytes()])
}

pub(super) fn former(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'f', &[&group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn former_members(group: GroupId) -> Vec<u8> {
    key(b'f', &[&group.get().to_be_bytes()])
}

pub(super) fn add(group: GroupId, id: AddId) -> Vec<u8> {
    key(b'a', &[&group.get().to_be_bytes(), &id.get().to_be_bytes()])
}

/// A request to add people in the order of time.
pub(super) fn add_at(group: GroupId, at: Timestamp, id: AddId) -> Vec<u8> {
    key(b'^', &[&group.get().to_be_bytes(), &at.millis().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn seat(user: UserId, group: GroupId) -> Vec<u8> {
    key(b's', &[&user.get().to_be_bytes(), &group.get().to_be_bytes()])
}

pub(super) fn seats(user: UserId) -> Vec<u8> {
    key(b's', &[&user.get().to_be_bytes()])
}

/// A contact as it is in keys; it contains no zero byte.
fn contact_bytes(contact: &Contact) -> Vec<u8> {
    let (kind, text) = match contact {
        Contact::Email(text) => (b'e', text),
        Contact::Phone(text) => (b'p', text),
    };
    key(kind, &[text.as_bytes()])
}

pub(super) fn invite(group: GroupId, contact: &Contact) -> Vec<u8> {
    key(b'v', &[&group.get().to_be_bytes(), &contact_bytes(contact)])
}

pub(super) fn invites(group: GroupId) -> Vec<u8> {
    key(b'v', &[&group.get().to_be_bytes()])
}

pub(super) fn join_request(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'*', &[&group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn join_requests(group: GroupId) -> Vec<u8> {
    key(b'*', &[&group.get().to_be_bytes()])
}

/// When a user was denied to join a group.
pub(super) fn denial(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'|', &[b"d", &group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn denials(group: GroupId) -> Vec<u8> {
    key(b'|', &[b"d", &group.get().to_be_bytes()])
}

/// A request to join a group, by the user who sent it.
pub(super) fn sent_request(user: UserId, group: GroupId) -> Vec<u8> {
    key(b'|', &[b"s", &user.get().to_be_bytes(), &group.get().to_be_bytes()])
}

pub(super) fn sent_requests(user: UserId) -> Vec<u8> {
    key(b'|', &[b"s", &user.get().to_be_bytes()])
}

/// A confidential event that a user received, by its cursor.
pub(super) fn confided(user: UserId, cursor: u64) -> Vec<u8> {
    key(b'|', &[b"h", &user.get().to_be_bytes(), &cursor.to_be_bytes()])
}

pub(super) fn all_confided(user: UserId) -> Vec<u8> {
    key(b'|', &[b"h", &user.get().to_be_bytes()])
}

/// The owner or an admin of a group.
pub(super) fn admin(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'|', &[b"b", &group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn admins(group: GroupId) -> Vec<u8> {
    key(b'|', &[b"b", &group.get().to_be_bytes()])
}

/// A topic, by its own id.
pub(super) fn topic(id: GroupId) -> Vec<u8> {
    key(b'|', &[b"t", &id.get().to_be_bytes()])
}

/// A topic among those of its group.
pub(super) fn topic_of(group: GroupId, topic: GroupId) -> Vec<u8> {
    key(b'|', &[b"p", &group.get().to_be_bytes(), &topic.get().to_be_bytes()])
}

pub(super) fn topics_of(group: GroupId) -> Vec<u8> {
    key(b'|', &[b"p", &group.get().to_be_bytes()])
}

/// A searchable group.
pub(super) fn listed_group(group: GroupId) -> Vec<u8> {
    key(b'|', &[b"l", &group.get().to_be_bytes()])
}

pub(super) fn listed_groups() -> Vec<u8> {
    key(b'|', &[b"l"])
}

/// An open report to the operators.
pub(super) fn open_operator_report(report: ReportId) -> Vec<u8> {
    key(b'|', &[b"o", &report.get().to_be_bytes()])
}

pub(super) fn open_operator_reports() -> Vec<u8> {
    key(b'|', &[b"o"])
}

/// A resolved report to the operators.
pub(super) fn resolved_operator_report(report: ReportId) -> Vec<u8> {
    key(b'|', &[b"r", &report.get().to_be_bytes()])
}

pub(super) fn resolved_operator_reports() -> Vec<u8> {
    key(b'|', &[b"r"])
}

/// A report to the operators that keeps a message of this conversation.
pub(super) fn operator_report_of(stream: StreamId, report: ReportId) -> Vec<u8> {
    key(b'|', &[b"k", &stream_bytes(stream), &report.get().to_be_bytes()])
}

pub(super) fn operator_reports_of(stream: StreamId) -> Vec<u8> {
    key(b'|', &[b"k", &stream_bytes(stream)])
}

/// A group that its owner archived.
pub(super) fn archived_group(group: GroupId) -> Vec<u8> {
    key(b'|', &[b"a", &group.get().to_be_bytes()])
}

/// From whom a user takes direct messages.
pub(super) fn dm_rules(user: UserId) -> Vec<u8> {
    key(b'|', &[b"m", &user.get().to_be_bytes()])
}

/// The messages that a user saved.
pub(super) fn saved(user: UserId) -> Vec<u8> {
    key(b'|', &[b"v", &user.get().to_be_bytes()])
}

/// The folders of a user's list of conversations.
pub(super) fn folders(user: UserId) -> Vec<u8> {
    key(b'|', &[b"f", &user.get().to_be_bytes()])
}

/// A new account that waits before anybody can log in to it.
pub(super) fn waiting_account(user: UserId) -> Vec<u8> {
    key(b'|', &[b"w", &user.get().to_be_bytes()])
}

pub(super) fn waiting_accounts() -> Vec<u8> {
    key(b'|', &[b"w"])
}

pub(super) fn ban(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'{', &[&group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn bans(group: GroupId) -> Vec<u8> {
    key(b'{', &[&group.get().to_be_bytes()])
}

pub(super) fn timeout(group: GroupId, user: UserId) -> Vec<u8> {
    key(b'}', &[&group.get().to_be_bytes(), &user.get().to_be_bytes()])
}

pub(super) fn timeouts(group: GroupId) -> Vec<u8> {
    key(b'}', &[&group.get().to_be_bytes()])
}

pub(super) fn rule(group: GroupId, id: RuleId) -> Vec<u8> {
    key(b',', &[&group.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn rules(group: GroupId) -> Vec<u8> {
    key(b',', &[&group.get().to_be_bytes()])
}

pub(super) fn invite_link(group: GroupId, id: InviteLinkId) -> Vec<u8> {
    key(b'"', &[&group.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn invite_links(group: GroupId) -> Vec<u8> {
    key(b'"', &[&group.get().to_be_bytes()])
}

pub(super) fn account_invitation(id: InvitationId) -> Vec<u8> {
    key(b'|', &[b"i", &id.get().to_be_bytes()])
}

pub(super) fn account_invitations() -> Vec<u8> {
    key(b'|', &[b"i"])
}

pub(super) fn held(group: GroupId, id: HeldId) -> Vec<u8> {
    key(b'.', &[&group.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn held_messages(group: GroupId) -> Vec<u8> {
    key(b'.', &[&group.get().to_be_bytes()])
}

pub(super) fn appeal(group: GroupId, user: UserId, act: AppealedAct) -> Vec<u8> {
    let act = u8::from(act == AppealedAct::Timeout);
    key(b'/', &[&group.get().to_be_bytes(), &user.get().to_be_bytes(), &[act]])
}

pub(super) fn appeals(group: GroupId) -> Vec<u8> {
    key(b'/', &[&group.get().to_be_bytes()])
}

pub(super) fn open_report(group: GroupId, id: ReportId) -> Vec<u8> {
    key(b'_', &[&group.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn open_reports(group: GroupId) -> Vec<u8> {
    key(b'_', &[&group.get().to_be_bytes()])
}

pub(super) fn resolved_report(group: GroupId, id: ReportId) -> Vec<u8> {
    key(b']', &[&group.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn resolved_reports(group: GroupId) -> Vec<u8> {
    key(b']', &[&group.get().to_be_bytes()])
}

pub(super) fn audit_entry(group: GroupId, cursor: u64) -> Vec<u8> {
    key(b'?', &[&group.get().to_be_bytes(), &cursor.to_be_bytes()])
}

pub(super) fn audit_entries(group: GroupId) -> Vec<u8> {
    key(b'?', &[&group.get().to_be_bytes()])
}

pub(super) fn picture(id: &FileId) -> Vec<u8> {
    key(b'#', &[id.as_str().as_bytes()])
}

pub(super) fn invitation(contact: &Contact, group: GroupId) -> Vec<u8> {
    key(b'w', &[&contact_bytes(contact), &[0], &group.get().to_be_bytes()])
}

pub(super) fn invitations(contact: &Contact) -> Vec<u8> {
    key(b'w', &[&contact_bytes(contact), &[0]])
}

/// The group at the end of the key of a seat or an invitation.
pub(super) fn group_of(key: &[u8]) -> GroupId {
    GroupId::new(last_number(key))
}

pub(super) fn user(id: UserId) -> Vec<u8> {
    key(b'u', &[&id.get().to_be_bytes()])
}

/// The position of the event that made a user's public profile with this number.
pub(super) fn public_profile(user: UserId, number: u64) -> Vec<u8> {
    key(b'N', &[&user.get().to_be_bytes(), &number.to_be_bytes()])
}

/// The prefix of all identities at providers.
pub(super) const IDENTITIES: &[u8] = b"[";

pub(super) fn identity(identity: &Identity) -> Vec<u8> {
    key(b'[', &[&identity.digest()])
}

/// A name of an account in a directory, by its digest.
pub(super) fn directory_name(digest: &[u8; 32]) -> Vec<u8> {
    key(DIRECTORY_NAMES, &[digest])
}

/// The prefix of all groups of directories.
pub(super) const DIRECTORY_GROUPS: &[u8] = b"\\g";

/// The key of the highest id of a group of a directory.
pub(super) const LAST_DIRECTORY_GROUP: &[u8] = b"\\n";

pub(super) fn directory_group(id: DirectoryGroupId) -> Vec<u8> {
    key(b'\\', &[b"g", &id.get().to_be_bytes()])
}

/// The groups of directories that a user is in.
pub(super) fn directory_groups_of(user: UserId) -> Vec<u8> {
    key(b'\\', &[b"m", &user.get().to_be_bytes()])
}

pub(super) fn directory_group_of(user: UserId, id: DirectoryGroupId) -> Vec<u8> {
    key(b'\\', &[b"m", &user.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn token(hash: &TokenHash) -> Vec<u8> {
    key(b'k', &[hash.bytes()])
}

pub(super) fn user_token(user: UserId, id: TokenId) -> Vec<u8> {
    key(b'l', &[&user.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn user_tokens(user: UserId) -> Vec<u8> {
    key(b'l', &[&user.get().to_be_bytes()])
}

pub(super) fn application(client: ClientId) -> Vec<u8> {
    key(b'P', &[client.bytes()])
}

pub(super) fn application_of(owner: UserId, client: ClientId) -> Vec<u8> {
    key(b'O', &[&owner.get().to_be_bytes(), client.bytes()])
}

pub(super) fn applications_of(owner: UserId) -> Vec<u8> {
    key(b'O', &[&owner.get().to_be_bytes()])
}

pub(super) fn client_token(client: ClientId, user: UserId, id: TokenId) -> Vec<u8> {
    key(b'C', &[client.bytes(), &user.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn client_tokens(client: ClientId) -> Vec<u8> {
    key(b'C', &[client.bytes()])
}

pub(super) fn email(compared: &str) -> Vec<u8> {
    key(b'n', &[compared.as_bytes()])
}

pub(super) fn phone(compared: &str) -> Vec<u8> {
    key(b'h', &[compared.as_bytes()])
}

/// The row of a bot, by its secret id.
pub(super) fn bot(id: &BotId) -> Vec<u8> {
    key(b'b', &[id.as_str().as_bytes()])
}

pub(super) fn bot_of_group(group: GroupId, id: &BotId) -> Vec<u8> {
    key(b'q', &[&group.get().to_be_bytes(), id.as_str().as_bytes()])
}

pub(super) fn bots_of_group(group: GroupId) -> Vec<u8> {
    key(b'q', &[&group.get().to_be_bytes()])
}

pub(super) fn bot_of_creator(creator: UserId, id: &BotId) -> Vec<u8> {
    key(b'o', &[&creator.get().to_be_bytes(), id.as_str().as_bytes()])
}

pub(super) fn bots_of_creator(creator: UserId) -> Vec<u8> {
    key(b'o', &[&creator.get().to_be_bytes()])
}

/// How far a user has read a conversation.
pub(super) fn read(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'R', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

/// The prefix of all bots.
pub(super) fn bots() -> Vec<u8> {
    vec![b'b']
}

/// How far a bot was called back.
pub(super) fn called_back(bot: UserId) -> Vec<u8> {
    key(b'B', &[&bot.get().to_be_bytes()])
}

pub(super) fn delivery(bot: UserId, id: DeliveryId) -> Vec<u8> {
    key(b'D', &[&bot.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn deliveries(bot: UserId) -> Vec<u8> {
    key(b'D', &[&bot.get().to_be_bytes()])
}

/// A delivery that is still open.
pub(super) fn open_delivery(bot: UserId, id: DeliveryId) -> Vec<u8> {
    key(b'Q', &[&bot.get().to_be_bytes(), &id.get().to_be_bytes()])
}

pub(super) fn open_deliveries(bot: UserId) -> Vec<u8> {
    key(b'Q', &[&bot.get().to_be_bytes()])
}

pub(super) fn like(stream: StreamId, message: MessageId, user: UserId) -> Vec<u8> {
    let parts: [&[u8]; 3] =
        [&stream_bytes(stream), &message.get().to_be_bytes(), &user.get().to_be_bytes()];
    key(b'i', &parts)
}

pub(super) fn likes(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'i', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A like that is over. The number of the event that ended it comes last, so that a user's first
/// like to end after a given event is found in one step.
pub(super) fn ended_like(stream: StreamId, message: MessageId, user: UserId, n: u64) -> Vec<u8> {
    let mut key = ended_likes(stream, message);
    key.extend_from_slice(&user.get().to_be_bytes());
    key.extend_from_slice(&n.to_be_bytes());
    key
}

pub(super) fn ended_likes(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'I', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

pub(super) fn like_count(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'j', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

pub(super) fn rank(stream: StreamId, message: MessageId, count: u32) -> Vec<u8> {
    let day = (message.second() / DAY).to_be_bytes();
    let count = count.to_be_bytes();
    key(b'r', &[&stream_bytes(stream), &day, &count, &message.get().to_be_bytes()])
}

pub(super) fn ranks(stream: StreamId, day: u64) -> Vec<u8> {
    key(b'r', &[&stream_bytes(stream), &day.to_be_bytes()])
}

/// The number of likes and the message, read from the key of a rank.
pub(super) fn rank_of(key: &[u8]) -> (u32, MessageId) {
    let count = key.len().checked_sub(12).and_then(|at| key[at..].first_chunk().copied());
    (count.map_or(0, u32::from_be_bytes), MessageId::new(last_number(key)))
}

pub(super) fn liked_by(
    user: UserId,
    stream: StreamId,
    liked_at: Timestamp,
    message: MessageId,
) -> Vec<u8> {
    let mut key = liked_by_all(user, stream);
    key.extend_from_slice(&liked_at.millis().to_be_bytes());
    key.extend_from_slice(&message.get().to_be_bytes());
    key
}

pub(super) fn liked_by_all(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'y', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(super) fn liked_of(author: UserId, stream: StreamId, message: MessageId) -> Vec<u8> {
    let mut key = liked_of_all(author, stream);
    key.extend_from_slice(&message.get().to_be_bytes());
    key
}

pub(super) fn liked_of_all(author: UserId, stream: StreamId) -> Vec<u8> {
    key(b'z', &[&author.get().to_be_bytes(), &stream_bytes(stream)])
}

/// The last two numbers of a key.
pub(super) fn last_two_numbers(key: &[u8]) -> (u64, u64) {
    let before = key.len().checked_sub(8).map_or(0, |at| last_number(&key[..at]));
    (before, last_number(key))
}

pub(super) fn chat(of: UserId, with: UserId) -> Vec<u8> {
    key(b'c', &[&of.get().to_be_bytes(), &with.get().to_be_bytes()])
}

pub(super) fn chats(of: UserId) -> Vec<u8> {
    key(b'c', &[&of.get().to_be_bytes()])
}

pub(super) fn block(by: UserId, other: UserId) -> Vec<u8> {
    key(b'x', &[&by.get().to_be_bytes(), &other.get().to_be_bytes()])
}

pub(super) fn blocks(by: UserId) -> Vec<u8> {
    key(b'x', &[&by.get().to_be_bytes()])
}

pub(super) fn answer(ask: AskKey) -> Vec<u8> {
    key(b'A', &[&ask.get().to_be_bytes()])
}

/// An answer by its time, so that it is found when it has expired.
pub(super) fn answered(at: Timestamp, ask: AskKey) -> Vec<u8> {
    key(b'T', &[&at.millis().to_be_bytes(), &ask.get().to_be_bytes()])
}

/// When an answer was given and under which key, read from a key made by [`answered`].
pub(super) fn answered_of(key: &[u8]) -> Option<(Timestamp, AskKey)> {
    let (at, rest) = key.get(1..)?.split_first_chunk()?;
    let ask = <[u8; 16]>::try_from(rest).ok()?;
    let at = Timestamp::from_millis(u64::from_be_bytes(*at));
    Some((at, AskKey::new(u128::from_be_bytes(ask))))
}

pub(super) fn device(user: UserId, id: &str) -> Vec<u8> {
    key(b'd', &[&user.get().to_be_bytes(), id.as_bytes()])
}

pub(super) fn devices(user: UserId) -> Vec<u8> {
    key(b'd', &[&user.get().to_be_bytes()])
}

/// The prefix of all devices.
pub(super) fn all_devices() -> Vec<u8> {
    key(b'd', &[])
}

/// The user, read from the key of a device.
pub(super) fn device_user(key: &[u8]) -> UserId {
    let number = key.get(1..).and_then(|rest| rest.first_chunk().copied());
    UserId::new(number.map_or(0, u64::from_be_bytes))
}

pub(super) fn in_sms_mode(user: UserId) -> Vec<u8> {
    key(b'M', &[&user.get().to_be_bytes()])
}

/// The prefix of all users who switched SMS mode on.
pub(super) fn all_in_sms_mode() -> Vec<u8> {
    key(b'M', &[])
}

/// The user at the end of a key, such as that of a chat or a block.
pub(super) fn user_of(key: &[u8]) -> UserId {
    UserId::new(last_number(key))
}

/// The last number of a key.
pub(super) fn last_number(key: &[u8]) -> u64 {
    key.last_chunk().copied().map_or(0, u64::from_be_bytes)
}

/// Whether there is a bot with this public number.
pub(super) fn bot_number(bot: UserId) -> Vec<u8> {
    key(b'G', &[&bot.get().to_be_bytes()])
}

/// A file of a conversation.
pub(super) fn file(stream: StreamId, id: &FileId) -> Vec<u8> {
    key(b'$', &[&stream_bytes(stream), id.as_str().as_bytes()])
}

/// A message that has something of this kind.
pub(super) fn gallery(stream: StreamId, kind: GalleryKind, message: MessageId) -> Vec<u8> {
    key(b'@', &[&stream_bytes(stream), &[kind.letter()], &message.get().to_be_bytes()])
}

/// The message, read from a key made by [`gallery`].
pub(super) fn gallery_message(key: &[u8]) -> MessageId {
    MessageId::new(last_number(key))
}

/// The ids of the files that a message carries or carried.
pub(super) fn files_of_message(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'%', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// How many files have this content.
pub(super) fn file_content(digest: &str) -> Vec<u8> {
    key(b'&', &[digest.as_bytes()])
}

/// The total size of the files that a user sent.
pub(super) fn owned_bytes(owner: UserId) -> Vec<u8> {
    key(b'=', &[&owner.get().to_be_bytes()])
}

/// A content that no message had any more from a time on.
pub(super) fn forgotten_content(at: Timestamp, digest: &str) -> Vec<u8> {
    key(b'~', &[&at.millis().to_be_bytes(), digest.as_bytes()])
}

/// The name after the time, in a key made by [`forgotten_content`] or by `image_let_go`.
pub(super) fn forgotten_name(key: &[u8]) -> String {
    String::from_utf8_lossy(key.get(9..).unwrap_or_default()).into_owned()
}

/// A mail that waits, by when it is due.
pub(super) fn due_mail(at: Timestamp, user: UserId, id: MailId) -> Vec<u8> {
    mail_at(b'<', at, user, id)
}

/// The prefix of all mails that wait.
pub(super) fn due_mails() -> Vec<u8> {
    key(b'<', &[])
}

/// A mail that was given up, by when that was.
pub(super) fn dead_mail(at: Timestamp, user: UserId, id: MailId) -> Vec<u8> {
    mail_at(b'>', at, user, id)
}

/// The prefix of all mails that were given up.
pub(super) fn dead_mails() -> Vec<u8> {
    key(b'>', &[])
}

fn mail_at(prefix: u8, at: Timestamp, user: UserId, id: MailId) -> Vec<u8> {
    let parts = [at.millis(), user.get(), id.get()].map(u64::to_be_bytes);
    key(prefix, &[&parts[0], &parts[1], &parts[2]])
}

/// For what in a conversation a user wants notices.
pub(super) fn notice_level(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'4', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(super) fn notice_levels(user: UserId) -> Vec<u8> {
    key(b'4', &[&user.get().to_be_bytes()])
}

/// Until when a user wants no notices at all.
pub(super) fn all_muted(user: UserId) -> Vec<u8> {
    key(b'5', &[&user.get().to_be_bytes()])
}

/// Until when a user wants no notices of a chat or a topic.
pub(super) fn conversation_muted(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'!', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(super) fn conversations_muted(user: UserId) -> Vec<u8> {
    key(b'!', &[&user.get().to_be_bytes()])
}

/// The prefixes of all rows here that belong to a user.
pub(super) fn notices_of_user(user: UserId) -> [Vec<u8>; 3] {
    [notice_levels(user), all_muted(user), conversations_muted(user)]
}

/// An appointment, by its time.
pub(super) fn alarm(at: Timestamp, alarm: &[u8]) -> Vec<u8> {
    key(b'6', &[&at.millis().to_be_bytes(), alarm])
}

/// A group or an account as it was right after an event that shows it.
pub(super) fn shown(stream: StreamId, n: u64) -> Vec<u8> {
    key(b'W', &[&stream_bytes(stream), &n.to_be_bytes()])
}

pub(super) fn all_shown(stream: StreamId) -> Vec<u8> {
    key(b'W', &[&stream_bytes(stream)])
}

/// A member of a group as they were from an event on.
pub(super) fn past_member(group: GroupId, user: UserId, n: u64) -> Vec<u8> {
    let parts = [group.get().to_be_bytes(), user.get().to_be_bytes(), n.to_be_bytes()];
    key(b'F', &[&parts[0], &parts[1], &parts[2]])
}

pub(super) fn past_members(group: GroupId) -> Vec<u8> {
    key(b'F', &[&group.get().to_be_bytes()])
}

/// The edits, deletion, pin, thread and previews of a message.
pub(super) fn revision(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'S', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A message's pin from an event on.
pub(super) fn pin_then(stream: StreamId, message: MessageId, n: u64) -> Vec<u8> {
    key(b'Z', &[&stream_bytes(stream), &message.get().to_be_bytes(), &n.to_be_bytes()])
}

pub(super) fn pins_then(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'Z', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A message that is pinned now.
pub(super) fn pinned(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'1', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

pub(super) fn all_pinned(stream: StreamId) -> Vec<u8> {
    key(b'1', &[&stream_bytes(stream)])
}

/// An answer in a thread, by the first message of the thread.
pub(super) fn thread_answer(stream: StreamId, base: MessageId, message: MessageId) -> Vec<u8> {
    let base = base.get().to_be_bytes();
    let message = message.get().to_be_bytes();
    key(b'2', &[&stream_bytes(stream), &base, &message])
}

pub(super) fn thread_answers(stream: StreamId, base: MessageId) -> Vec<u8> {
    key(b'2', &[&stream_bytes(stream), &base.get().to_be_bytes()])
}

/// A user's draft in a conversation.
pub(super) fn draft(user: UserId, stream: StreamId) -> Vec<u8> {
    key(b'3', &[&user.get().to_be_bytes(), &stream_bytes(stream)])
}

pub(super) fn drafts(user: UserId) -> Vec<u8> {
    key(b'3', &[&user.get().to_be_bytes()])
}

/// The conversation in the key of a draft.
pub(super) fn conversation_of_draft(key: &[u8]) -> Option<Conversation> {
    let number = |at: usize| key.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes);
    match key.get(9)? {
        b'g' => Some(GroupId::new(number(10)?).into()),
        b'd' => {
            Pair::of(UserId::new(number(10)?), UserId::new(number(18)?)).map(Conversation::from)
        }
        _ => None,
    }
}

/// The uses of an image.
pub(super) fn image(name: &str) -> Vec<u8> {
    key(b'K', &[name.as_bytes()])
}

/// An image that nothing may show from a time on.
pub(super) fn image_let_go(at: Timestamp, name: &str) -> Vec<u8> {
    key(b'-', &[&at.millis().to_be_bytes(), name.as_bytes()])
}

/// The names of the images that a message carries or carried.
pub(super) fn images(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'X', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// The users whom a message is for.
pub(super) fn addressed(stream: StreamId, message: MessageId) -> Vec<u8> {
    key(b'H', &[&stream_bytes(stream), &message.get().to_be_bytes()])
}

/// A message for a user, by the number of the event that posted it.
pub(super) fn mention(user: UserId, stream: StreamId, n: u64) -> Vec<u8> {
    key(b'L', &[&user.get().to_be_bytes(), &stream_bytes(stream), &n.to_be_bytes()])
}

/// A poll.
pub(super) fn poll(stream: StreamId, poll: PollId) -> Vec<u8> {
    key(b'7', &[&stream_bytes(stream), &poll.get().to_be_bytes()])
}

pub(super) fn polls(stream: StreamId) -> Vec<u8> {
    key(b'7', &[&stream_bytes(stream)])
}

/// A poll that has not ended.
pub(super) fn open_poll(stream: StreamId, poll: PollId) -> Vec<u8> {
    key(b':', &[&stream_bytes(stream), &poll.get().to_be_bytes()])
}

pub(super) fn open_polls(stream: StreamId) -> Vec<u8> {
    key(b':', &[&stream_bytes(stream)])
}

/// A vote, by the number of the event that cast it.
pub(super) fn vote(stream: StreamId, poll: PollId, n: u64) -> Vec<u8> {
    key(b'8', &[&stream_bytes(stream), &poll.get().to_be_bytes(), &n.to_be_bytes()])
}

pub(super) fn votes(stream: StreamId, poll: PollId) -> Vec<u8> {
    key(b'8', &[&stream_bytes(stream), &poll.get().to_be_bytes()])
}

/// An event of a calendar.
pub(super) fn planned(stream: StreamId, event: CalendarEventId) -> Vec<u8> {
    key(b'9', &[&stream_bytes(stream), &event.get().to_be_bytes()])
}

pub(super) fn calendar(stream: StreamId) -> Vec<u8> {
    key(b'9', &[&stream_bytes(stream)])
}

/// An event of a calendar, by the time until which it is open.
pub(super) fn open_planned(stream: StreamId, until: Timestamp, event: CalendarEventId) -> Vec<u8> {
    let until = until.millis().to_be_bytes();
    let event = event.get().to_be_bytes();
    key(b';', &[&stream_bytes(stream), &until, &event])
}

pub(super) fn open_calendar(stream: StreamId) -> Vec<u8> {
    key(b';', &[&stream_bytes(stream)])
}

/// A change of an event of a calendar, by the number of the logged event that brought it.
pub(super) fn planned_change(stream: StreamId, event: CalendarEventId, n: u64) -> Vec<u8> {
    key(b'+', &[&stream_bytes(stream), &event.get().to_be_bytes(), &n.to_be_bytes()])
}

pub(super) fn planned_changes(stream: StreamId, event: CalendarEventId) -> Vec<u8> {
    key(b'+', &[&stream_bytes(stream), &event.get().to_be_bytes()])
}

/// The row of an email address or a phone number: who claims or has claimed it.
pub(super) fn name(id: NameId) -> Vec<u8> {
    key(b'E', &[id.bytes()])
}

/// The role of an operator.
pub(super) fn operator_role(user: UserId) -> Vec<u8> {
    key(b'(', &[&user.get().to_be_bytes()])
}

/// The prefix of all roles of operators.
pub(super) fn operator_roles() -> Vec<u8> {
    key(b'(', &[])
}

/// An act of an operator, by its cursor.
pub(super) fn operator_act(cursor: u64) -> Vec<u8> {
    key(b')', &[&cursor.to_be_bytes()])
}
