//! `/scim/v2`, and the tokens for it.

use serde_json::{Value, json};

use crate::http::operation::Operation;
use crate::http::response_headers::LOCATION;
use domain::limits::SHORT_CHARS;
use wire::directory_groups::{AdminDirectoryGroup, AdminDirectoryGroups};
use wire::schema::{bodies, nothing, of, text, words};
use wire::scim::{LIST_MOST, MEDIA_TYPE, ScimError, ScimGroup, ScimList, ScimResource, ScimUser};
use wire::scim_tokens::{MadeScimToken, ScimTokens};

const TAG: &str = "SCIM";
const NO_ADMIN: &str = "You are no operator, or the token belongs to an application.";
const NO_USER: &str = "There is no such user, the directory deleted it, or you are no operator.";
const MAY_NOT: &str = "Your role does not allow this: only admins manage accounts as a directory.";
const LAST: &str = "Another account has the `userName` or the address, the account is the last \
                    admin who can log in, or the token belongs to it.";

/// An operation of SCIM: its errors have the form of SCIM.
fn scim(summary: &'static str) -> Operation {
    Operation::of(TAG, summary)
        .scim_refuses(401, "The token is missing, unknown, revoked or expired.")
        .scim_refuses(403, MAY_NOT)
        .scim_refuses(404, NO_ADMIN)
        .scim_refuses(429, "Too many requests; `Retry-After` says how long to wait.")
        .scim_refuses(503, "The server is busy; `Retry-After` says how long to wait.")
}

impl Operation {
    fn scim_gives(self, status: u16, schema: Value) -> Self {
        self.with_media_type(status, "Success.", MEDIA_TYPE, schema)
    }

    fn scim_refuses(self, status: u16, why: &str) -> Self {
        self.with_media_type(status, why, MEDIA_TYPE, of::<ScimError>())
    }

    fn projected(self) -> Self {
        self.query("attributes", text("Only these attributes, with commas between them."))
            .query("excludedAttributes", text("All attributes but these."))
            .scim_refuses(400, "A parameter or a value is invalid; `scimType` names the kind.")
    }

    fn scim_body(self, schema: Value) -> Self {
        self.body_of_type(MEDIA_TYPE, schema)
            .scim_refuses(400, "A value is missing or invalid; `scimType` names the kind.")
            .scim_refuses(408, "The client sent nothing of the body for a minute.")
            .scim_refuses(409, LAST)
            .scim_refuses(413, "The body is too large.")
            .scim_refuses(415, "The body is compressed.")
            .scim_refuses(503, "The server is busy; `Retry-After` says how long to wait.")
    }
}

fn any_object() -> Value {
    json!({"type": "object", "additionalProperties": true})
}

pub(in crate::http) fn configuration() -> Operation {
    scim("Shows what the SCIM service supports").scim_gives(200, any_object())
}

pub(in crate::http) fn resource_types() -> Operation {
    scim("Lists the types of resources").scim_gives(200, any_object())
}

pub(in crate::http) fn resource_type() -> Operation {
    scim("Shows a type of resources").scim_gives(200, any_object())
}

pub(in crate::http) fn schemas() -> Operation {
    scim("Lists the schemas").scim_gives(200, any_object())
}

pub(in crate::http) fn schema() -> Operation {
    scim("Shows a schema").scim_gives(200, any_object())
}

pub(in crate::http) fn users() -> Operation {
    let list = scim("Lists accounts, oldest first")
        .detail("Accounts that the directory deleted are left out.")
        .query("filter", text("`userName eq \"…\"`, `externalId eq \"…\"` or `id eq \"…\"`."));
    listing(list, "accounts").scim_gives(200, of::<ScimList<ScimUser>>())
}

pub(in crate::http) fn search() -> Operation {
    scim("Lists accounts, then groups, with the query in the body")
        .detail("Takes no `Idempotency-Key`: it changes nothing.")
        .scim_body(search_body())
        .scim_gives(200, of::<ScimList<ScimResource>>())
}

