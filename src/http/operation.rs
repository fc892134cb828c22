//! The description of a route: the texts and schemas that the table of routes names for it, and
//! from which `/openapi.json` is made.

use std::collections::BTreeMap;

use actix_web::http::Method;
use serde_json::{Map, Value, json};

use crate::http::access::RouteAccess;
use crate::http::once::Keys;
use crate::http::response_headers::{CHALLENGED, RATE_LIMIT, REPLAYED, RETRY_AFTER, references};
use wire::schema;

/// Variables of paths that are decimal ids.
const DECIMAL: [&str; 17] = [
    "directory_group",
    "device_id",
    "passkey_id",
    "poll",
    "option",
    "user",
    "sender",
    "delivery",
    "id",
    "request",
    "membership",
    "message",
    "report",
    "rule",
    "held",
    "mail",
    "token_id",
];
/// Variables of paths, and their descriptions.
const PATH_PARTS: [(&str, &str); 38] = [
    ("directory_group", "The `id` of a group of a directory."),
    ("resource_type", "The `id` of a type of resources."),
    ("schema", "The `id` of a schema."),
    ("identity_id", "The `id` of an account at a provider."),
    ("provider", "The `id` of a provider."),
    ("device_id", "The `id` of a trusted device."),
    ("passkey_id", "The `id` of a passkey."),
    ("code", "The code of a log-in that waits for the second factor."),
    ("sealed", "The last part of a link in a mail, sealed by the server."),
    ("secret", "The last part of a link in a mail: the id of the user, a hyphen, and a secret."),
    ("poll", "The id of a poll."),
    ("report", "The id of a report."),
    ("rule", "The id of a rule."),
    ("invite", "The id of an invite."),
    ("topic", "The id of a topic."),
    ("mail", "The `id` of a mail that waits or was given up."),
    ("held", "The id of a held message."),
    ("ics", "The `event_id` of an event, followed by `.ics`."),
    ("option", "The `id` of an option of a poll."),
    ("file", "The `file_id` of a file."),
    ("picture", "The id of an image, as in its `uploadUrl`."),
    ("upload", "The `upload_id` of one of your uploads."),
    ("chat", "The ids of both users as `a+b`, or the id of the other user alone."),
    ("user", "The id of a user."),
    (
        "name",
        "The name of an image, as in its URL, with or without the suffix that selects a size.",
    ),
    ("bot", "The `bot_id` of a bot that you created."),
    ("sender", "The `sender_id` of a bot."),
    ("delivery", "The `id` of a delivery."),
    ("id", "The id of a group."),
    ("token", "The token of a share URL."),
    ("request", "The `results_id` of an add request."),
    ("membership", "The id of a membership: the `id` of a member, not the user's id."),
    ("conversation", "The id of a group, or the ids of two users as `a+b`."),
    ("message", "The id of a message."),
    ("device", "The `registration_id` of a device."),
    ("token_id", "The `id` of a token, as lists of tokens show it; not the token itself."),
    ("client_id", "The client id of an application."),
    ("step", "A suffix that some clients append: `handshake`, `connect` and so on."),
];

