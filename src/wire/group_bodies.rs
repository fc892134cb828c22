//! Reading the bodies and queries of requests about groups and members.

use serde_json::{Map, Value};

use crate::attachment;
use crate::fields::{Fields, Problems};
use crate::instance::Instance;
use crate::join_request::QUESTION_TYPE;
use domain::group::{
    AddItem, Admission, AdmissionChange, CopyOptions, GroupKind, MentionAll, NewGroup,
    RevisionPolicyChange, SettingsChange, Who,
};
use domain::ids::GroupId;
use domain::limits::{ADD_ITEMS, GROUP_MEMBERS, SLOW_MODE_SECONDS};
use domain::revision::{Deleter, FOREVER};
use domain::text::{Description, Email, GroupName, JoinQuestion, Nickname, Phone};

/// The `visibility` of a group that no directory lists.
pub const HIDDEN: &str = "hidden";
/// The `visibility` of a group that the directory lists.
pub const SEARCHABLE: &str = "searchable";

/// Reads the body of a new group, with or without a `group` object around it.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(body: &Map<String, Value>, instance: &Instance) -> Result<NewGroup, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let read = match top.value("group") {
        Some(Value::Object(_)) => {
            top.object("group").and_then(|mut it| read_group(&mut it, instance))
        }
        Some(_) | None => read_group(&mut top, instance),
    };
    problems.or(read)
}

/// Reads what a copy of a group takes over: settings and topics unless it says otherwise, members if
/// it says so.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_copy(body: &Map<String, Value>) -> Result<CopyOptions, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let wanted = CopyOptions {
        name: fields.parsed("name", GroupName::parse),
        settings: fields.flag("settings").unwrap_or(true),
        topics: fields.flag("topics").unwrap_or(true),
        members: fields.flag("members").unwrap_or(false),
    };
    problems.or(Some(wanted))
}

/// Reads a change of a group's settings, with or without a `group` object around it. An absent or
/// `null` field changes nothing; an empty description or picture is removed.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_change(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<SettingsChange, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let read = match top.value("group") {
        Some(Value::Object(_)) => {
            top.object("group").map(|mut it| read_settings(&mut it, instance))
        }
        Some(_) | None => Some(read_settings(&mut top, instance)),
    };
    problems.or(read)
}

fn read_settings(fields: &mut Fields<'_>, instance: &Instance) -> SettingsChange {
    let name = fields.parsed("name", GroupName::parse);
    let is_given =
        |fields: &Fields<'_>, field| fields.value(field).is_some() || fields.is_emptied(field);
    let has_description = is_given(fields, "description");
    let has_image = is_given(fields, "image_url");
    refuse_unsupported(fields);
    let description = has_description.then(|| read_description(fields));
    let image = has_image.then(|| attachment::read_image(fields, "image_url", instance));
    let (group_type, office_mode) = read_type(fields);
    SettingsChange {
        name,
        description,
        image,
        office_mode,
        share: fields.flag("share"),
        revising: read_revising(fields),
        mention_all: read_mention_all(fields),
        group_type,
        slow_mode: read_slow_mode(fields),
        admission: read_admission(fields),
        is_searchable: read_visibility(fields),
    }
}

/// Reads whether the directory lists a group: `visibility`.
fn read_visibility(fields: &mut Fields<'_>) -> Option<bool> {
    fields.parsed("visibility", |name: String| match name.as_str() {
        HIDDEN => Ok(false),
        SEARCHABLE => Ok(true),
        _ => Err("must be hidden or searchable"),
    })
}

/// Reads the type of a group, as `group_type` or `type`, and `office_mode`, which must not
/// contradict it.
fn read_type(fields: &mut Fields<'_>) -> (Option<GroupKind>, Option<bool>) {
    let mut named = |field| {
        let unknown = "must be private, closed or announcement";
        fields.parsed(field, |name: String| GroupKind::named(&name).ok_or(unknown))
    };
    let group_type = named("group_type");
    let short = named("type");
    if group_type.is_some() && short.is_some() && group_type != short {
        fields.wrong("type", "contradicts group_type");
    }
    let group_type = group_type.or(short);
    let office_mode = fields.flag("office_mode");
    let differs = |kind: GroupKind| office_mode.is_some_and(|on| on != kind.office_mode());
    if group_type.is_some_and(differs) {
        fields.wrong("office_mode", "contradicts group_type");
    }
    (group_type, office_mode)
}

