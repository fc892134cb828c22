//! Groups.

use serde_json::json;

use crate::http::operation::Operation;
use crate::http::response_headers::RETRY_AFTER;
use wire::group::{GroupResource, JoinedGroup};
use wire::invitation::Invitation;
use wire::notices::Mute;
use wire::original::RequestedJoin;
use wire::owners::OwnerResults;
use wire::schema::{bodies, flag, nothing, of, text};
use wire::topic::{ListedTopic, TopicResource};

const TAG: &str = "Groups";
const REMOVED: &str = "You were removed from the group: the share URL lets you in again, or a member who adds you. \
     Or you are banned.";

pub(in crate::http) fn list() -> Operation {
    let told = Operation::of(TAG, "Lists your groups, most recently active first");
    super::numbered(told)
        .query("omit", text("`memberships` leaves out the members."))
        .query("archived", flag("If true, archived groups only; they are left out otherwise."))
        .gives(200, of::<Vec<GroupResource>>())
}

pub(in crate::http) fn create() -> Operation {
    Operation::of(TAG, "Creates a group that you own")
        .body(bodies::group())
        .gives(201, of::<GroupResource>())
}

pub(in crate::http) fn former() -> Operation {
    Operation::of(TAG, "Lists the groups that you left and may rejoin")
        .gives(200, of::<Vec<GroupResource>>())
}

pub(in crate::http) fn rejoin() -> Operation {
    back("Rejoins a group that you left").body(bodies::rejoin())
}

pub(in crate::http) fn rejoin_this() -> Operation {
    back("Rejoins a group that you left, named in the path")
}

fn back(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, of::<GroupResource>())
        .refuses(400, "The group is full, or a field is missing.")
        .refuses(403, REMOVED)
        .refuses(404, "No such group, or you did not leave it.")
}

pub(in crate::http) fn change_owners() -> Operation {
    Operation::of(TAG, "Transfers groups to other owners")
        .detail("Each request has a status of its own.")
        .body(bodies::owner_changes())
        .gives(200, of::<OwnerResults>())
}

