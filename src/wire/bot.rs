//! Bots in JSON.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::attachment;
use crate::fields::{Fields, Problems, without_mark};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::attachment::Attachment;
use domain::bot_event::BotEvent;
use domain::group::{Bot, BotChange, BotCommand, BotHabits, BotPost, HabitsChange, NewBot};
use domain::ids::{BotId, GroupId};
use domain::limits::BOT_COMMANDS;
use domain::text::{CallbackUrl, GroupName, MessageText, Nickname};

/// A bot as its creator sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Bot")]
pub struct BotResource {
    /// The bot's id, which is the secret that it posts with.
    bot_id: String,
    /// The group that the bot belongs to.
    group_id: TextId,
    /// The bot's name, shown as the sender of its messages.
    name: Nickname,
    /// URL of the bot's picture; null if it has none.
    avatar_url: Option<String>,
    /// The URL to which events of the group are sent; null if the bot is not called back.
    callback_url: Option<CallbackUrl>,
    /// The value set when the bot was created. This server does not act on it.
    dm_notification: bool,
    /// Whether the bot may post and is called back.
    active: bool,
}

/// A bot as its creator sees it in responses, with the name of its group, which existing clients
/// read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OwnBot")]
pub struct OwnBot {
    #[serde(flatten)]
    bot: BotResource,
    /// Name of the bot's group.
    group_name: Option<GroupName>,
}

/// The group of a bot, and the group's name if it is known.
pub type BotPlace<'a> = (GroupId, Option<&'a GroupName>);

/// A command that members can give a bot by writing `/` and the command's name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BotCommand")]
pub struct CommandResource {
    /// The command's name, without the `/`.
    name: String,
    /// What the command does; may be empty.
    description: String,
}

/// A command, with the bot that offers it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OfferedCommand")]
pub struct OfferedCommand {
    /// The command.
    #[serde(flatten)]
    command: CommandResource,
    /// Name of the bot.
    bot_name: Nickname,
    /// URL of the bot's picture; null if it has none.
    avatar_url: Option<String>,
}

/// The commands that the bots of a group offer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfferedCommands {
    /// The commands, sorted by name.
    pub commands: Vec<OfferedCommand>,
}

/// A bot as the other members of the group see it, without its secret id and its callback URL.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicBot")]
pub struct PublicBot {
    /// The group that the bot belongs to.
    group_id: TextId,
    /// The bot's name.
    name: Nickname,
    /// URL of the bot's picture; null if it has none.
    avatar_url: Option<String>,
    /// Whether the bot may post.
    active: bool,
}

/// A bot after a change, with more of its settings than lists show.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedBot")]
pub struct BotSettings {
    /// The bot as lists show it.
    #[serde(flatten)]
    bot: OwnBot,
    /// Whether the bot also receives the messages that it posted itself.
    receive_own: bool,
    /// The types of event that the bot is called back for.
    #[schemars(with = "Vec<BotEvent>")]
    events: Vec<&'static str>,
    /// The commands that the bot offers to members.
    commands: Vec<CommandResource>,
    /// Whether a text in the listener's response to a callback is posted in the group.
    post_answers: bool,
    /// Age in seconds above which an event is no longer sent to the bot; null if there is no limit.
    drop_older_than: Option<u32>,
    /// The application that made the bot and with whose removal the bot is removed; null if the bot
    /// does not depend on one.
    client_id: Option<String>,
}

/// A new bot with its secret. The same fields are given twice: at the top level, and in `bot`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreatedBot")]
pub struct CreatedBot {
    /// The bot's fields at the top level.
    #[serde(flatten)]
    flat: BotWithSecret,
    /// The same fields in an object.
    bot: BotWithSecret,
}

/// A bot with the secret that signs its callbacks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BotWithSecret {
    /// The bot as lists show it.
    #[serde(flatten)]
    bot: OwnBot,
    /// The secret that signs the bot's callbacks. Only this response shows it.
    secret: Option<String>,
}

/// A bot's new secret.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RotatedSecret {
    /// The secret that signs callbacks from now on. Only this response shows it.
    pub secret: Option<String>,
    /// Until when callbacks are also signed with the previous secret; null if there was none. Unix
    /// time in seconds.
    pub previous_valid_until: Option<u64>,
}

/// Builds the JSON of a bot for its creator, with the name of its group.
pub fn shown_in((group, name): BotPlace<'_>, bot: &Bot, instance: &Instance) -> OwnBot {
    OwnBot { bot: resource(group, bot, instance), group_name: name.cloned() }
}