fn read_mention_all(fields: &mut Fields<'_>) -> Option<MentionAll> {
    fields.parsed("mention_all", |text| {
        let known = MentionAll::ALL.iter().find(|(name, _)| *name == text);
        known.map(|(_, who)| *who).ok_or("must be admins or members")
    })
}

/// Reads the seconds of slow mode.
fn read_slow_mode(fields: &mut Fields<'_>) -> Option<u32> {
    let field = "slow_mode";
    fields.value(field)?;
    let text = fields.number(field)?;
    let read = text.trim().parse().ok().filter(|seconds| *seconds <= SLOW_MODE_SECONDS);
    let problem = || format!("must be a whole number of seconds up to {SLOW_MODE_SECONDS}");
    fields.checked(field, read.ok_or_else(problem))
}

/// Reads whether the owner and admins decide who joins, and the question: `join_question {text}`. An
/// empty one stands for the usual question.
fn read_admission(fields: &mut Fields<'_>) -> AdmissionChange {
    let requires_approval = fields.flag("requires_approval");
    let shows_question = fields.flag("show_join_question");
    let question = if fields.is_emptied("join_question") {
        Some(None)
    } else {
        fields.object("join_question").and_then(|mut question| {
            if question.text("type").is_some_and(|kind| kind != QUESTION_TYPE) {
                question.wrong("type", "must be join_reason/questions/text");
            }
            let text = question.parsed("text", JoinQuestion::parse);
            (text.is_some() || question.is_emptied("text")).then_some(text)
        })
    };
    AdmissionChange { requires_approval, shows_question, question }
}

fn read_revising(fields: &mut Fields<'_>) -> RevisionPolicyChange {
    let edit_minutes = period(fields, "message_edit_period");
    let delete_seconds = period(fields, "message_deletion_period");
    let modes = "message_deletion_mode";
    let has_modes = fields.value(modes).is_some();
    let list = fields.list(modes, 2);
    let named: Vec<_> = list.iter().filter_map(Value::as_str).collect();
    let is_known = |name: &&str| Deleter::ALL.iter().any(|it| it.as_str() == *name);
    if named.len() < list.len() || !named.iter().all(is_known) {
        fields.wrong(modes, "must be an array of sender and admin");
    }
    let names = |deleter: Deleter| named.contains(&deleter.as_str());
    let deleters = has_modes.then(|| (names(Deleter::Sender), names(Deleter::Admin)));
    RevisionPolicyChange { edit_minutes, delete_seconds, deleters }
}

fn period(fields: &mut Fields<'_>, field: &str) -> Option<u32> {
    fields.value(field)?;
    let text = fields.number(field)?;
    let read = text.trim().parse().ok().filter(|period| *period <= FOREVER);
    fields.checked(field, read.ok_or_else(|| format!("must be a whole number up to {FOREVER}")))
}

/// Reads the id of the group that the caller wants to rejoin.
///
/// # Errors
/// If the id is missing or invalid.
pub fn read_rejoin(body: &Map<String, Value>) -> Result<GroupId, Problems> {
    let mut problems = Problems::default();
    let group = Fields::of(body, &mut problems).required_id("group_id");
    problems.or(group)
}

/// Reads `{"membership": {"nickname": …}}`.
///
/// # Errors
/// If the nickname is missing or invalid.
pub fn read_rename(body: &Map<String, Value>) -> Result<Nickname, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    if top.value("membership").is_none() {
        top.wrong("membership", "is required");
    }
    let nickname =
        top.object("membership").and_then(|mut it| it.required("nickname", Nickname::parse));
    problems.or(nickname)
}