/// The description of one operation: a method on a path.
pub(super) struct Operation {
    tag: &'static str,
    summary: &'static str,
    detail: Option<&'static str>,
    needs_token: bool,
    parameters: Vec<Value>,
    body: Option<(&'static str, Value)>,
    answers: BTreeMap<u16, Value>,
    headers: Vec<(u16, &'static str)>,
}

impl Operation {
    /// An operation of the API: it needs a token, and its responses are in the envelope.
    pub(super) fn of(tag: &'static str, summary: &'static str) -> Self {
        let refused = [
            (401, "The token is missing, unknown, revoked or expired."),
            (429, "Too many requests; `Retry-After` says how long to wait."),
            (503, "The server is busy; `Retry-After` says how long to wait."),
        ];
        let bare = Self::bare(tag, summary);
        let mut told = Self { needs_token: true, ..bare };
        for (status, why) in refused {
            told = told.refuses(status, why);
        }
        told
    }

    /// An operation without a token and without any predefined response.
    pub(super) fn bare(tag: &'static str, summary: &'static str) -> Self {
        Self {
            tag,
            summary,
            detail: None,
            needs_token: false,
            parameters: Vec::new(),
            body: None,
            answers: BTreeMap::new(),
            headers: Vec::new(),
        }
    }

    /// Declares that the operation needs no token.
    pub(super) fn open(mut self) -> Self {
        self.needs_token = false;
        self.answers.remove(&401);
        self.answers.remove(&429);
        self
    }

    /// Declares that the operation reports errors in a successful response only.
    pub(super) fn never_refuses(mut self) -> Self {
        self.answers.retain(|status, _| *status < 400);
        self
    }

    /// Whether the operation needs a token.
    #[cfg(test)]
    pub(super) fn needs_token(&self) -> bool {
        self.needs_token
    }

    /// Adds the header `Idempotency-Key`, and the errors that come with it.
    fn with_key(mut self) -> Self {
        self.parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": KEYED,
            "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
        }));
        let under_way = "The first request with this `Idempotency-Key` is still under way, or \
                         its answer was too large to be kept.";
        let of_another = "This `Idempotency-Key` was already used for another request.";
        for (status, why) in [(400, MALFORMED), (409, under_way), (422, of_another)] {
            if !self.answers.contains_key(&status) {
                self = self.refuses(status, why);
            }
        }
        self
    }

    /// Adds a longer description.
    pub(super) fn detail(mut self, detail: &'static str) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Adds an optional parameter of the query.
    pub(super) fn query(self, name: &str, schema: Value) -> Self {
        self.parameter(name, false, schema)
    }

    /// Adds a required parameter of the query.
    pub(super) fn needs(self, name: &str, schema: Value) -> Self {
        self.parameter(name, true, schema)
    }

    fn parameter(mut self, name: &str, required: bool, schema: Value) -> Self {
        self.parameters
            .push(json!({"name": name, "in": "query", "required": required, "schema": schema}));
        self.refuses(400, MALFORMED)
    }

    /// Adds a JSON body.
    pub(super) fn body(mut self, schema: Value) -> Self {
        self.body = Some(("application/json", schema));
        self.refuses(400, MALFORMED).takes_a_body()
    }

    /// Adds a body of this media type.
    pub(super) fn body_of_type(mut self, media: &'static str, schema: Value) -> Self {
        self.body = Some((media, schema));
        self
    }

    /// Adds the errors that any body can cause.
    fn takes_a_body(self) -> Self {
        self.refuses(413, "The body is too large.")
            .refuses(408, TOO_LATE)
            .refuses(415, "The body is compressed.")
            .refuses(503, "The server is busy; `Retry-After` says how long to wait.")
    }

    /// Adds a body that is a form.
    pub(super) fn form(mut self, schema: Value) -> Self {
        self.body = Some((FORM, schema));
        self.refuses(408, TOO_LATE)
    }

    /// Adds an optional body of bytes.
    pub(super) fn bytes(mut self) -> Self {
        self.body = Some((BYTES, json!({})));
        self.refuses(408, TOO_LATE)
    }

    /// Adds a success with this payload in the envelope.
    pub(super) fn gives(self, status: u16, payload: Value) -> Self {
        self.without_envelope(status, "Success.", schema::envelope(status, payload))
    }

    /// Adds an error response.
    pub(super) fn refuses(self, status: u16, why: &str) -> Self {
        self.without_envelope(status, why, schema::refusal(status))
    }

    /// Adds a JSON response without the envelope.
    pub(super) fn without_envelope(self, status: u16, what: &str, schema: Value) -> Self {
        self.with_media_type(status, what, "application/json", schema)
    }

    /// Adds a response without a body.
    pub(super) fn without_body(mut self, status: u16, what: &str) -> Self {
        self.answers.insert(status, json!({"description": what}));
        self
    }

    /// Adds a response of this media type.
    pub(super) fn with_media_type(
        mut self,
        status: u16,
        what: &str,
        media: &str,
        schema: Value,
    ) -> Self {
        let answer = json!({"description": what, "content": {media: {"schema": schema}}});
        self.answers.insert(status, answer);
        self
    }

    /// Adds headers of the response with this status, by their names in `response_headers`.
    pub(super) fn with_headers(mut self, status: u16, names: &[&'static str]) -> Self {
        self.headers.extend(names.iter().map(|name| (status, *name)));
        self
    }

    /// The names of the headers that the response with this status may have.
    fn headers_of(&self, status: u16, keys: Keys) -> impl Iterator<Item = &'static str> {
        let own = self.headers.iter().filter(move |(of, _)| *of == status).map(|(_, name)| *name);
        // A token may end between being counted and the answer, so 401 is no exception.
        let is_counted = self.needs_token || keys == Keys::Bot;
        let counted = RATE_LIMIT.into_iter().filter(move |_| is_counted);
        let is_kept = keys != Keys::Unused && !matches!(status, 401 | 503);
        let replayed = is_kept.then_some(REPLAYED);
        let challenged = matches!(status, 401 | 403).then_some(CHALLENGED);
        let may_pass = matches!(status, 429 | 503) || (status == 409 && keys != Keys::Unused);
        own.chain(counted).chain(replayed).chain(challenged).chain(may_pass.then_some(RETRY_AFTER))
    }

    /// Adds the refusal of a token that lacks the scope.
    fn with_scope(mut self) -> Self {
        let Some(answer) = self.answers.get_mut(&403) else { return self.refuses(403, LACKS) };
        let before = answer["description"].as_str().unwrap_or_default();
        answer["description"] = json!(format!("{before} Or: {LACKS}"));
        self
    }

    /// The operation in the OpenAPI document, for this method, path, kind of keys, and access.
    pub(super) fn document(
        mut self,
        method: &Method,
        path: &str,
        keys: Keys,
        access: RouteAccess,
    ) -> Value {
        if keys != Keys::Unused {
            self = self.with_key();
        }
        let scopes = access.scopes();
        if !scopes.is_empty() && self.needs_token {
            self = self.with_scope();
        }
        let statuses: Vec<u16> = self.answers.keys().copied().collect();
        for status in statuses {
            let headers = references(self.headers_of(status, keys));
            if let Some(answer) = self.answers.get_mut(&status).filter(|_| !headers.is_empty()) {
                answer["headers"] = Value::Object(headers);
            }
        }
        let method = method.as_str().to_ascii_lowercase();
        let name = path.replace(['{', '}'], "").replace(['/', '.'], "_");
        let answers: Map<String, Value> =
            self.answers.into_iter().map(|(status, it)| (status.to_string(), it)).collect();
        let parts = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameters: Vec<Value> = parts.map(path_part).chain(self.parameters).collect();
        let mut told = json!({
            "operationId": format!("{method}{name}"),
            "tags": [self.tag],
            "summary": self.summary,
            "parameters": parameters,
            "responses": answers,
        });
        if let Some(detail) = self.detail {
            told["description"] = json!(detail);
        }
        if let Some((media, body)) = self.body {
            let is_required = media != BYTES;
            told["requestBody"] =
                json!({"required": is_required, "content": {media: {"schema": body}}});
        }
        if !self.needs_token {
            told["security"] = json!([]);
        }
        if !scopes.is_empty() {
            told["x-scopes"] = json!(scopes.names());
        }
        told
    }
}

