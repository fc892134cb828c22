//! The arrangement of a user's list of conversations in JSON: pins and folders.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::fields::{self, Fields, Problems};
use crate::schema::{list, named, object, some_text, some_words, with_optional};
use domain::canonical::folds::comparable;
use domain::ids::{Conversation, GroupId, Pair};
use domain::limits::{FOLDER_CONVERSATIONS, FOLDER_NAME_CHARS, FOLDERS, PINNED_CONVERSATIONS};
use domain::text::LineText;
use domain::user::{ConversationList, ConversationListChange, Folder};

const PINNED: &str = "pinned_conversation_ids";
const SORTED: &str = "folders";
const INSIDE: &str = "conversation_ids";

/// The conversations that you pinned.
#[derive(Debug, Serialize)]
pub struct PinnedConversations {
    /// The pinned conversations, in your order: ids of groups, and those of two users as `a+b`.
    pinned_conversation_ids: Vec<String>,
}

/// How your list of conversations is arranged.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConversationList")]
pub struct ConversationListResource {
    /// The pinned conversations, in your order: ids of groups, and those of two users as `a+b`.
    pinned_conversation_ids: Vec<String>,
    /// Your folders, in your order.
    folders: Vec<FolderResource>,
}

/// A folder of conversations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Folder")]
pub struct FolderResource {
    /// The name, which no other folder of yours has.
    #[schemars(length(min = 1, max = FOLDER_NAME_CHARS))]
    name: String,
    /// The conversations in it, in your order; each may be in several folders.
    conversation_ids: Vec<String>,
}

impl PinnedConversations {
    /// Builds the list of pins.
    pub fn of(list: &ConversationList) -> Self {
        Self { pinned_conversation_ids: ids(&list.pinned) }
    }
}

impl ConversationListResource {
    /// Builds the arrangement.
    pub fn of(ConversationList { pinned, folders }: &ConversationList) -> Self {
        let resource = |folder: &Folder| FolderResource {
            name: folder.name.clone(),
            conversation_ids: ids(&folder.conversations),
        };
        let folders = folders.iter().map(resource).collect();
        Self { pinned_conversation_ids: ids(pinned), folders }
    }
}

fn ids(conversations: &[Conversation]) -> Vec<String> {
    conversations.iter().map(Conversation::to_string).collect()
}

/// Parses the id of a conversation: a group's, or two users'.
pub fn conversation(text: &str) -> Option<Conversation> {
    let group = text.parse::<GroupId>().map(Conversation::from);
    group.or_else(|_| text.parse::<Pair>().map(Conversation::from)).ok()
}

/// The schema of [`PinnedConversations`], which is also the body of `PUT /pinned_conversations`.
pub fn pinned_schema() -> Value {
    named("PinnedConversations", object([(PINNED, ids_schema())]))
}

fn ids_schema() -> Value {
    list(some_text("A group's id, or two users' as `a+b`."))
}

/// The schema of the body of `PUT /conversation_list`.
pub fn change_schema() -> Value {
    let name = some_words("The name, which no other folder of yours has.", FOLDER_NAME_CHARS);
    let folder = object([("name", name), (INSIDE, ids_schema())]);
    let mut body = with_optional(object([]), [(PINNED, ids_schema()), (SORTED, list(folder))]);
    body["anyOf"] = json!([PINNED, SORTED].map(|name| json!({"required": [name]})));
    named("ConversationListChange", body)
}

/// The change of pins alone.
///
/// # Errors
/// If it has none, too many, or something else.
pub fn read_pins(body: &Map<String, Value>) -> Result<ConversationListChange, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    if fields.value(PINNED).is_none() {
        fields.wrong(PINNED, "is required");
    }
    let pinned = Some(read_conversations(&mut fields, PINNED, PINNED_CONVERSATIONS));
    problems.or(Some(ConversationListChange { pinned, folders: None }))
}

/// Reads a change of the list: pins, folders or both.
///
/// # Errors
/// If it has neither, or one is invalid.
pub fn read(body: &Map<String, Value>) -> Result<ConversationListChange, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let has = |fields: &Fields<'_>, name| fields.value(name).is_some();
    let pinned =
        has(&fields, PINNED).then(|| read_conversations(&mut fields, PINNED, PINNED_CONVERSATIONS));
    let folders = has(&fields, SORTED).then(|| read_folders(&mut fields));
    if pinned.is_none() && folders.is_none() {
        fields.wrong(&format!("{PINNED} or {SORTED}"), "is required");
    }
    problems.or(Some(ConversationListChange { pinned, folders }))
}

fn read_folders(fields: &mut Fields<'_>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = Vec::new();
    for (index, value) in fields.list(SORTED, FOLDERS).iter().enumerate() {
        let Some(mut entry) = fields.entry(SORTED, index, value) else { continue };
        let name = entry.required("name", |text| {
            let name = LineText::parse(text.trim().to_owned(), FOLDER_NAME_CHARS);
            let name = name.map(String::from).map_err(|problem| problem.to_string())?;
            let named = comparable(&name);
            if folders.iter().any(|folder| comparable(&folder.name) == named) {
                return Err("is the name of two folders".to_owned());
            }
            Ok(name)
        });
        let conversations = read_conversations(&mut entry, INSIDE, FOLDER_CONVERSATIONS);
        folders.extend(name.map(|name| Folder { name, conversations }));
    }
    folders
}

/// The conversations of a field, each once, in the order of their first mention.
fn read_conversations(fields: &mut Fields<'_>, field: &str, most: usize) -> Vec<Conversation> {
    let mut wanted = Vec::new();
    for value in fields.list(field, most) {
        match fields::name(value).and_then(|name| conversation(&name)) {
            Some(known) if wanted.contains(&known) => {}
            Some(new) => wanted.push(new),
            None => fields.wrong(field, "must be an array of ids of groups and chats"),
        }
    }
    wanted
}