fn search_body() -> Value {
    let whole = |what: &str| json!({"type": "integer", "description": what});
    let names =
        |what: &str| json!({"type": "array", "items": text("A name."), "description": what});
    json!({
        "title": "ScimSearch",
        "type": "object",
        "properties": {
            "filter": text("As the query of the list."),
            "startIndex": whole("The number of the first resource, counted from 1."),
            "count": whole("The number of resources."),
            "attributes": names("Only these attributes."),
            "excludedAttributes": names("All attributes but these."),
        },
    })
}

pub(in crate::http) fn user() -> Operation {
    scim("Shows an account to the directory")
        .projected()
        .scim_gives(200, of::<ScimUser>())
        .scim_refuses(404, NO_USER)
}

pub(in crate::http) fn create() -> Operation {
    scim("Creates an account without a password")
        .detail(
            "The user logs in with a provider of the same address, or sets a password by recovery. \
             An account that the directory deleted comes back. Takes no `Idempotency-Key`: \
             `userName` is unique, so a repeated request is a 409.",
        )
        .projected()
        .scim_body(user_body())
        .scim_gives(201, of::<ScimUser>())
        .with_headers(201, &[LOCATION])
}

pub(in crate::http) fn replace() -> Operation {
    scim("Changes an account to what the body says")
        .detail("Attributes that the body does not have stay as they are.")
        .projected()
        .scim_body(user_body())
        .scim_gives(200, of::<ScimUser>())
        .scim_refuses(404, NO_USER)
}

pub(in crate::http) fn patch() -> Operation {
    scim("Changes parts of an account")
        .detail(
            "`active: false` disables the account: its tokens end, its sockets close, and its bots \
             rest. Text such as `\"False\"` and operations without a path are understood.",
        )
        .projected()
        .scim_body(patch_body())
        .scim_gives(200, of::<ScimUser>())
        .scim_refuses(404, NO_USER)
}

pub(in crate::http) fn delete() -> Operation {
    scim("Deletes the resource of an account, which is disabled")
        .without_body(204, "Success.")
        .scim_refuses(404, NO_USER)
        .scim_refuses(409, LAST)
}

fn listing(operation: Operation, what: &str) -> Operation {
    let whole = |what: &str| json!({"type": "integer", "description": what});
    let count = format!("The number of {what}: 100, at most {LIST_MOST}.");
    operation
        .query("startIndex", whole(&format!("The number of the first of the {what}, from 1.")))
        .query("count", whole(&count))
        .projected()
}

const NO_GROUP: &str = "There is no such group, or you are no operator.";
const LAST_OF_GROUP: &str = "The last admin would lose the role, or the owner of the token.";

pub(in crate::http) fn groups() -> Operation {
    let filter = "`displayName`, `externalId`, `id` or `members`, each with `eq \"…\"`; joined by \
                  `and`.";
    let list = scim("Lists the groups of the directory, oldest first")
        .detail("They are no groups of conversations. Without a mapping by an admin they have no effect.")
        .query("filter", text(filter));
    listing(list, "groups").scim_gives(200, of::<ScimList<ScimGroup>>())
}

pub(in crate::http) fn search_groups() -> Operation {
    scim("Lists groups of the directory, with the query in the body")
        .detail("Takes no `Idempotency-Key`: it changes nothing.")
        .scim_body(search_body())
        .scim_gives(200, of::<ScimList<ScimGroup>>())
}

pub(in crate::http) fn group() -> Operation {
    scim("Shows a group to the directory")
        .projected()
        .scim_gives(200, of::<ScimGroup>())
        .scim_refuses(404, NO_GROUP)
}

pub(in crate::http) fn create_group() -> Operation {
    scim("Creates a group of the directory")
        .detail("Takes no `Idempotency-Key`: directories look a group up before they create it.")
        .projected()
        .scim_body(group_body())
        .scim_gives(201, of::<ScimGroup>())
        .with_headers(201, &[LOCATION])
}

pub(in crate::http) fn replace_group() -> Operation {
    scim("Changes a group to what the body says")
        .detail("Attributes that the body does not have stay as they are.")
        .projected()
        .scim_body(group_body())
        .scim_gives(200, of::<ScimGroup>())
        .scim_refuses(404, NO_GROUP)
        .scim_refuses(409, LAST_OF_GROUP)
}