fn read_group(fields: &mut Fields<'_>, instance: &Instance) -> Option<NewGroup> {
    let name = fields.required("name", GroupName::parse);
    let description = read_description(fields);
    let image = attachment::read_image(fields, "image_url", instance);
    let share = fields.flag("share").unwrap_or(false);
    let (group_type, office_mode) = read_type(fields);
    let office_mode = office_mode.unwrap_or(false);
    let mention_all = read_mention_all(fields).unwrap_or_default();
    let slow_mode = read_slow_mode(fields).unwrap_or(0);
    let admission = read_admission(fields).applied_to(&Admission::default());
    let is_searchable = read_visibility(fields).unwrap_or(false);
    refuse_unsupported(fields);
    Some(NewGroup {
        name: name?,
        description,
        image,
        share,
        office_mode,
        mention_all,
        group_type,
        slow_mode,
        admission,
        is_searchable,
    })
}

fn read_description(fields: &mut Fields<'_>) -> Option<Description> {
    fields.parsed("description", Description::parse)
}

/// Settings that the API knows and this server does not support, each with the values that are
/// accepted because every group has them anyway.
const UNSERVED: [(&str, &[&str]); 13] = [
    ("theme_name", &[]),
    ("theme_id", &[]),
    ("theme_custom_url", &[]),
    ("like_icon", &[]),
    ("locations", &["[]"]),
    ("directories", &["[]"]),
    ("category_ids", &["[]"]),
    ("recap_enabled", &["false", "0"]),
    ("audio_message_disabled", &["false", "0"]),
    ("bot_settings", &["{}", "[]"]),
    ("expires_at", &[]),
    ("campus_profile_visibility", &[]),
    ("message_retention", &[]),
];

/// Refuses unsupported settings; to ignore one silently would promise it.
fn refuse_unsupported(fields: &mut Fields<'_>) {
    let most = GROUP_MEMBERS.to_string();
    for (field, as_it_is) in UNSERVED.into_iter().chain([("max_members", &[most.as_str()][..])]) {
        let Some(wanted) = fields.value(field) else { continue };
        let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), str::to_owned);
        if !as_it_is.contains(&wanted.as_str()) {
            fields.wrong(field, "is not served by this server");
        }
    }
}

/// Reads the filter of a list of members: true if former members are wanted.
///
/// # Errors
/// If the filter is neither `active` nor `inactive`.
pub fn read_filter(query: &Map<String, Value>) -> Result<bool, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let is_inactive = fields.parsed("filter", |text| match text.as_str() {
        "active" => Ok(false),
        "inactive" => Ok(true),
        _ => Err("must be active or inactive"),
    });
    problems.or(Some(is_inactive.unwrap_or(false)))
}

/// Reads a request to add people: `{"members": […]}`. `fresh_guid` makes a guid for an item without
/// one.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_add(
    body: &Map<String, Value>,
    mut fresh_guid: impl FnMut() -> String,
) -> Result<Vec<AddItem>, Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    if top.value("members").is_none() {
        top.wrong("members", "is required");
    }
    let list = top.list("members", ADD_ITEMS);
    let mut items = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        if let Some(mut fields) = top.entry("members", index, value) {
            items.extend(read_item(&mut fields, &mut fresh_guid));
        }
    }
    problems.or(Some(items))
}

fn read_item(fields: &mut Fields<'_>, fresh_guid: &mut dyn FnMut() -> String) -> Option<AddItem> {
    let nickname = fields.required("nickname", Nickname::parse);
    let named = ["user_id", "phone_number", "email"];
    let given: Vec<&str> =
        named.into_iter().filter(|field| fields.value(field).is_some()).collect();
    let who = match given.as_slice() {
        ["user_id"] => fields.required_id("user_id").map(Who::User),
        ["phone_number"] => {
            fields.required("phone_number", |text| Phone::parse(&text)).map(Who::Phone)
        }
        ["email"] => fields.required("email", |text| Email::parse(&text)).map(Who::Email),
        _ => {
            fields.wrong("user_id", "or phone_number or email is required, exactly one of them");
            None
        }
    };
    let guid = fields.name("guid").filter(|guid| guid.len() <= 255).unwrap_or_else(fresh_guid);
    Some(AddItem { who: who?, nickname: nickname?, guid })
}
