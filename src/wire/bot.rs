//! Bots in JSON.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::attachment::Attachment;
use crate::domain::bot_event::BotEvent;
use crate::domain::group::{Bot, BotChange, BotCommand, BotHabits, BotPost, HabitsChange, NewBot};
use crate::domain::ids::{BotId, GroupId};
use crate::domain::limits::BOT_COMMANDS;
use crate::domain::text::{CallbackUrl, GroupName, MessageText, Nickname};
use crate::wire::attachment;
use crate::wire::fields::{Fields, Problems};
use crate::wire::instance::Instance;
use crate::wire::schema::scalars::TextId;

/// A bot as its creator sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Bot")]
pub struct BotResource {
    /// With which the bot posts: a secret.
    bot_id: String,
    /// Where it is.
    group_id: TextId,
    /// What it is called.
    name: Nickname,
    /// Its picture.
    avatar_url: Option<String>,
    /// Where messages of the group are sent.
    callback_url: Option<CallbackUrl>,
    /// As it was set.
    dm_notification: bool,
    /// Whether it may post and is called back.
    active: bool,
}

/// A bot as its creator sees it in answers, with the name of its group, which existing
/// clients read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OwnBot")]
pub struct OwnBot {
    #[serde(flatten)]
    bot: BotResource,
    /// What its group is called.
    group_name: Option<GroupName>,
}

/// Where a bot is, and what that group is called.
pub type BotPlace<'a> = (GroupId, Option<&'a GroupName>);

/// Something that members can tell a bot to do, by writing `/` and its name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BotCommand")]
pub struct CommandResource {
    /// Its name, without the `/`.
    name: String,
    /// What it does.
    description: String,
}

/// A command, and the bot that offers it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OfferedCommand")]
pub struct OfferedCommand {
    /// The command.
    #[serde(flatten)]
    command: CommandResource,
    /// What the bot is called.
    bot_name: Nickname,
    /// Its picture.
    avatar_url: Option<String>,
}

/// What members can tell the bots of a group to do.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OfferedCommands {
    /// By their names.
    pub commands: Vec<OfferedCommand>,
}

/// A bot as everybody else in the group sees it: without what it posts with, and
/// without where it lives.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicBot")]
pub struct PublicBot {
    /// Where it is.
    group_id: TextId,
    /// What it is called.
    name: Nickname,
    /// Its picture.
    avatar_url: Option<String>,
    /// Whether it may post.
    active: bool,
}

/// A changed bot, with more of its settings than lists show.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedBot")]
pub struct BotSettings {
    /// As lists show it.
    #[serde(flatten)]
    bot: OwnBot,
    /// Whether it hears its own posts.
    receive_own: bool,
    /// What it is called back for.
    #[schemars(with = "Vec<BotEvent>")]
    events: Vec<&'static str>,
    /// What members can tell it to do.
    commands: Vec<CommandResource>,
    /// Whether what its listener answers is posted.
    post_answers: bool,
    /// What is older than so many seconds is not sent to it any more.
    drop_older_than: Option<u32>,
    /// The application with which it ends.
    client_id: Option<String>,
}

/// A new bot with its secret, flat and once more under `bot`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreatedBot")]
pub struct CreatedBot {
    /// As lists show it, flat.
    #[serde(flatten)]
    flat: BotWithSecret,
    /// The same once more.
    bot: BotWithSecret,
}

/// A bot with the secret that signs its callbacks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BotWithSecret {
    /// As lists show it.
    #[serde(flatten)]
    bot: OwnBot,
    /// Signs its callbacks; shown only here.
    secret: Option<String>,
}

/// Another secret for a bot.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RotatedSecret {
    /// Signs callbacks from now on; shown only here.
    pub secret: Option<String>,
    /// Until when the one before signs too. Unix time in seconds.
    pub previous_valid_until: Option<u64>,
}

/// A bot as its creator sees it in answers.
pub fn shown_in((group, name): BotPlace<'_>, bot: &Bot, instance: &Instance) -> OwnBot {
    OwnBot { bot: shown(group, bot, instance), group_name: name.cloned() }
}

