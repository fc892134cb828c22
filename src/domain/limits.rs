//! Every limit of the rules, in one place, each with its source.

/// Characters of a message (specification, section 8).
pub const MESSAGE_CHARS: usize = 1000;
/// Characters of a group's name (specification, section 8).
pub const GROUP_NAME_CHARS: usize = 140;
/// Characters of a group's description (specification, section 8).
pub const DESCRIPTION_CHARS: usize = 255;
/// Characters of a nickname: the larger of the two bounds of the specification, section 4.
pub const NICKNAME_CHARS: usize = 255;
/// Characters of a user's name: what a nickname may hold too.
pub const USER_NAME_CHARS: usize = 255;
/// Characters of a `source_guid`: ten times what existing clients send.
pub const GUID_CHARS: usize = 255;
/// Characters of an email address (RFC 5321, section 4.5.3.1.3).
pub const EMAIL_CHARS: usize = 254;
/// Digits of a phone number (ITU-T E.164).
pub const PHONE_DIGITS: usize = 15;
/// Characters of a password at least; at most, so that hashing stays bounded.
pub const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=1000;
/// Attachments of one message.
pub const ATTACHMENTS: usize = 25;
/// Characters of one text inside an attachment.
pub const ATTACHMENT_CHARS: usize = 1000;
/// Pairs or entries of one list inside an attachment.
pub const ATTACHMENT_ENTRIES: usize = 1000;
/// Entries of all lists in the attachments of one message: a thousand people named.
pub const MESSAGE_ENTRIES: usize = 2000;
/// Bytes of all attachments of one message in JSON: a thousand people named, and as much
/// again. A page of the largest messages so stays within its own bound.
pub const MESSAGE_ATTACHMENT_BYTES: usize = 48 << 10;
/// Edits of one message: each is kept for its history.
pub const MESSAGE_EDITS: u32 = 100;
/// Milliseconds for which a draft is kept: 30 days.
pub const DRAFT_MILLIS: u64 = 30 * 24 * 3_600_000;
/// Members of a group in which is told who has read a message.
pub const READ_BY_MEMBERS: usize = 100;
/// Options of a poll.
pub const POLL_OPTIONS: std::ops::RangeInclusive<usize> = 2..=10;
/// Characters of what a poll asks, and of an option.
pub const POLL_CHARS: usize = 160;
/// Milliseconds for which a poll is open at least: a minute.
pub const POLL_RUNS_MILLIS: u64 = 60_000;
/// Polls of a group that are open at once: their votes are in memory.
pub const OPEN_POLLS: usize = 50;
/// Polls in a list: the newest.
pub const LISTED_POLLS: usize = 100;
/// Votes up to which everybody is told with each vote who gave them.
pub const TOLD_VOTERS: usize = 100;
/// Characters of the name of an event, and of its place.
pub const EVENT_NAME_CHARS: usize = 160;
/// Characters of what an event is about.
pub const EVENT_WORDS_CHARS: usize = MESSAGE_CHARS;
/// Events of a conversation that are not over: they are in memory.
pub const PLANNED_EVENTS: usize = 100;
/// Events in a list, at most.
pub const LISTED_EVENTS: usize = 100;
/// Reminders of an event.
pub const EVENT_REMINDERS: usize = 10;
/// Seconds before its start at which a reminder can be: four weeks.
pub const REMINDER_SECONDS: u64 = 28 * 86_400;
/// Answers up to which everybody is told with each change of an event who gave them.
pub const TOLD_ANSWERS: usize = 100;
/// Pinned messages of a conversation.
pub const PINS: usize = 50;
/// Characters of what is searched for: a long sentence.
pub const SEARCH_CHARS: usize = 256;
/// Words of what is searched for: each is a list to walk.
pub const SEARCH_WORDS: usize = 32;
/// Milliseconds in which a `source_guid` may not come again (specification, section 8).
pub const DEDUP_MILLIS: u64 = 60_000;
/// Members of one group.
pub const GROUP_MEMBERS: usize = 10_000;
/// Invites of one group that wait for an account.
pub const GROUP_INVITES: usize = 10_000;
/// People in one request to add.
pub const ADD_ITEMS: usize = 1000;
/// Milliseconds for which the results of an add request are kept (specification, section 8).
pub const ADD_RESULTS_MILLIS: u64 = 3_600_000;
/// Hours of SMS mode (specification, section 8).
pub const SMS_HOURS: std::ops::RangeInclusive<u64> = 1..=48;
/// Characters of a zip code, and of a registration id.
pub const SHORT_CHARS: usize = 255;
/// Bots of one group.
pub const BOTS: usize = 100;
/// Commands of one bot: as many as a list of them shows without getting lost in it.
pub const BOT_COMMANDS: usize = 50;
/// Characters of a command's name.
pub const COMMAND_NAME_CHARS: usize = 32;
/// Characters of what a command does.
pub const COMMAND_ABOUT_CHARS: usize = 100;
/// Milliseconds for which a bot's old secret signs beside the new one.
pub const SECRET_OVERLAP_MILLIS: u64 = 24 * 3_600_000;
/// Deliveries of one bot that are kept: the newest, and those that are not over.
pub const DELIVERIES: u64 = 1000;
/// Milliseconds for which deliveries are shown.
pub const DELIVERIES_MILLIS: u64 = 7 * 24 * 3_600_000;
/// Deliveries that one request replays; more take several.
pub const REPLAYS: usize = 200;
/// Characters of a listener's answer that are kept.
pub const ANSWER_CHARS: usize = 500;
/// Characters of a callback URL.
pub const CALLBACK_URL_CHARS: usize = 2048;
/// Items in one request to change owners.
pub const OWNER_REQUESTS: usize = 1000;
/// Access tokens of one user that live at the same time; the oldest makes room.
pub const TOKENS_PER_USER: usize = 1000;
/// Conversations that one user pins.
pub const PINNED_CONVERSATIONS: usize = 100;
/// Applications of one user.
pub const APPLICATIONS: usize = 100;
/// Characters of an application's name: what fits the page that asks for consent.
pub const APPLICATION_NAME_CHARS: usize = 100;
/// Characters of a system message: those of any message.
pub const LINE_CHARS: usize = MESSAGE_CHARS;
/// Others whom one user blocks at the same time.
pub const BLOCKS: usize = 10_000;
/// Milliseconds for which somebody who flooded others may send no direct message.
pub const BAN_MILLIS: u64 = 600_000;
/// Milliseconds for which the claim of an email address or a phone number is good.
pub const CLAIM_MILLIS: u64 = 60_000;
/// Milliseconds in which failed log-ins are counted for the audit log.
pub const AUDIT_WINDOW_MILLIS: u64 = 600_000;
/// Failed log-ins that the audit log takes in such a time: under an attack that never ends,
/// some 3 MB of journal a day.
pub const AUDIT_FAILURES: usize = 100;
/// Failed log-ins of one address that it takes in such a time.
pub const AUDIT_FAILURES_OF_ADDRESS: usize = 20;
/// Stays of one user in one group that are remembered, for replaying what was visible.
pub const STAYS: usize = 32;
/// Bytes of an image that comes in.
pub const IMAGE_BYTES: usize = 10 << 20;
/// Pixels of an image.
pub const IMAGE_PIXELS: u64 = 40_000_000;
/// Pixels of one side of an image: what JPEG and GIF can say.
pub const IMAGE_SIDE: u32 = 65_535;
/// Pictures of an animation.
pub const IMAGE_FRAMES: usize = 1000;
/// Pixels of an image that are read in all: those of every picture of an animation, or of
/// every pass over a progressive JPEG (a photo has about ten), so that the time is bounded
/// before it is spent.
pub const IMAGE_WORK: u64 = 500_000_000;
/// Bytes of an image as it is stored: formats that lose nothing grow when they are written
/// anew.
pub const IMAGE_STORED_BYTES: usize = 40 << 20;
/// Characters of a file's name: what file systems hold.
pub const FILE_NAME_CHARS: usize = 255;
/// Links of one message that have a preview.
pub const LINK_PREVIEWS: usize = 3;
/// Characters of the title of a preview.
pub const PREVIEW_TITLE_CHARS: usize = 200;
/// Characters of what a preview says of its page.
pub const PREVIEW_DESCRIPTION_CHARS: usize = 300;
/// Files of one user that wait to be sent.
pub const UNSENT_FILES: usize = 1000;
/// Uploads of one user that have begun and are not complete.
pub const PARTIAL_UPLOADS: usize = 32;
/// Milliseconds after which an upload ends that was begun in parts.
pub const PARTIAL_MILLIS: u64 = 24 * 3_600_000;
/// Milliseconds after which a file that was never sent is removed.
pub const UNSENT_MILLIS: u64 = 24 * 3_600_000;
/// Seconds of a recording: a day.
pub const RECORDING_SECONDS: u64 = 86_400;
/// Browsers and phones of one user that take push notices; the oldest makes room. So few
/// that they all fit into the decision that ends their log-in.
pub const DEVICES_PER_USER: usize = 10;
/// Characters of the URL of a push service.
pub const ENDPOINT_CHARS: usize = 2048;