pub(in crate::http) fn patch_group() -> Operation {
    scim("Changes parts of a group")
        .detail(
            "Members come by `add`, go by `remove` with a path such as `members[value eq \"7\"]` or \
             with their ids in `value`, and are all by `replace`. Members of a mapped group get its \
             role, and lose it when they leave.",
        )
        .projected()
        .scim_body(patch_body())
        .scim_gives(200, of::<ScimGroup>())
        .scim_refuses(404, NO_GROUP)
        .scim_refuses(409, LAST_OF_GROUP)
}

pub(in crate::http) fn delete_group() -> Operation {
    scim("Deletes a group of the directory")
        .detail("Its members stay, without the role that it gave them.")
        .without_body(204, "Success.")
        .scim_refuses(404, NO_GROUP)
        .scim_refuses(409, LAST_OF_GROUP)
}

fn group_body() -> Value {
    let member = json!({
        "type": "object",
        "required": ["value"],
        "properties": {"value": text("The user's id.")},
    });
    json!({
        "title": "ScimGroupBody",
        "type": "object",
        "required": ["displayName"],
        "properties": {
            "displayName": words("The group's name.", SHORT_CHARS),
            "externalId": words("The directory's id of the group.", SHORT_CHARS),
            "members": {"type": "array", "items": member, "description": "All members."},
        },
    })
}

pub(in crate::http) fn directory_groups() -> Operation {
    Operation::of("admin", "Lists the groups of directories")
        .gives(200, of::<AdminDirectoryGroups>())
        .refuses(403, "Your role does not allow this.")
        .refuses(404, NO_ADMIN)
}

pub(in crate::http) fn map_group() -> Operation {
    Operation::of("admin", "Maps a group of a directory on the role of an operator, or on none")
        .detail(
            "Members get the role unless they have a higher one, and lose it when they leave the \
             group. It needs a log-in or a proof of the last ten minutes (`POST /auth/fresh`).",
        )
        .body(bodies::operator_role())
        .gives(200, of::<AdminDirectoryGroup>())
        .refuses(403, "Your role does not allow this, or you did not prove who you are lately.")
        .refuses(404, "You are no operator, or there is no such group.")
        .refuses(409, "The last admin would lose the role.")
}

fn user_body() -> Value {
    let email = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "value": text("The address."),
                "type": text("Such as `work`."),
                "primary": {"type": "boolean"},
            },
        },
        "description": "The primary address counts, else that for work, else the first.",
    });
    json!({
        "title": "ScimUserBody",
        "type": "object",
        "required": ["userName"],
        "properties": {
            "userName": words("The directory's name of the account.", SHORT_CHARS),
            "externalId": words("The directory's id of the account.", SHORT_CHARS),
            "displayName": text("The name; without it, `name` or that of `userName`."),
            "emails": email,
            "active": {"type": "boolean", "description": "Whether the account can be used."},
        },
    })
}

fn patch_body() -> Value {
    json!({
        "title": "ScimPatch",
        "type": "object",
        "required": ["Operations"],
        "properties": {
            "Operations": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["op"],
                    "properties": {
                        "op": {"enum": ["add", "replace", "remove"]},
                        "path": text("The attribute; without it, `value` is an object."),
                        "value": {"description": "The value."},
                    },
                },
            },
        },
    })
}

pub(in crate::http) fn tokens() -> Operation {
    Operation::of("admin", "Lists the tokens of directories")
        .gives(200, of::<ScimTokens>())
        .refuses(403, "Your role does not allow this.")
        .refuses(404, NO_ADMIN)
}

pub(in crate::http) fn make_token() -> Operation {
    Operation::of("admin", "Makes a token for a directory")
        .detail(
            "Takes no `Idempotency-Key`: the token is shown in this response only. It needs a \
             log-in or a proof of the last ten minutes (`POST /auth/fresh`). The token acts with \
             your rights, and ends with them.",
        )
        .body(bodies::scim_token())
        .gives(201, of::<MadeScimToken>())
        .refuses(403, "Your role does not allow this, or you did not prove who you are lately.")
        .refuses(404, NO_ADMIN)
}

pub(in crate::http) fn end_token() -> Operation {
    Operation::of("admin", "Ends a token of a directory")
        .gives(200, nothing())
        .refuses(403, "Your role does not allow this.")
        .refuses(404, "You are no operator, or there is no such token.")
}
