//! Members.

use serde_json::json;

use crate::http::operation::Operation;
use wire::bans::{Bans, MadeBan};
use wire::group::GroupResource;
use wire::group_audit::GroupAudit;
use wire::held::{HeldList, SettledHeld};
use wire::invite_links::{EmailInvite, InviteList, MadeInvite};
use wire::join_request::{DecidedRequest, DecidedRequests, PendingResource};
use wire::membership::{
    AddRequested, AddedMembers, GroupState, MemberWithRole, MembershipResource, MutedMembership,
    StatedMemberships,
};
use wire::notices::{AllMuted, NoticeSettings};
use wire::permissions::Permissions;
use wire::reports::{Reports, ShortAppeal, ShortReport};
use wire::rules::{MatchingRules, RuleList, SavedRule};
use wire::schema::{bodies, moderation_bodies, nothing, of, text};
use wire::timeouts::MadeTimeout;

const TAG: &str = "Members";
const NO_REQUEST: &str = "No such group that you are in, or no such open request.";
const MAY_NOT_DECIDE: &str =
    "Only the inviter, the owner and admins may do this; 401 under `/compat/v3`.";

pub(in crate::http) fn add() -> Operation {
    Operation::of(TAG, "Adds people to a group")
        .detail(
            "People are added after the response; the results are kept for an hour. An email \
             address or phone number that no account has is invited. The server sends no \
             invitation and does not verify addresses: an account that enters the address makes a \
             request, which you, the owner or an admin approve. In local mode it becomes a member \
             at once.",
        )
        .body(bodies::members())
        .gives(202, of::<AddRequested>())
        .refuses(403, "Plain members may do this in private groups only.")
        .refuses(404, super::NO_GROUP)
        .refuses(422, super::BROKEN)
        .refuses(
            429,
            "Too many requests, too many people with whom you share no group and no chat, or the \
             same person in too many groups.",
        )
}