const LACKS: &str = "The token has none of the scopes in `x-scopes` that this request needs.";
const KEYED: &str = "The same key with the same request is given the first answer again for 24 \
    hours, with the header `Idempotency-Replayed: true`, and nothing is done a second time. \
    Keys are your own: others may use the same.";
const FORM: &str = "application/x-www-form-urlencoded";
const BYTES: &str = "application/octet-stream";
const TOO_LATE: &str = "The client sent nothing of the body for a minute, or for less while the \
    server is short of connections.";
const MALFORMED: &str =
    "A field is missing or invalid; `errors` names every such field and its limit.";

fn path_part(name: &str) -> Value {
    let known = PATH_PARTS.iter().find(|(part, _)| *part == name);
    let what = known.map_or("", |(_, what)| *what);
    let pattern = match name {
        _ if DECIMAL.contains(&name) => Some("^[0-9]+$"),
        "chat" | "conversation" => Some(r"^[0-9]+(\+[0-9]+)?$"),
        "ics" => Some(r"^[0-9]+\.ics$"),
        _ => None,
    };
    let mut schema = json!({"type": "string"});
    if let Some(pattern) = pattern {
        schema["pattern"] = json!(pattern);
    }
    json!({
        "name": name, "in": "path", "required": true, "description": what, "schema": schema,
    })
}