/// A bot as its creator sees it (specification, section 2).
pub fn shown(group: GroupId, bot: &Bot, instance: &Instance) -> BotResource {
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

/// A bot as everybody else in the group sees it.
pub fn shown_to_others(group: GroupId, bot: &Bot, instance: &Instance) -> PublicBot {
    PublicBot {
        group_id: group.into(),
        name: bot.name.clone(),
        avatar_url: bot.avatar.as_ref().map(|image| instance.image_url(image)),
        active: bot.active,
    }
}

/// A bot as its creator sees it where more than the specification's fields are shown.
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

/// What these bots offer, by name; those that are off offer nothing.
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

/// The answer to creating: flat, as the reference has it, and under `bot`, as the
/// walkthrough has it.
pub fn created(place: BotPlace<'_>, bot: &Bot, instance: &Instance) -> CreatedBot {
    let secret = bot.secret.as_ref().map(|secret| secret.as_str().to_owned());
    let flat = BotWithSecret { bot: shown_in(place, bot, instance), secret };
    CreatedBot { bot: flat.clone(), flat }
}

/// Reads the body of a new bot, with or without a `bot` object around it.
///
/// # Errors
/// With every problem at once.
pub fn read_new(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<(GroupId, NewBot), Problems> {
    let mut problems = Problems::default();
    let mut top = Fields::of(body, &mut problems);
    let read = match top.value("bot") {
        Some(Value::Object(_)) => top.object("bot").and_then(|mut it| read_bot(&mut it, instance)),
        Some(_) | None => read_bot(&mut top, instance),
    };
    problems.or(read)
}

fn read_bot(fields: &mut Fields<'_>, instance: &Instance) -> Option<(GroupId, NewBot)> {
    let name = fields.required("name", Nickname::parse);
    let group = fields.required_id("group_id");
    let avatar = attachment::read_image(fields, "avatar_url", instance);
    let callback_url = fields.parsed("callback_url", |url| CallbackUrl::parse(&url));
    let dm_notification = fields.flag("dm_notification").unwrap_or(false);
    let active = fields.flag("active").unwrap_or(true);
    let events = read_events(fields);
    let habits = read_habits(fields).of(BotHabits::default());
    let name = name?;
    let new = NewBot { name, avatar, callback_url, dm_notification, active, events, habits };
    Some((group?, new))
}

/// What a bot is to be called back for, if that is said.
fn read_events(fields: &mut Fields<'_>) -> Option<Vec<BotEvent>> {
    fields.value("events")?;
    let list = fields.list("events", BotEvent::ALL.len());
    let named = list.iter().map(|it| it.as_str().and_then(BotEvent::named));
    let read: Option<BTreeSet<BotEvent>> = named.collect();
    let read = read.filter(|read| !read.is_empty());
    if read.is_none() {
        let known = BotEvent::ALL.map(BotEvent::as_str).join(", ");
        fields.wrong("events", format!("must be an array of one or more of {known}"));
    }
    Some(read?.into_iter().collect())
}

/// What is said about how a bot takes part.
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
    if !BotCommand::are_apart(&read) {
        fields.wrong("commands", "must have different names");
    }
    read
}

/// What a listener wants to be posted, if its answer says so: `{"text": …}`.
///
/// # Errors
/// With what is wrong about it.
pub fn read_answer(body: &[u8]) -> Result<Option<BotPost>, Problems> {
    let Ok(Value::Object(said)) = serde_json::from_slice(body) else { return Ok(None) };
    let mut problems = Problems::default();
    let text = Fields::of(&said, &mut problems).parsed("text", MessageText::parse);
    problems.or(Some(text.map(|text| BotPost::saying(text, Vec::new()))))
}

/// The fields of a bot, which may stand in an object `bot`.
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

/// Reads what is to be different about a bot. An empty URL takes it away.
///
/// # Errors
/// With every problem at once.
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

/// Reads a bot's post: who, and what.
///
/// # Errors
/// With every problem at once.
pub fn read_post(
    body: &Map<String, Value>,
    instance: &Instance,
) -> Result<(BotId, BotPost), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let bot = fields.required_name("bot_id").map(BotId::new);
    let text = fields.required("text", MessageText::parse);
    let mut attachments = attachment::read_for_bot(&mut fields, instance);
    let picture = attachment::read_image(&mut fields, "picture_url", instance);
    let has_image = attachments.iter().any(|it| matches!(it, Attachment::Image { .. }));
    match picture {
        Some(_) if has_image => {
            fields.wrong("picture_url", "and an image attachment cannot be used together");
        }
        Some(url) => attachments.push(Attachment::Image { url }),
        None => {}
    }
    let read = bot.zip(text).map(|(bot, text)| (bot, BotPost::saying(text, attachments)));
    problems.or(read)
}
