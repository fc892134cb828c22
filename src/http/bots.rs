//! Bots (specification, section 4, Bots).

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, web};
use serde_json::{Map, Value};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::carried;
use crate::http::deliveries;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::held;
use crate::http::limits;
use crate::http::pictures;
use crate::http::reply::{self, Answer};
use crate::http::upload_right::own_conversation;
use ::wire::bot as wire;
use ::wire::fields::{Fields, Problems};
use actors::ask::Failure;
use actors::group::protocol::{AddBot, ChangeBot, PostAsBot, RemoveBot};
use domain::group::{BotRefusal, Maker};
use domain::ids::BotId;
use domain::text::CallbackUrl;

/// `POST /bots`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    body: Body,
) -> Answer {
    let receive_own = dialect.bots_receive_own();
    let (group, mut new) = wire::read_new(&body.fields()?, receive_own, &app.instance)?;
    check(&app, &caller, new.callback_url.as_ref()).await?;
    let avatar = new.avatar.iter_mut().map(|image| ("avatar_url".to_owned(), image));
    pictures::look_up(&app, Some(caller.user), avatar).await?;
    let instance = Arc::clone(&app.instance);
    let group_name = app.directory.context().accounts.name_of_group(group).await?;
    let maker = Maker { user: caller.user, client: caller.client };
    let question = AddBot { maker, new, secret: deliveries::fresh_secret() };
    let done = act.ask(group, question, move |bot| {
        reply::payload(
            StatusCode::CREATED,
            &wire::created((group, group_name.as_ref()), bot, &instance),
        )
    });
    Ok(done.await?)
}

/// Refuses a URL to which the server would not send requests.
async fn check(app: &AppState, caller: &Caller, url: Option<&CallbackUrl>) -> Result<(), Problems> {
    let Some(url) = url else { return Ok(()) };
    let checked = app.outgoing.check_host(caller.user.into(), url.as_str()).await;
    checked.map_err(|refusal| Problems::one(format!("callback_url {refusal}")))?;
    Ok(())
}

/// `POST /bots/:bot_id/update`
pub(super) async fn update(
    app: web::Data<AppState>,
    caller: Caller,
    act: Act,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let fields = wire::unwrapped(body.fields()?);
    change(&app, &act, &caller, path.into_inner(), &fields).await
}

/// `POST /bots/update`: the body names the bot.
pub(super) async fn update_named(
    app: web::Data<AppState>,
    caller: Caller,
    act: Act,
    body: Body,
) -> Answer {
    let fields = wire::unwrapped(body.fields()?);
    let mut problems = Problems::default();
    let bot = Fields::of(&fields, &mut problems).required_name("bot_id");
    let bot = problems.or(bot)?;
    change(&app, &act, &caller, bot, &fields).await
}

async fn change(
    app: &AppState,
    act: &Act,
    caller: &Caller,
    bot: String,
    fields: &Map<String, Value>,
) -> Answer {
    let mut change = wire::read_change(fields, &app.instance)?;
    if change.keep && caller.client.is_some() {
        return Err(ApiError::needs_log_in());
    }
    let row = deliveries::own(app, caller, bot).await?;
    check(app, caller, change.callback_url.as_ref().and_then(Option::as_ref)).await?;
    let avatar = change.avatar.iter_mut().flatten().map(|image| ("avatar_url".to_owned(), image));
    pictures::look_up(app, Some(caller.user), avatar).await?;
    let group = row.group;
    let instance = Arc::clone(&app.instance);
    let group_name = app.directory.context().accounts.name_of_group(group).await?;
    let question = ChangeBot { by: caller.user, bot: row.bot.id, change };
    let done = act.ask(group, question, move |bot| {
        reply::payload(
            StatusCode::OK,
            &wire::shown_with_settings((group, group_name.as_ref()), bot, &instance),
        )
    });
    Ok(done.await?)
}

/// `GET /bots?after=BOT_ID`: by their ids.
pub(super) async fn list(app: web::Data<AppState>, caller: Caller, query: Query) -> Answer {
    let mut problems = Problems::default();
    let after = Fields::of(&query.0, &mut problems).name("after").map(BotId::new);
    let after = problems.or(Some(after))?;
    let mut bots = app.directory.context().accounts.bots(caller.user).await?;
    if let Some(after) = &after {
        bots.retain(|(row, _)| row.bot.id > *after);
        bots.sort_by(|(one, _), (other, _)| one.bot.id.cmp(&other.bot.id));
    }
    let own = bots.iter().filter(|(row, _)| deliveries::may_handle(&caller, &row.bot));
    let shown =
        own.map(|(row, name)| wire::shown_in((row.group, Some(name)), &row.bot, &app.instance));
    reply::list(shown)
}

/// `GET /groups/:group_id/commands`
pub(super) async fn commands(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let group = group_id(&path)?;
    own_conversation(&app, caller.user, &path).await?;
    let archive = &app.directory.context().archive;
    let bots = archive.read_current(caller.user, move |it| it.index.bots_of_group(group)).await?;
    Ok(reply::ok(&wire::offered(bots.iter().map(|row| &row.bot), &app.instance)))
}

/// `POST /bots/post`: takes no token, since the bot's id is secret.
pub(super) async fn post(
    app: web::Data<AppState>,
    act: Act,
    dialect: Dialect,
    request: HttpRequest,
    body: Body,
) -> Answer {
    let fields = body.fields()?;
    let (bot, mut post) = wire::read_post(&fields, &app.instance)?;
    // If `picture_url` is set, the post has no other picture, so an error names that field.
    let images = carried::images("", &mut post.attachments);
    let named = images.map(|(field, image)| match fields.get("picture_url") {
        Some(Value::String(url)) if !url.is_empty() => ("picture_url".to_owned(), image),
        Some(_) | None => (field, image),
    });
    pictures::look_up(&app, None, named).await?;
    let acting = app.directory.context().accounts.active_bot(bot.clone()).await??;
    let number = acting.bot.number;
    let creator = acting.bot.creator;
    let group = acting.group;
    // A bot may send the files that its creator could send here.
    carried::fill_in(&app, Some(creator), group.into(), ("", &mut post.attachments)).await?;
    carried::note_images_used(&app, creator, &post.attachments).await?;
    post.form = dialect.addresses();
    post.here = carried::online_users(&app, number, group.into(), &post.attachments).await?;
    let done =
        act.ask(group, PostAsBot { bot, post }, move |_| reply::payload(dialect.bot_posted(), &()));
    let done = done.await;
    limits::note_bot_posts(&app, group, &request);
    match done {
        Err(Failure::Refused(BotRefusal::Broken(broken))) => held::broken(broken, dialect),
        done => Ok(done?),
    }
}

/// `POST /bots/destroy`
pub(super) async fn destroy(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    body: Body,
) -> Answer {
    let fields = body.fields()?;
    let mut problems = Problems::default();
    let bot = Fields::of(&fields, &mut problems).required_name("bot_id").map(BotId::new);
    let bot = problems.or(bot)?;
    let group = deliveries::own(&app, &caller, bot.as_str().to_owned()).await?.group;
    Ok(act.ask(group, RemoveBot { by: caller.user, bot }, reply::done).await?)
}
