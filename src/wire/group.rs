//! Groups and memberships in JSON.

use std::sync::OnceLock;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::domain::group::{
    AddItem, AddResults, Group, Member, NewGroup, Role, SettingsChange, Who,
};
use crate::domain::ids::GroupId;
use crate::domain::limits::{ADD_ITEMS, GROUP_MEMBERS};
use crate::domain::message::Message;
use crate::domain::text::{Description, Email, GroupName, Nickname, Phone};
use crate::wire::attachment;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;
use crate::wire::message::as_text;

/// Whether a list of groups carries their members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// In full.
    Shown,
    /// `null` instead.
    Omitted,
}

/// A group as it goes out (specification, section 2), but for its messages.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(serialize_with = "as_text")]
    id: u64,
    #[serde(serialize_with = "as_text")]
    group_id: u64,
    name: &'a GroupName,
    r#type: &'static str,
    description: &'a Option<Description>,
    image_url: Option<String>,
    #[serde(serialize_with = "as_text")]
    creator_user_id: u64,
    created_at: u64,
    updated_at: u64,
    office_mode: bool,
    max_members: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    share_url: Option<String>,
    members: Option<Vec<ShownMember<'a>>>,
}

/// A member inside a group.
#[derive(Serialize)]
struct ShownMember<'a> {
    #[serde(serialize_with = "as_text")]
    id: u64,
    #[serde(serialize_with = "as_text")]
    user_id: u64,
    nickname: &'a Nickname,
    name: &'a str,
    image_url: Option<String>,
    muted: bool,
    autokicked: bool,
    roles: &'static [&'static str],
}

/// The JSON of a group with its members, but for its messages: made when it is first
/// wanted, and good until the group changes. Posts do not change it.
#[derive(Debug, Default)]
pub struct GroupJson(OnceLock<Bytes>);

impl GroupJson {
    fn of(&self, group: &Group, instance: &Instance) -> &Bytes {
        self.0.get_or_init(|| Bytes::from(group_json(group, Members::Shown, instance)))
    }
}

/// Everything up to the messages, without the end of the object.
fn group_json(group: &Group, members: Members, instance: &Instance) -> Vec<u8> {
    let settings = &group.settings;
    let token = settings.share_token.as_ref();
    let shown = Shown {
        id: group.id.get(),
        group_id: group.id.get(),
        name: &settings.name,
        r#type: "private",
        description: &settings.description,
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        creator_user_id: group.creator.get(),
        created_at: group.created_at.seconds(),
        updated_at: group.updated_at.seconds(),
        office_mode: settings.office_mode,
        max_members: GROUP_MEMBERS,
        share_url: token.map(|token| instance.share_url(group.id, token)),
        members: match members {
            Members::Shown => Some(group.members.values().map(|it| member(it, instance)).collect()),
            Members::Omitted => None,
        },
    };
    let mut json = serde_json::to_vec(&shown).expect("texts, numbers and lists are always JSON");
    json.pop();
    json
}

fn member<'a>(member: &'a Member, instance: &Instance) -> ShownMember<'a> {
    ShownMember {
        id: member.membership_id.get(),
        user_id: member.user_id.get(),
        nickname: &member.nickname,
        name: &member.name,
        image_url: member.image.as_ref().map(|image| instance.image_url(image)),
        muted: member.muted,
        autokicked: false,
        roles: roles(member.role),
    }
}

/// A group and what is said in it: what is durable, which may be less than the room has
/// decided.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a> {
    /// Settings and members.
    pub group: &'a Group,
    /// Its JSON, where somebody keeps that.
    pub group_json: Option<&'a GroupJson>,
    /// How many messages paging can reach.
    pub count: u64,
    /// The newest.
    pub last: Option<&'a Message>,
}

/// Writes the JSON of a group behind what is there.
pub fn write_shown(json: &mut Vec<u8>, whole: Whole<'_>, members: Members, instance: &Instance) {
    match (whole.group_json, members) {
        (Some(group_json), Members::Shown) => {
            json.extend_from_slice(group_json.of(whole.group, instance))
        }
        (Some(_) | None, _) => json.extend_from_slice(&group_json(whole.group, members, instance)),
    }
    write_preview(json, whole, Preview::Whole, instance);
}

/// Ends the JSON of a group with its messages.
fn write_preview(json: &mut Vec<u8>, whole: Whole<'_>, preview: Preview, instance: &Instance) {
    json.extend_from_slice(b",\"messages\":");
    let messages = messages(whole.count, whole.last, preview, instance);
    json.extend_from_slice(messages.to_string().as_bytes());
    json.push(b'}');
}

/// Writes the JSON of a group in short: without its members, and of its newest message
/// the words only.
pub fn write_short(json: &mut Vec<u8>, whole: Whole<'_>, instance: &Instance) {
    json.extend_from_slice(&group_json(whole.group, Members::Omitted, instance));
    write_preview(json, whole, Preview::Words, instance);
}