pub(in crate::http) fn show() -> Operation {
    Operation::of(TAG, "Shows a group")
        .gives(200, of::<GroupResource>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn update() -> Operation {
    Operation::of(TAG, "Changes the settings of a group")
        .body(bodies::group_change())
        .gives(200, of::<GroupResource>())
        .refuses(403, "The table of permissions does not allow this to your role.")
        .refuses(404, super::NO_GROUP)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn destroy() -> Operation {
    Operation::of(TAG, "Disbands a group that you own")
        .gives(200, nothing())
        .refuses(
            403,
            "Only the owner may do this, and nobody while operators have frozen the group.",
        )
        .refuses(404, super::NO_GROUP)
}

fn archiving(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .gives(200, of::<GroupResource>())
        .refuses(
            403,
            "Only the owner may do this, and nobody while operators have frozen the group.",
        )
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn archive() -> Operation {
    archiving("Archives a group that you own").detail(
        "Until you take it out again, members can read it, report, mute and leave it, and nothing \
         else; lists of groups leave it out.",
    )
}

pub(in crate::http) fn unarchive() -> Operation {
    archiving("Takes a group that you own out of the archive")
}

const LINK_ENDED: &str =
    "The invite was used up or ended; `meta.details.rejection_reason` is `link_ended`.";

pub(in crate::http) fn invitation() -> Operation {
    Operation::of(TAG, "Shows the group that a share URL leads to")
        .detail("Needs no account, so that people know what they are invited to.")
        .open()
        .query(
            "from",
            text("User who passed the URL on; shown if they are a member, otherwise the owner."),
        )
        .gives(200, of::<Invitation>())
        .refuses(403, LINK_ENDED)
        .refuses(404, "No such group, or the share token is not valid.")
}

pub(in crate::http) fn join() -> Operation {
    Operation::of(TAG, "Joins a shared group")
        .detail(
            "By the share URL or an invite. Also lets in users who were removed. To keep them out, ban \
             them, or withdraw the share URL (`share: false`); the next one differs. Where \
             `requires_approval` is on, and by an invite with `approval: \"ask\"`, you ask the owner \
             and admins; not by an invite with `approval: \"skip\"`, and not after you left by \
             yourself. You get the same request each time, with the newer answer. Under \
             `/compat/v3`, 201 if you joined or asked.",
        )
        .gives(200, of::<JoinedGroup>())
        .body(bodies::join())
        .gives(201, json!({"anyOf": [of::<JoinedGroup>(), of::<RequestedJoin>()]}))
        .gives(202, of::<RequestedJoin>())
        .refuses(400, "The group is full, or asks a question (`answer_required`): send an `answer`.")
        .refuses(
            403,
            "You are banned (`banned`), the invite was used up or ended (`link_ended`), or your \
             request was denied in the last day (`denied`, with `rejection_details`): see \
             `meta.details.rejection_reason`.",
        )
        .with_headers(403, &[RETRY_AFTER])
        .refuses(429, "1,000 people ask to join the group, or you have 20 open requests.")
        .refuses(404, "No such group, or the share token is not valid.")
}

pub(in crate::http) fn copy() -> Operation {
    Operation::of(TAG, "Makes a new group with the settings, topics and members of a group")
        .detail(
            "The copy is yours, with the name, description and picture of the group. Its share URL, \
             invites, bans, rules, bots and messages are not copied, and it is not in the directory. \
             Members are added after the response, as with `members/add`; guests are not.",
        )
        .body(bodies::group_copy())
        .gives(201, of::<GroupResource<'_>>())
        .refuses(400, "A field is invalid, or the group has too many members to add them.")
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
        .refuses(422, super::BROKEN)
        .refuses(429, "Too many people with whom you share no group and no chat.")
}

const NO_TOPIC: &str = "No such group that you are in, or no such topic.";

pub(in crate::http) fn topics() -> Operation {
    Operation::of(TAG, "Lists the topics of a group, the oldest first")
        .detail(
            "A topic is a conversation of all members of the group. Its messages, likes, pins, polls and \
             events are at the paths of a group with its id, `GET /groups/{topic}/messages` for \
             example; its messages have the id of the group as `parent_id`. Members, roles, bans and \
             rules are those of the group. Topics are not in the list of groups. The path may name up \
             to 50 groups, separated by commas.",
        )
        .gives(200, of::<Vec<ListedTopic<'_>>>())
        .refuses(400, "More than 50 groups.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn topic() -> Operation {
    Operation::of(TAG, "Shows a topic").gives(200, of::<ListedTopic<'_>>()).refuses(404, NO_TOPIC)
}

pub(in crate::http) fn create_topic() -> Operation {
    Operation::of(TAG, "Makes a topic")
        .body(bodies::topic())
        .gives(201, of::<TopicResource<'_>>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, super::NO_GROUP)
        .refuses(409, "The group has 50 topics.")
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn update_topic() -> Operation {
    Operation::of(TAG, "Changes a topic")
        .detail("Absent fields stay as they are.")
        .body(bodies::topic_update())
        .gives(200, of::<TopicResource<'_>>())
        .refuses(403, super::MAY_NOT)
        .refuses(404, NO_TOPIC)
        .refuses(422, super::BROKEN)
}

pub(in crate::http) fn remove_topic() -> Operation {
    Operation::of(TAG, "Removes a topic with its messages")
        .gives(200, nothing())
        .refuses(403, super::MAY_NOT)
        .refuses(404, NO_TOPIC)
}

pub(in crate::http) fn mute_topic() -> Operation {
    Operation::of(TAG, "Mutes a topic for you")
        .detail("A mute of the group mutes its topics, too.")
        .body(bodies::muting())
        .gives(200, of::<Mute>())
        .refuses(404, NO_TOPIC)
}

pub(in crate::http) fn unmute_topic() -> Operation {
    Operation::of(TAG, "Unmutes a topic for you").gives(200, of::<Mute>()).refuses(404, NO_TOPIC)
}
