//! Members.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::membership::{
    AddRequested, AddedMembers, GroupState, MembershipResource, MutedMembership, StatedMemberships,
};
use crate::wire::notices::{AllMuted, NoticeSettings};
use crate::wire::schema::{bodies, nothing, of};

const TAG: &str = "Members";

pub(in crate::http) fn add() -> Operation {
    Operation::of(TAG, "Adds people to a group")
        .detail("Settled afterwards; the results are kept for an hour.")
        .body(bodies::members())
        .gives(202, of::<AddRequested>())
        .refuses(403, "In office mode only owner and admins may.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn list() -> Operation {
    let filter = json!({
        "enum": ["active", "inactive"], "default": "active",
        "description": "Who is in the group, or who was.",
    });
    Operation::of(TAG, "Lists the members of a group, or the former ones")
        .query("filter", filter)
        .gives(200, of::<StatedMemberships>())
        .refuses(403, "Only owner and admins may; 401 under `/compat/v3`.")
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn states() -> Operation {
    Operation::of(TAG, "Lists all groups that you are in or were, with nothing but that")
        .gives(200, of::<Vec<GroupState>>())
}

pub(in crate::http) fn results() -> Operation {
    Operation::of(TAG, "Shows what came of adding people")
        .gives(200, of::<AddedMembers>())
        .refuses(404, "No such request of yours, or it is over an hour old.")
        .refuses(503, "Not settled yet; `Retry-After` says how long to wait.")
}

pub(in crate::http) fn remove() -> Operation {
    Operation::of(TAG, "Removes a member, or leaves")
        .gives(200, nothing())
        .refuses(403, "Only owner and admins may, and nobody removes the owner.")
        .refuses(404, "No such group that you are in, or no such membership.")
}

pub(in crate::http) fn rename() -> Operation {
    Operation::of(TAG, "Changes your nickname in a group")
        .body(bodies::rename())
        .gives(200, of::<MembershipResource>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn mute() -> Operation {
    muting("Silences a group for you: no notices of it, by push or by SMS").detail(
        "For `duration` minutes, or until you say otherwise. What mentions or answers you \
         comes through. Sockets still hear everything.",
    )
}

pub(in crate::http) fn mute_whole() -> Operation {
    muting("Silences a group for you: `mute`, as later clients ask for it")
}

fn muting(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .body(bodies::muting())
        .gives(200, of::<MutedMembership>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn unmute() -> Operation {
    unmuting("Lets you have notices of a group again")
}

pub(in crate::http) fn unmute_whole() -> Operation {
    unmuting("Lets you have notices of a group again: `unmute`, as later clients ask for it")
}

fn unmuting(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).gives(200, of::<MutedMembership>()).refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn mute_all() -> Operation {
    Operation::of(TAG, "Silences all your conversations")
        .detail("For `duration` minutes, or until you say otherwise.")
        .body(bodies::muting())
        .gives(200, of::<AllMuted>())
}

pub(in crate::http) fn unmute_all() -> Operation {
    Operation::of(TAG, "Ends the mute over all your conversations").gives(200, of::<AllMuted>())
}

pub(in crate::http) fn notices() -> Operation {
    Operation::of(TAG, "Shows of what in a conversation you want notices")
        .gives(200, of::<NoticeSettings>())
        .refuses(404, "No such conversation, or you are not in it.")
}

pub(in crate::http) fn set_notices() -> Operation {
    Operation::of(TAG, "Sets of what in a conversation you want notices, on all devices")
        .detail(
            "Of everything (`all`), of what mentions or answers you (`mentions`), or of nothing \
             (`none`). With `duration` a chat is mute for so many minutes, or until you say \
             otherwise, but for what mentions or answers you; a group has `memberships/mute` for \
             it. Sockets still hear everything.",
        )
        .body(bodies::level())
        .gives(200, of::<NoticeSettings>())
        .refuses(404, "No such conversation, or you are not in it.")
}