/// Writes the JSON of a group as its member sees it in a list, with how much is unread.
pub fn write_listed(
    json: &mut Vec<u8>,
    whole: Whole<'_>,
    (members, preview): (Members, Preview),
    unread: u64,
    instance: &Instance,
) {
    match preview {
        Preview::Whole => write_shown(json, whole, members, instance),
        Preview::Words => write_short(json, whole, instance),
    }
    json.pop();
    json.extend_from_slice(format!(",\"unread_count\":{unread}}}").as_bytes());
}

/// A group as a value.
pub fn shown(group: &Group, count: u64, last: Option<&Message>, instance: &Instance) -> Value {
    let mut json = Vec::with_capacity(1024);
    write_shown(
        &mut json,
        Whole { group, group_json: None, count, last },
        Members::Shown,
        instance,
    );
    serde_json::from_slice(&json).expect("what was written as JSON is JSON")
}

/// How much of the newest message a group shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// With its attachments.
    Whole,
    /// Without them.
    Words,
}

fn messages(count: u64, last: Option<&Message>, preview: Preview, instance: &Instance) -> Value {
    let carrying = last.filter(|_| preview == Preview::Whole);
    json!({
        "count": count,
        "last_message_id": last.map(|message| message.id.to_string()),
        "last_message_created_at": last.map(Message::created_at),
        "preview": {
            "nickname": last.map(|message| &message.name),
            "text": last.and_then(|message| message.text.as_ref()),
            "image_url": last
                .and_then(|message| message.avatar.as_ref())
                .map(|image| instance.image_url(image)),
            "attachments": carrying
                .map_or(&[][..], |message| &message.attachments)
                .iter()
                .map(|it| attachment::shown(it, instance))
                .collect::<Vec<_>>(),
        },
    })
}

fn roles(role: Role) -> &'static [&'static str] {
    match role {
        Role::Owner => &["admin", "owner"],
        Role::Admin => &["admin"],
        Role::Member => &["user"],
    }
}

/// A membership: what adding and renaming answer.
pub fn membership(member: &Member, instance: &Instance) -> Value {
    json!({
        "id": member.membership_id.to_string(),
        "user_id": member.user_id.to_string(),
        "nickname": member.nickname,
        "muted": member.muted,
        "image_url": member.image.as_ref().map(|image| instance.image_url(image)),
        "autokicked": false,
        "app_installed": true,
    })
}

/// A membership as events tell of it: with what a list of members shows beside it, so that
/// a reader who knows the group needs to ask nothing.
pub fn told(member: &Member, instance: &Instance) -> Value {
    let mut told = membership(member, instance);
    told["name"] = json!(member.name);
    told["roles"] = json!(roles(member.role));
    told
}

/// The results of an add request: memberships with the guid of their item.
pub fn add_results(results: &AddResults, instance: &Instance) -> Value {
    let shown = results.iter().map(|(guid, member)| {
        let mut shown = membership(member, instance);
        shown["guid"] = json!(guid);
        shown
    });
    json!({"members": shown.collect::<Vec<_>>()})
}

/// Reads the body of a new group, with or without a `group` object around it.
///
/// # Errors
/// With every problem at once.
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

/// Reads a change of settings, with or without a `group` object around it. What is
/// absent or `null` stays as it is; an empty description or picture goes away.
///
/// # Errors
/// With every problem at once.
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
    let is_given = |fields: &Fields<'_>, field| fields.value(field).is_some();
    let has_description = is_given(fields, "description");
    let has_image = is_given(fields, "image_url");
    SettingsChange {
        name,
        description: has_description.then(|| read_description(fields)),
        image: has_image.then(|| attachment::read_image(fields, "image_url", instance)),
        office_mode: fields.flag("office_mode"),
        share: fields.flag("share"),
    }
}

/// The group that somebody wants to come back to.
///
/// # Errors
/// When it is not named.
pub fn read_rejoin(body: &Map<String, Value>) -> Result<GroupId, Problems> {
    let mut problems = Problems::default();
    let group = Fields::of(body, &mut problems).required_id("group_id");
    problems.or(group)
}

/// Reads `{"membership": {"nickname": …}}`.
///
/// # Errors
/// When there is no such nickname.
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
    let office_mode = fields.flag("office_mode").unwrap_or(false);
    Some(NewGroup { name: name?, description, image, share, office_mode })
}

fn read_description(fields: &mut Fields<'_>) -> Option<Description> {
    match fields.value("description").and_then(Value::as_str) {
        Some("") => None,
        Some(_) | None => fields.parsed("description", Description::parse),
    }
}

/// Reads a request to add people: `{"members": […]}`. `fresh_guid` names an item that
/// the client did not name.
///
/// # Errors
/// With every problem at once.
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