/// Builds the JSON of a bot for its creator (specification, section 2).
pub fn resource(group: GroupId, bot: &Bot, instance: &Instance) -> BotResource {
    BotResource {
        bot_id: bot.id.as_str().to_owned(),
        group_id: group.into(),
        name: bot.name.clone(),
        avatar_url: bot.avatar.as_ref().map(|image| instance.image_url(image)),
        callback_url: bot.callback_url.clone(),
        dm_notification: bot.dm_notification,
        active: bot.active,
    }
}

/// Builds the JSON of a bot for the other members of its group.
pub fn shown_to_others(group: GroupId, bot: &Bot, instance: &Instance) -> PublicBot {
    PublicBot {
        group_id: group.into(),
        name: bot.name.clone(),
        avatar_url: bot.avatar.as_ref().map(|image| instance.image_url(image)),
        active: bot.active,
    }
}

/// Builds the JSON of a bot for its creator, with settings beyond those of the specification.
pub fn shown_with_settings(place: BotPlace<'_>, bot: &Bot, instance: &Instance) -> BotSettings {
    BotSettings {
        bot: shown_in(place, bot, instance),
        receive_own: bot.receive_own,
        events: BotEvent::ALL
            .into_iter()
            .filter(|it| bot.asks_for(*it))
            .map(BotEvent::as_str)
            .collect(),
        commands: bot.habits.commands.iter().map(shown_command).collect(),
        post_answers: bot.habits.post_answers,
        drop_older_than: bot.habits.drop_older_than,
        client_id: bot.client.map(|client| client.to_string()),
    }
}

fn shown_command(command: &BotCommand) -> CommandResource {
    CommandResource { name: command.name.clone(), description: command.about.clone() }
}

/// Lists the commands of the active bots among these, sorted by name.
pub fn offered<'a>(bots: impl Iterator<Item = &'a Bot>, instance: &Instance) -> OfferedCommands {
    let of = |bot: &'a Bot| {
        bot.habits.commands.iter().map(|command| OfferedCommand {
            command: shown_command(command),
            bot_name: bot.name.clone(),
            avatar_url: bot.avatar.as_ref().map(|image| instance.image_url(image)),
        })
    };
    let mut commands: Vec<OfferedCommand> = bots.filter(|bot| bot.active).flat_map(of).collect();
    commands.sort_by(|one, other| one.command.name.cmp(&other.command.name));
    OfferedCommands { commands }
}

/// Builds the response to creating a bot. The API reference has the fields at the top level, the
/// walkthrough has them in `bot`; the response has both.
pub fn created(place: BotPlace<'_>, bot: &Bot, instance: &Instance) -> CreatedBot {
    let secret = bot.secret.as_ref().map(|secret| secret.as_str().to_owned());
    let flat = BotWithSecret { bot: shown_in(place, bot, instance), secret };
    CreatedBot { bot: flat.clone(), flat }
}

/// Reads the body of a new bot, with or without a `bot` object around it. `receive_own` is the
/// default of the field with that name.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_new(
    body: &Map<String, Value>,
    receive_own: bool,
    instance: &Instance,
) -> Result<(GroupId, NewBot), Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let read = match top.value("bot") {
        Some(Value::Object(_)) => {
            top.object("bot").and_then(|mut it| read_bot(&mut it, receive_own, instance))
        }
        Some(_) | None => read_bot(&mut top, receive_own, instance),
    };
    problems.or(read)
}

fn read_bot(
    fields: &mut Fields<'_>,
    receive_own: bool,
    instance: &Instance,
) -> Option<(GroupId, NewBot)> {
    let name = fields.required("name", Nickname::parse);
    let group = fields.required_id("group_id");
    let avatar = attachment::read_image(fields, "avatar_url", instance);
    let callback_url = fields.parsed("callback_url", |url| CallbackUrl::parse(&url));
    let dm_notification = fields.flag("dm_notification").unwrap_or(false);
    let active = fields.flag("active").unwrap_or(true);
    let events = read_events(fields);
    let habits = read_habits(fields).of(BotHabits::default());
    let receive_own = fields.flag("receive_own").unwrap_or(receive_own);
    Some((
        group?,
        NewBot {
            name: name?,
            avatar,
            callback_url,
            dm_notification,
            active,
            events,
            habits,
            receive_own,
        },
    ))
}

/// Reads the types of event that a bot is to be called back for; None if they are absent or
/// invalid.
fn read_events(fields: &mut Fields<'_>) -> Option<Vec<BotEvent>> {
    fields.value("events")?;
    let list = fields.list("events", BotEvent::ALL.len());
    let named = list.iter().map(|it| it.as_str().and_then(BotEvent::named));
    let read: Option<BTreeSet<BotEvent>> = named.collect();
    let read = read.filter(|read| !read.is_empty());
    if read.is_none() && fields.is_list_or_absent("events", BotEvent::ALL.len()) {
        let known = BotEvent::ALL.map(BotEvent::as_str).join(", ");
        fields.wrong("events", format!("must be an array of one or more of {known}"));
    }
    Some(read?.into_iter().collect())
}

