//! Members.

use serde_json::json;

use crate::http::operation::Operation;
use crate::wire::membership::{
    AddRequested, AddedMembers, GroupState, MembershipResource, StatedMemberships,
};
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
    Operation::of(TAG, "Silences a group for you: no notices of it, by push or by SMS")
        .detail("Sockets still hear everything.")
        .gives(200, of::<MembershipResource>())
        .refuses(404, super::NO_GROUP)
}

pub(in crate::http) fn unmute() -> Operation {
    Operation::of(TAG, "Lets you have notices of a group again")
        .gives(200, of::<MembershipResource>())
        .refuses(404, super::NO_GROUP)
}
