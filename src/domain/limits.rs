//! Every limit of the rules, in one place, each with its source.

/// Characters of a message (specification, section 8).
pub const MESSAGE_CHARS: usize = 1000;
/// Characters of a group's name (specification, section 8).
pub const GROUP_NAME_CHARS: usize = 140;
/// Characters of a group's description (specification, section 8).
pub const DESCRIPTION_CHARS: usize = 255;
/// Characters of a nickname: the larger of the two bounds of the specification, section 4.
pub const NICKNAME_CHARS: usize = 255;
/// Characters of a user's name: as many as a nickname may have.
pub const USER_NAME_CHARS: usize = 255;
/// Characters of a `source_guid`: ten times what existing clients send.
pub const GUID_CHARS: usize = 255;
/// Characters of an email address (RFC 5321, section 4.5.3.1.3).
pub const EMAIL_CHARS: usize = 254;
/// Digits of a phone number at most (ITU-T E.164).
pub const PHONE_DIGITS: usize = 15;
/// Characters of a password. The upper bound limits the time that hashing takes.
pub const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=1000;
/// Attachments of one message.
pub const ATTACHMENTS: usize = 25;
/// Characters of one text inside an attachment.
pub const ATTACHMENT_CHARS: usize = 1000;
/// Pairs or entries of one list inside an attachment.
pub const ATTACHMENT_ENTRIES: usize = 1000;
/// Entries of all lists in the attachments of one message: enough to mention a thousand people.
pub const MESSAGE_ENTRIES: usize = 2000;
/// Bytes of all attachments of one message in JSON: enough to mention a thousand people, and as
/// much again. This keeps a page of the largest messages within its own bound.
pub const MESSAGE_ATTACHMENT_BYTES: usize = 48 << 10;
/// Edits of one message: the history keeps each of them.
pub const MESSAGE_EDITS: u32 = 100;
/// Milliseconds for which a draft is kept: 30 days.
pub const DRAFT_MILLIS: u64 = 30 * 24 * 3_600_000;
/// Members of a group up to which it is shown who has read a message.
pub const READ_BY_MEMBERS: usize = 100;
/// Options of one poll.
pub const POLL_OPTIONS: std::ops::RangeInclusive<usize> = 2..=10;
/// Characters of a poll's question, and of each option.
pub const POLL_CHARS: usize = 160;
/// Milliseconds for which a poll is open at least: a minute.
pub const POLL_RUNS_MILLIS: u64 = 60_000;
/// Polls of a group that are open at once: their votes are kept in memory.
pub const OPEN_POLLS: usize = 50;
/// Polls in a list at most: the newest ones.
pub const LISTED_POLLS: usize = 100;
/// Votes of a poll up to which events about it name the voters.
pub const TOLD_VOTERS: usize = 100;
/// Characters of an event's name, and of the name of its place.
pub const EVENT_NAME_CHARS: usize = 160;
/// Characters of an event's description.
pub const EVENT_WORDS_CHARS: usize = MESSAGE_CHARS;
/// Events of a conversation that are not over: they are kept in memory.
pub const PLANNED_EVENTS: usize = 100;
/// Events in a list, at most.
pub const LISTED_EVENTS: usize = 100;
/// Reminders of an event.
pub const EVENT_REMINDERS: usize = 10;
/// Seconds that a reminder may precede the start of its event: four weeks.
pub const REMINDER_SECONDS: u64 = 28 * 86_400;
/// Answers to a calendar event up to which pushes about it name those who answered.
pub const TOLD_ANSWERS: usize = 100;
/// Users who like a message up to whose number events about it name them.
pub const TOLD_LIKERS: usize = 100;
/// Reactions of a message that events count if they do not name the users who gave them.
pub const TOLD_REACTIONS: usize = 20;
/// Pinned messages of a conversation.
pub const PINS: usize = 50;
/// Characters of a search query: a long sentence.
pub const SEARCH_CHARS: usize = 256;
/// Words of a search query: each is a list to walk.
pub const SEARCH_WORDS: usize = 32;
/// Milliseconds within which a `source_guid` may not be used again (specification, section 8).
pub const DEDUP_MILLIS: u64 = 60_000;
/// Members of one group.
pub const GROUP_MEMBERS: usize = 10_000;
/// Seconds between two posts of one member that slow mode demands at most: six hours.
pub const SLOW_MODE_SECONDS: u32 = 6 * 3600;
/// Milliseconds that a timeout lasts at most: 28 days.
pub const TIMEOUT_MILLIS: u64 = 28 * 86_400_000;
/// Users whom one group bans.
pub const GROUP_BANS: usize = 10_000;
/// Open reports of one group: each keeps a copy of its message.
pub const OPEN_REPORTS: usize = 500;
/// Members whose reports of one message are kept; more say nothing new.
pub const REPORT_FILINGS: usize = 50;
/// Earlier texts of a message that are kept with a report, the newest.
pub const REPORT_EARLIER_TEXTS: usize = 10;
/// Characters of what a member says about a report.
pub const REPORT_TEXT_CHARS: usize = 1000;
/// Open reports to the operators of the installation.
pub const OPERATOR_REPORTS: usize = 10_000;
/// Reports that one user files in [`REPORT_WINDOW_MILLIS`].
pub const REPORTS_OF_USER: usize = 20;
/// The time in which the reports of a user are counted, in milliseconds: a day.
pub const REPORT_WINDOW_MILLIS: u64 = 24 * 3_600_000;
/// Milliseconds for which a report is kept after it was resolved: 90 days.
pub const REPORT_KEPT_MILLIS: u64 = 90 * 24 * 3_600_000;
/// Messages of one group that wait for approval.
pub const HELD_MESSAGES: usize = 500;
/// Milliseconds after which a message that waits for approval ends: a week.
pub const HELD_MILLIS: u64 = 7 * 86_400_000;
/// Rules of one group.
pub const GROUP_RULES: usize = 20;
/// Topics of a group: each has a room of its own.
pub const GROUP_TOPICS: usize = 50;
/// Characters of the name of a rule.
pub const RULE_NAME_CHARS: usize = 60;
/// Characters of what the author of a refused post reads.
pub const RULE_MESSAGE_CHARS: usize = 150;
/// Words of one rule.
pub const RULE_WORDS: usize = 1000;
/// Words of one rule inside which nothing matches.
pub const RULE_ALLOWED_WORDS: usize = 100;
/// Characters of a word of a rule.
pub const RULE_WORD_CHARS: usize = 60;
/// Patterns of all rules of a group. The slowest found takes 3.1 ms for 1,000 characters.
pub const RULE_PATTERNS: usize = 10;
/// Characters of a pattern.
pub const RULE_PATTERN_CHARS: usize = 260;
/// Bytes of a compiled pattern, and of what a search with it keeps. `\w+@\w+\.\w+` takes 146 KiB,
/// since a `\w` knows the letters of all scripts (49 KiB).
pub const RULE_PATTERN_BYTES: usize = 256 << 10;
/// Bytes by which a pattern that takes no more is counted.
pub const RULE_SMALL_PATTERN_BYTES: usize = 64 << 10;
/// Hosts of one rule.
pub const RULE_HOSTS: usize = 200;
/// Characters of a host (RFC 1035, section 2.3.4).
pub const RULE_HOST_CHARS: usize = 253;
/// People whom a post may mention under a rule.
pub const RULE_MENTIONS: std::ops::RangeInclusive<u32> = 0..=1000;
/// Posts that a rule counts.
pub const RULE_COUNT: std::ops::RangeInclusive<u32> = 2..=50;
/// Seconds in which a rule counts posts.
pub const RULE_SECONDS: std::ops::RangeInclusive<u32> = 1..=3600;
/// Hours for which a member is new under a rule: up to a week.
pub const NEWCOMER_HOURS: std::ops::RangeInclusive<u32> = 1..=168;
/// Messages after which a member is not new any more under a rule.
pub const NEWCOMER_MESSAGES: std::ops::RangeInclusive<u32> = 1..=100;
/// Newest messages of a group in which its room looks for joins and posts that rules count.
pub const RULE_LOG_MESSAGES: usize = 5000;
/// Seconds of a timeout by a rule: up to 28 days.
pub const RULE_TIMEOUT_SECONDS: std::ops::RangeInclusive<u32> = 1..=28 * 86_400;
/// Bytes of the compiled rules of one group.
pub const RULES_BYTES: usize = 8 << 20;
/// Characters of the reason for a ban.
pub const MODERATION_REASON_CHARS: usize = 500;
/// Seconds for which the messages of a banned user can be deleted with the ban: a week.
pub const BAN_DELETES_SECONDS: u64 = 604_800;
/// Messages that are deleted with one ban.
pub const BAN_DELETES: usize = 1000;
/// Invite links of one group that can be used, without those for email addresses.
pub const INVITE_LINKS: usize = 50;
/// Email addresses in one request that invites people.
pub const INVITE_EMAILS: usize = 50;
/// Email addresses that one user invites in 24 hours.
pub const INVITE_EMAILS_OF_USER: u32 = 200;
/// Invite links of one group that were made for email addresses and can be used.
pub const EMAIL_INVITES: usize = 500;
/// Milliseconds for which an invite link for an email address is valid: 7 days.
pub const EMAIL_INVITE_MILLIS: u64 = 7 * 86_400_000;
/// Invite links of one group that ended and are remembered, to say so to their holders.
pub const REMEMBERED_INVITE_LINKS: usize = 100;
/// Invitations of the operators that can be used.
pub const INVITATIONS: usize = 500;
/// Invitations of the operators that cannot be used any more and are remembered, to say so to their
/// holders.
pub const REMEMBERED_INVITATIONS: usize = 100;
/// How many people may use an invitation of the operators.
pub const INVITATION_USES: std::ops::RangeInclusive<u32> = 1..=1_000;
/// Seconds for which an invitation of the operators is valid if nobody says it: 7 days.
pub const INVITATION_SECONDS: u32 = 7 * 86_400;
/// Characters of the name of an invite link.
pub const INVITE_NAME_CHARS: usize = 60;
/// How many people may use an invite link that has a limit.
pub const INVITE_USES: std::ops::RangeInclusive<u32> = 1..=100_000;
/// Seconds for which an invite link that ends is valid: a minute to a year.
pub const INVITE_SECONDS: std::ops::RangeInclusive<u32> = 60..=366 * 86_400;
/// Requests to join one group that wait to be decided.
pub const JOIN_REQUESTS: usize = 1000;
/// Requests to join groups that one user may have open.
pub const USER_JOIN_REQUESTS: usize = 20;
/// Milliseconds for which a denied user may not ask again: a day.
pub const DENIAL_MILLIS: u64 = 24 * 3_600_000;
/// Characters of the question that people answer when they ask to join.
pub const JOIN_QUESTION_CHARS: usize = 255;
/// Characters of the answer to it.
pub const JOIN_ANSWER_CHARS: usize = 500;
/// Invites of one group that wait for an account to be created.
pub const GROUP_INVITES: usize = 10_000;
/// People in one request to add members.
pub const ADD_ITEMS: usize = 1000;
/// Milliseconds for which the results of an add request are kept (specification, section 8).
pub const ADD_RESULTS_MILLIS: u64 = 3_600_000;
/// Requests to add people that may wait in a group for their look-ups, which take milliseconds.
pub const OPEN_ADDS: usize = 100;
/// Hours that SMS mode may be switched on for (specification, section 8).
pub const SMS_HOURS: std::ops::RangeInclusive<u64> = 1..=48;
/// Characters of the name of the place.
pub const PLACE_NAME_CHARS: usize = 100;
/// Characters of the words of greeting.
pub const GREETING_CHARS: usize = 1000;
/// Characters of the contact that people ask for help.
pub const CONTACT_CHARS: usize = 200;
/// Characters of the reason that an operator gives for an act.
pub const REASON_CHARS: usize = 500;
/// Characters of what somebody says who asks for an account.
pub const ABOUT_CHARS: usize = 500;
/// Characters of the text that a list of operators is searched for.
pub const QUERY_CHARS: usize = 100;
/// Groups of directories (SCIM).
pub const DIRECTORY_GROUPS: usize = 500;
/// Members of a group of a directory.
pub const DIRECTORY_GROUP_MEMBERS: usize = 10_000;
/// Characters of a zip code, and of a registration id.
pub const SHORT_CHARS: usize = 255;
/// Bots of one group.
pub const BOTS: usize = 100;
/// Commands of one bot: as many as people can survey in a list.
pub const BOT_COMMANDS: usize = 50;
/// Characters of a command's name.
pub const COMMAND_NAME_CHARS: usize = 32;
/// Characters of a command's description.
pub const COMMAND_ABOUT_CHARS: usize = 100;
/// Milliseconds for which a bot's old secret still signs callbacks beside the new one: a day.
pub const SECRET_OVERLAP_MILLIS: u64 = 24 * 3_600_000;
/// Deliveries of one bot that are kept: the newest, and all that are still open.
pub const DELIVERIES: u64 = 1000;
/// Milliseconds for which deliveries are shown that are no longer open: seven days.
pub const DELIVERIES_MILLIS: u64 = 7 * 24 * 3_600_000;
/// Deliveries that one request replays at most; to replay more takes several requests.
pub const REPLAYS: usize = 200;
/// Characters of a listener's response that are kept.
pub const ANSWER_CHARS: usize = 500;
/// Characters of a callback URL.
pub const CALLBACK_URL_CHARS: usize = 2048;
/// Items in one request to change owners.
pub const OWNER_REQUESTS: usize = 1000;
/// Valid access tokens of one user; a new one replaces the oldest.
pub const TOKENS_PER_USER: usize = 1000;
/// How long a token may live that its owner makes, in seconds: up to ten years.
pub const TOKEN_SECONDS: std::ops::RangeInclusive<u64> = 60..=10 * 365 * 24 * 60 * 60;
/// Conversations that one user pins.
pub const PINNED_CONVERSATIONS: usize = 100;
/// Messages that one user saves.
pub const SAVED_MESSAGES: usize = 500;
/// Folders of conversations of one user.
pub const FOLDERS: usize = 20;
/// Conversations in one folder.
pub const FOLDER_CONVERSATIONS: usize = 100;
/// Characters of a folder's name: as many as fit on a tab.
pub const FOLDER_NAME_CHARS: usize = 30;
/// Applications of one user.
pub const APPLICATIONS: usize = 100;
/// Characters of an application's name: as many as fit on the page that asks for consent.
pub const APPLICATION_NAME_CHARS: usize = 100;
/// Characters of a system message: as many as any message may have.
pub const LINE_CHARS: usize = MESSAGE_CHARS;
/// Milliseconds for which a request to become a member can be decided: thirty days.
pub const JOIN_REQUEST_MILLIS: u64 = 30 * 24 * 3_600_000;
/// Users that one user can block.
pub const BLOCKS: usize = 10_000;
/// Milliseconds for which a user who sent too many direct messages may send none: ten minutes.
pub const BAN_MILLIS: u64 = 600_000;
/// Milliseconds for which a claim of an email address or a phone number is valid.
pub const CLAIM_MILLIS: u64 = 60_000;
/// Milliseconds of the window in which failed log-ins are counted for the audit log.
pub const AUDIT_WINDOW_MILLIS: u64 = 600_000;
/// Failed log-ins that the audit log records in one window: in an endless attack, about 3 MB of
/// journal a day.
pub const AUDIT_FAILURES: usize = 100;
/// Failed log-ins from one source that the audit log records in one window.
pub const AUDIT_FAILURES_OF_ADDRESS: usize = 20;
/// Stays of one user in one group that are kept, for replaying what was visible to the user.
pub const STAYS: usize = 32;
/// Bytes of an uploaded image.
pub const IMAGE_BYTES: usize = 10 << 20;
/// Pixels of an image.
pub const IMAGE_PIXELS: u64 = 40_000_000;
/// Pixels of one side of an image: the most that JPEG and GIF can express.
pub const IMAGE_SIDE: u32 = 65_535;
/// Frames of an animation.
pub const IMAGE_FRAMES: usize = 1000;
/// Pixels decoded for one image in all: of every frame of an animation, or of every pass over a
/// progressive JPEG (a photo has about ten). It bounds the time before it is spent.
pub const IMAGE_WORK: u64 = 500_000_000;
/// Bytes of an image as it is stored: lossless formats grow when they are encoded again.
pub const IMAGE_STORED_BYTES: usize = 40 << 20;
/// Characters of a file's name: as many as file systems allow.
pub const FILE_NAME_CHARS: usize = 255;
/// Links of one message that get a preview.
pub const LINK_PREVIEWS: usize = 3;
/// Characters of a preview's title.
pub const PREVIEW_TITLE_CHARS: usize = 200;
/// Characters of a preview's description.
pub const PREVIEW_DESCRIPTION_CHARS: usize = 300;
/// Changes of an account's email address or phone number within [`CONTACT_CHANGES_MILLIS`].
pub const CONTACT_CHANGES: usize = 5;
/// The time in which changes of contacts are counted, in milliseconds: a day.
pub const CONTACT_CHANGES_MILLIS: u64 = 24 * 3_600_000;
/// Milliseconds for which a former email address stays reserved for its owner: 30 days.
pub const FORMER_EMAIL_MILLIS: u64 = 30 * 24 * 3_600_000;
/// Domains whose addresses may register.
pub const REGISTRATION_DOMAINS: usize = 50;
/// Milliseconds for which a log-in counts as a proof of the password: 10 minutes.
pub const FRESH_MILLIS: u64 = 10 * 60_000;
/// Uploaded files of one user that are not yet sent in a message.
pub const UNSENT_FILES: usize = 1000;
/// Incomplete uploads of one user.
pub const PARTIAL_UPLOADS: usize = 32;
/// Milliseconds after which an upload in parts expires: a day.
pub const PARTIAL_MILLIS: u64 = 24 * 3_600_000;
/// Milliseconds after which a file that was never sent is removed: a day.
pub const UNSENT_MILLIS: u64 = 24 * 3_600_000;
/// Seconds that a recording may last: a day.
pub const RECORDING_SECONDS: u64 = 86_400;
/// Browsers and phones of one user that receive push notices; a new one replaces the oldest. So few
/// that they all fit into the decision that ends their log-in.
pub const DEVICES_PER_USER: usize = 10;
/// Characters of the URL at a push service.
pub const ENDPOINT_CHARS: usize = 2048;

/// Degrees of latitude, north or south of the equator.
pub const LATITUDE: f64 = 90.0;
/// Degrees of longitude, east or west of Greenwich.
pub const LONGITUDE: f64 = 180.0;