/// Reads the changes to a bot's habits: commands, posting of responses, age limit.
fn read_habits(fields: &mut Fields<'_>) -> HabitsChange {
    let is_said = fields.value("commands").is_some();
    let commands = read_commands(fields);
    HabitsChange {
        commands: is_said.then_some(commands),
        post_answers: fields.flag("post_answers"),
        drop_older_than: fields.value("drop_older_than").is_some().then(|| {
            let seconds = fields.amount("drop_older_than", u64::from(u32::MAX));
            u32::try_from(seconds).unwrap_or(u32::MAX)
        }),
    }
}

fn read_commands(fields: &mut Fields<'_>) -> Vec<BotCommand> {
    let list = fields.list("commands", BOT_COMMANDS);
    let mut read = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let Some(mut command) = fields.entry("commands", index, value) else { continue };
        let name = command.required("name", BotCommand::name);
        let about = command.parsed("description", BotCommand::about).unwrap_or_default();
        read.extend(name.map(|name| BotCommand { name, about }));
    }
    if !BotCommand::have_distinct_names(&read) {
        fields.wrong("commands", "must have different names");
    }
    read
}

/// Reads what a listener's response asks to have posted: `{"text": …}`. None if the response is
/// blank or has no text.
///
/// # Errors
/// If the response is not a JSON object, or the text is invalid.
pub fn read_answer(body: &[u8]) -> Result<Option<BotPost>, Problems> {
    let body = without_mark(body).trim_ascii();
    if body.is_empty() {
        return Ok(None);
    }
    let said = match serde_json::from_slice(body) {
        Ok(Value::Object(said)) => said,
        Ok(_) => return Err(Problems::one("the answer must be a JSON object")),
        Err(error) => {
            return Err(Problems::one(format!("the answer is not valid JSON: {error}")));
        }
    };
    let mut problems = Problems::default();
    let text = Fields::of(&said, &mut problems).parsed("text", MessageText::parse);
    problems.or(Some(text.map(|text| BotPost::new(Some(text), Vec::new()))))
}

/// Takes the fields of a bot out of the `bot` object, if the body has one.
pub fn unwrapped(mut body: Map<String, Value>) -> Map<String, Value> {
    match body.remove("bot") {
        Some(Value::Object(inside)) => inside,
        Some(other) => {
            body.insert("bot".to_owned(), other);
            body
        }
        None => body,
    }
}

/// Reads the changes to a bot. An empty URL removes the picture or the callback URL.
///
/// # Errors
/// If fields are invalid; all problems are reported together.
pub fn read_change(body: &Map<String, Value>, instance: &Instance) -> Result<BotChange, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let avatar = if fields.is_emptied("avatar_url") {
        Some(None)
    } else {
        attachment::read_image(&mut fields, "avatar_url", instance).map(Some)
    };
    let callback_url = if fields.is_emptied("callback_url") {
        Some(None)
    } else {
        fields.parsed("callback_url", |url| CallbackUrl::parse(&url)).map(Some)
    };
    let change = BotChange {
        name: fields.parsed("name", Nickname::parse),
        avatar,
        callback_url,
        active: fields.flag("active"),
        receive_own: fields.flag("receive_own"),
        events: read_events(&mut fields),
        habits: read_habits(&mut fields),
        keep: fields.flag("keep").unwrap_or(false),
    };
    problems.or(Some(change))
}

/// Reads a bot's post: the bot's id and the message.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_post(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<(BotId, BotPost), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let bot = fields.required_name("bot_id").map(BotId::new);
    let text = fields.parsed("text", MessageText::parse);
    let mut attachments = attachment::read_for_bot(&mut fields, instance);
    let picture = attachment::read_image(&mut fields, "picture_url", instance);
    let has_image = attachments.iter().any(|it| matches!(it, Attachment::Image { .. }));
    match picture {
        Some(_) if has_image => {
            fields.wrong("picture_url", "and an image attachment cannot be used together");
        }
        Some(url) => attachments.push(Attachment::Image { url, hints: None }),
        None => {}
    }
    let has_none = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
    let has_attachment =
        fields.value("picture_url").is_some() || !fields.value("attachments").is_none_or(has_none);
    if fields.value("text").is_none() && !has_attachment {
        fields.wrong("text", "is required unless there is an attachment");
    }
    let read = bot.map(|bot| (bot, BotPost::new(text, attachments)));
    problems.or(read)
}