pub(in crate::http) fn list() -> Operation {
    let filter = json!({
        "enum": ["active", "inactive"], "default": "active",
        "description": "Current or former members.",
    });
    Operation::of(TAG, "Lists the current or former members of a group")
        .query("filter", filter)
        .gives(200, of::<StatedMemberships>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn states() -> Operation {
    Operation::of(TAG, "Lists the ids of the groups that you are or were in, with your state there")
        .gives(200, of::<Vec<GroupState>>())
}

pub(in crate::http) fn results() -> Operation {
    Operation::of(TAG, "Shows the results of adding people")
        .gives(200, of::<AddedMembers>())
        .refuses(404, "You made no such request, or it is over an hour old.")
        .refuses(503, "Not finished yet; `Retry-After` says how long to wait.")
}

pub(in crate::http) fn permissions() -> Operation {
    Operation::of(TAG, "Shows your role in a group and what you may do there")
        .gives(200, of::<Permissions>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn report() -> Operation {
    Operation::of(TAG, "Reports a message")
        .detail(
            "To the owner and admins of the group; messages of chats and of owners of groups to the \
             operators of the server. All who report the same message add to one report. The owner \
             and admins read the reasons and texts, not who reported; operators read both. Only the \
             owner reads reports about admins. Reporting it again changes nothing.",
        )
        .body(moderation_bodies::report())
        .gives(200, of::<ShortReport>())
        .gives(201, of::<ShortReport>())
        .refuses(
            400,
            "It is your own message, a system message or a deleted one, or there are 500 open \
             reports in the group or 10,000 to the operators.",
        )
        .refuses(404, "No such conversation that you are in, or no such message.")
        .refuses(429, "Too many requests, or you reported 20 messages within a day.")
}

const TO_OPERATORS: &str = "All who report it add to one report. Operators read who reported it, \
    the reasons and texts. You receive `report.resolved` once it is resolved. Reporting it again \
    changes nothing.";

pub(in crate::http) fn report_user() -> Operation {
    Operation::of(TAG, "Reports a user to the operators")
        .detail(TO_OPERATORS)
        .body(moderation_bodies::report())
        .gives(200, of::<ShortReport>())
        .gives(201, of::<ShortReport>())
        .refuses(400, "It is yourself, or there are 10,000 open reports.")
        .refuses(404, "No such user whom you share a group or a chat with.")
        .refuses(429, "Too many requests, or you filed 20 reports within a day.")
}

pub(in crate::http) fn report_group() -> Operation {
    Operation::of(TAG, "Reports a group to the operators")
        .detail(TO_OPERATORS)
        .body(moderation_bodies::report())
        .gives(200, of::<ShortReport>())
        .gives(201, of::<ShortReport>())
        .refuses(400, "It is your own group, or there are 10,000 open reports.")
        .refuses(404, "No such group that you are in or that the directory lists.")
        .refuses(429, "Too many requests, or you filed 20 reports within a day.")
}

pub(in crate::http) fn reports() -> Operation {
    Operation::of(TAG, "Lists the reports of a group, the newest first")
        .detail(
            "At most 20, fewer if they are large; `before` is the id of the last one. Resolved \
             reports are kept for 90 days. Admins see no reports about admins, and nobody sees \
             reports about themselves.",
        )
        .query("state", text("`open` (if absent) or `resolved`."))
        .query("before", text("Only reports before this one."))
        .gives(200, of::<Reports>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn appeal() -> Operation {
    Operation::of(TAG, "Appeals against your ban or timeout in a group")
        .detail(
            "Once for each ban and timeout. The owner and admins read it with the reports; they \
             resolve it by `undo`, which ends the ban or timeout, or by `dismiss`.",
        )
        .body(moderation_bodies::appeal())
        .gives(201, of::<ShortAppeal>())
        .refuses(400, "The text is missing or too long, or you are not timed out.")
        .refuses(404, "No such group that you are in or banned from.")
        .refuses(409, "You have appealed against this before.")
}

pub(in crate::http) fn resolve_report() -> Operation {
    Operation::of(TAG, "Resolves a report")
        .detail(
            "What you do and the resolution happen together. Those who reported the message hear \
             that the report was resolved, not how. `escalate` passes the report on to the \
             operators of the server, with who reported; they decide then.",
        )
        .body(moderation_bodies::resolution())
        .gives(200, of::<ShortReport>())
        .refuses(
            400,
            "A timeout needs `until`, the end is past or too far away, or the author is no \
             member any more or a bot.",
        )
        .refuses(403, "Your role, or a setting of the group, does not allow this.")
        .refuses(404, "No such group that you are in, or no such report for you.")
        .refuses(409, "Somebody has resolved the report.")
}

pub(in crate::http) fn rules() -> Operation {
    Operation::of(TAG, "Lists the rules of a group, the oldest first")
        .detail(
            "The server runs them on every text that plain members and their bots write into the \
             group, and never on those of the owner and admins. A post that a rule refuses is answered 422 with the \
             `message` of the rule and `meta.details {rule}`.",
        )
        .gives(200, of::<RuleList>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn create_rule() -> Operation {
    Operation::of(TAG, "Makes a rule of a group")
        .detail(
            "At most 20. Texts are compared in lower case, without accents and invisible \
             characters, in compatible forms. A pattern is tried on the text as typed, and on this \
             form of it.",
        )
        .body(moderation_bodies::rule())
        .gives(201, of::<SavedRule>())
        .refuses(400, "Fields are missing, too long or too many; the text names each.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
        .refuses(503, "The rules of all groups take all the memory that the server has for them.")
}

pub(in crate::http) fn replace_rule() -> Operation {
    Operation::of(TAG, "Replaces what a rule says")
        .detail("Fields that are left out get their usual values.")
        .body(moderation_bodies::rule())
        .gives(200, of::<SavedRule>())
        .refuses(400, "Fields are missing, too long or too many; the text names each.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such group that you are in, or no such rule.")
        .refuses(503, "The rules of all groups take all the memory that the server has for them.")
}

pub(in crate::http) fn delete_rule() -> Operation {
    Operation::of(TAG, "Deletes a rule of a group")
        .gives(200, nothing())
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such group that you are in, or no such rule.")
}

pub(in crate::http) fn test_rules() -> Operation {
    Operation::of(TAG, "Tries the rules of a group on a text")
        .detail(
            "Shows which rules the text alone matches by words, patterns or links, also those that \
             are switched off. Nothing is posted, and nobody hears of it.",
        )
        .body(moderation_bodies::rule_test())
        .gives(200, of::<MatchingRules>())
        .refuses(400, "The text is missing or too long.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn invites() -> Operation {
    Operation::of(TAG, "Lists the invites of a group, the newest first")
        .detail(
            "All of them for the owner and admins, your own for you. An invite that was ended is not \
             listed; one whose time or uses are up is, until it is ended.",
        )
        .gives(200, of::<InviteList>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn create_invite() -> Operation {
    Operation::of(TAG, "Makes an invite: a link with a name, an end and a number of uses")
        .detail(
            "People join by its `url` as by the share URL of the group. Only the owner and admins \
             may set `approval` to `skip`. A group has at most 50 invites that can be used.",
        )
        .body(moderation_bodies::invite())
        .gives(201, of::<MadeInvite>())
        .refuses(400, "A field is invalid, or the group has 50 open invites.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn create_email_invites() -> Operation {
    Operation::of(TAG, "Invites people by email")
        .detail(
            "Makes an invite for each address, which lets one person in within 7 days, and sends it \
             in your language. Where the server sends no mail, `sent` is false: send the link \
             yourself. You may invite 200 addresses a day, and where the server sends mail, your own \
             address must be confirmed.",
        )
        .body(moderation_bodies::email_invites())
        .gives(201, of::<Vec<EmailInvite<'_>>>())
        .refuses(
            400,
            "`emails` has no or more than 50 addresses or an invalid one, or the group would have \
             more than 500 open invites by email.",
        )
        .refuses(403, "The table of permissions does not allow it, or your address is not confirmed.")
        .refuses(404, super::NO_GROUP)
        .refuses(429, "More than 200 addresses within a day.")
}

pub(in crate::http) fn end_invite() -> Operation {
    Operation::of(TAG, "Ends an invite")
        .detail("Nobody can join with it any more. Who joined stays; who asked still waits.")
        .gives(200, nothing())
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such group that you are in, or no such invite that you see.")
}

pub(in crate::http) fn held() -> Operation {
    Operation::of(TAG, "Lists the messages of a group that wait for approval, the newest first")
        .detail(
            "All of them for the owner and admins, and your own for you. At most 20, fewer if they \
             are large; `before` is the id of the last one. A message about which nobody decides \
             ends after 7 days.",
        )
        .query("before", text("Only messages before this one."))
        .gives(200, of::<HeldList>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn settle_held() -> Operation {
    Operation::of(TAG, "Posts a message that waits for approval, or drops it")
        .detail("An approved message is posted by its author, now.")
        .body(moderation_bodies::held_verdict())
        .gives(200, of::<SettledHeld>())
        .refuses(403, "You may not decide, or the author may not post in the group now.")
        .refuses(404, "No such group that you are in, or no such message that waits for you.")
}

pub(in crate::http) fn audit() -> Operation {
    Operation::of(TAG, "Lists what the owner and admins of a group did, the newest first")
        .detail(
            "At most 50 entries; `before` is the id of the last one. Reports are no entries, and \
             admins see no resolutions of reports about admins.",
        )
        .query("before", text("Only entries before this one."))
        .gives(200, of::<GroupAudit>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn change_role() -> Operation {
    Operation::of(TAG, "Makes a member an admin, or a plain member again")
        .detail("Only the owner makes admins; an admin may step down. The same role again is fine.")
        .body(bodies::role())
        .gives(200, of::<MemberWithRole>())
        .refuses(400, "The role is none, or the member is the owner.")
        .refuses(403, "Only the owner may do this; 401 under `/compat/v3`.")
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn remove() -> Operation {
    Operation::of(TAG, "Removes a member, or leaves the group")
        .detail(
            "The bots of a member who is removed are removed from the group too. Those of a \
             member who leaves or is banned rest: they neither post nor receive anything until \
             that user is a member again.",
        )
        .gives(200, nothing())
        .refuses(
            403,
            "Only the owner and admins may remove others, only the owner admins, and nobody the \
             owner.",
        )
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn pending() -> Operation {
    Operation::of(TAG, "Lists requests to become a member of a group")
        .detail(
            "Those that you may decide: all of them for the owner and admins, and those of people \
             whom you invited. Open requests end after 30 days.",
        )
        .gives(200, of::<Vec<PendingResource>>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn decide() -> Operation {
    Operation::of(TAG, "Approves or denies a request to become a member")
        .body(bodies::approval())
        .gives(200, of::<DecidedRequest>())
        .refuses(403, MAY_NOT_DECIDE)
        .refuses(404, NO_REQUEST)
}

pub(in crate::http) fn decide_several() -> Operation {
    Operation::of(TAG, "Approves or denies several requests to become a member")
        .body(bodies::approvals())
        .gives(200, of::<DecidedRequests>())
        .refuses(403, MAY_NOT_DECIDE)
        .refuses(404, NO_REQUEST)
}

pub(in crate::http) fn time_out() -> Operation {
    Operation::of(TAG, "Times a member out, or replaces their timeout")
        .detail(
            "For `seconds`, or until `until`; at most 28 days. Until then the member reads, mutes \
             and leaves; everything else is 403 with `until` in `meta.details`, for the member's \
             bots too. A timeout does not end when the member leaves.",
        )
        .body(bodies::timeout())
        .gives(200, of::<MadeTimeout>())
        .refuses(400, "A field is wrong or missing, or the member is you.")
        .refuses(
            403,
            "Only the owner and admins may do this, only the owner to admins, and nobody to the \
             owner. 401 under `/compat/v3`.",
        )
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn end_timeout() -> Operation {
    Operation::of(TAG, "Ends the timeout of a member")
        .gives(200, nothing())
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn ban() -> Operation {
    Operation::of(TAG, "Bans a user from a group, or replaces their ban")
        .detail(
            "A member is removed at once, an open request to become a member ends, and a stranger \
             is kept out. Banned users cannot join, rejoin or be added; links and previews are 404 \
             for them, and their bots rest. Their messages stay, unless `delete_since` names the \
             time whose messages are deleted too: at most the newest 1,000. The ban ends at \
             `until`; without it, when it is lifted. The user counts as removed then.",
        )
        .body(bodies::ban())
        .gives(200, of::<MadeBan>())
        .refuses(400, "A field is wrong, the user is you, or the group has 10,000 bans.")
        .refuses(
            403,
            "Only the owner and admins may do this, only the owner to admins, and nobody to the \
             owner; or you may not delete the messages of others. 401 under `/compat/v3`.",
        )
        .refuses(404, "No such group that you are in, or no such user.")
}

pub(in crate::http) fn unban() -> Operation {
    Operation::of(TAG, "Lifts the ban of a user")
        .gives(200, nothing())
        .refuses(403, super::MAY_NOT)
        .refuses(404, "No such group that you are in, or no such user.")
}

pub(in crate::http) fn bans() -> Operation {
    Operation::of(TAG, "Lists the bans of a group that have not ended")
        .gives(200, of::<Bans>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn end_membership() -> Operation {
    let force = json!({
        "type": "boolean", "default": false,
        "description": "Whether a member is banned rather than removed.",
    });
    Operation::of(TAG, "Leaves a group, removes a member, or bans a former member")
        .detail("Your own membership: you leave. The id of a former membership: bans for ever.")
        .query("force", force)
        .gives(200, nothing())
        .refuses(400, "`force` is neither true nor false, or the group has 10,000 bans.")
        .refuses(403, "Only the owner and admins may do this, and only the owner to admins.")
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn activate_membership() -> Operation {
    Operation::of(TAG, "Rejoins a group, or lifts the ban of a former member")
        .detail("Your own former membership: you rejoin and get the group; see `rejoin`.")
        .gives(200, of::<Option<GroupResource>>())
        .refuses(400, "The group is full.")
        .refuses(
            403,
            "Only the owner and admins may lift bans; or you were removed or banned, and cannot \
             rejoin.",
        )
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn rename() -> Operation {
    Operation::of(TAG, "Changes your nickname in a group")
        .body(bodies::rename())
        .gives(200, of::<MembershipResource>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn mute() -> Operation {
    muting("Mutes a group for you: no notices by push or SMS").detail(
        "For `duration` minutes, or until you unmute it. Messages that mention you or reply to you \
         still notify you. Sockets still receive all events.",
    )
}

pub(in crate::http) fn mute_whole() -> Operation {
    muting("Mutes a group for you; same as `mute`, for newer clients")
}

fn muting(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .body(bodies::muting())
        .gives(200, of::<MutedMembership>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn unmute() -> Operation {
    unmuting("Unmutes a group for you")
}

pub(in crate::http) fn unmute_whole() -> Operation {
    unmuting("Unmutes a group for you; same as `unmute`, for newer clients")
}

fn unmuting(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).gives(200, of::<MutedMembership>()).refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn mute_all() -> Operation {
    Operation::of(TAG, "Mutes all your conversations")
        .detail("For `duration` minutes, or until you unmute them.")
        .body(bodies::muting())
        .gives(200, of::<AllMuted>())
}

pub(in crate::http) fn unmute_all() -> Operation {
    Operation::of(TAG, "Ends the mute of all your conversations").gives(200, of::<AllMuted>())
}

pub(in crate::http) fn notices() -> Operation {
    Operation::of(TAG, "Shows your notice settings in a conversation")
        .gives(200, of::<NoticeSettings>())
        .refuses(404, "No such conversation, or you are not in it.")
}

pub(in crate::http) fn set_notices() -> Operation {
    Operation::of(TAG, "Changes your notice settings in a conversation, on all devices")
        .detail(
            "All messages notify you (`all`), only those that mention you or reply to you \
             (`mentions`), or none (`none`). `duration` mutes a chat for that many minutes, or \
             until you unmute it, except for messages that mention you or reply to you; groups are \
             muted with `memberships/mute`. Sockets still receive all events.",
        )
        .body(bodies::level())
        .gives(200, of::<NoticeSettings>())
        .refuses(404, "No such conversation, or you are not in it.")
}
