//! Topics of groups. The original service calls them subgroups in its paths.

use std::convert::Infallible;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::groups::group_id;
use crate::http::pictures;
use crate::http::reply::{self, Answer};
use ::wire::notices;
use ::wire::topic::{self as wire, ListedTopic, TopicResource};
use actors::ask::Failure;
use actors::group::protocol::{ListTopics, MakeTopic, RemoveTopic, UpdateTopic};
use actors::user::notices::MuteTopic;
use domain::group::{Topic, TopicLog, TopicRefusal};
use domain::ids::{GroupId, UserId};
use domain::notices::Muting;
use domain::time::Timestamp;

/// Most groups whose topics one request lists.
const PARENTS: usize = 50;

/// `GET /groups/:group_id/subgroups`; the path may name several groups, separated by commas.
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let groups = path.split(',').map(group_id).collect::<Result<Vec<GroupId>, _>>()?;
    if groups.len() > PARENTS {
        let problem = format!("group_id: at most {PARENTS} groups, not {}", groups.len());
        return Err(ApiError::new(StatusCode::BAD_REQUEST, problem));
    }
    let mut topics = Vec::new();
    for group in groups {
        let of_group = app.directory.ask(group, ListTopics { reader: caller.user }).await?;
        topics.extend(of_group.into_iter().map(|topic| (group, topic)));
    }
    let ids = topics.iter().map(|(_, topic)| topic.id).collect();
    let logs = logs_of(&app, caller.user, ids).await?;
    let listed = topics.iter().zip(&logs);
    reply::list(
        listed.map(|((group, topic), log)| ListedTopic::of(*group, topic, log, &app.instance)),
    )
}

/// `GET /groups/:group_id/subgroups/:topic`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let path = TopicPath::read(&path)?;
    let topic = path.find(&app, &caller).await?;
    let logs = logs_of(&app, caller.user, vec![topic.id]).await?;
    let log = logs.first().ok_or(TopicRefusal::NoSuchTopic)?;
    Ok(reply::ok(&ListedTopic::of(path.group, &topic, log, &app.instance)))
}

/// `POST /groups/:group_id/subgroups`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let group = group_id(&path)?;
    let mut new = wire::read_new(&body.fields()?, &app.instance)?;
    let image = new.image.iter_mut().map(|image| ("avatar_url".to_owned(), image));
    pictures::look_up(&app, Some(caller.user), image).await?;
    let made = MakeTopic { by: caller.user, new };
    Ok(act.ask(group, made, shown(&app, StatusCode::CREATED, group)).await?)
}

/// `PUT /groups/:group_id/subgroups/:topic`
pub(super) async fn update(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let TopicPath { group, topic } = TopicPath::read(&path)?;
    let mut update = wire::read_update(&body.fields()?, &app.instance)?;
    let image = update.image.iter_mut().flatten().map(|image| ("avatar_url".to_owned(), image));
    pictures::look_up(&app, Some(caller.user), image).await?;
    let updated = UpdateTopic { by: caller.user, topic, update };
    Ok(act.ask(group, updated, shown(&app, StatusCode::OK, group)).await?)
}

/// `DELETE /groups/:group_id/subgroups/:topic`
pub(super) async fn remove(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let TopicPath { group, topic } = TopicPath::read(&path)?;
    app.directory.ask(group, RemoveTopic { by: caller.user, topic }).await?;
    Ok(reply::of_rendered(reply::done(&())))
}

/// `POST /groups/:group_id/subgroups/:topic/mute`
pub(super) async fn mute(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
    body: Body,
) -> Answer {
    let muting = notices::read_muting(&body.fields()?)?;
    set_mute(&app, &act, &caller, &path, muting).await
}

/// `POST /groups/:group_id/subgroups/:topic/unmute`
pub(super) async fn unmute(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    set_mute(&app, &act, &caller, &path, Muting::Over).await
}

async fn set_mute(
    app: &AppState,
    act: &Act,
    caller: &Caller,
    path: &(String, String),
    muting: Muting,
) -> Answer {
    let topic = TopicPath::read(path)?.find(app, caller).await?.id;
    let show = move |until: &Option<Timestamp>| {
        reply::payload(StatusCode::OK, &notices::Mute::until(topic.into(), *until))
    };
    Ok(act.ask(caller.user, MuteTopic { topic, muting }, show).await?)
}

/// The ids of a path that names a topic of a group.
struct TopicPath {
    group: GroupId,
    topic: GroupId,
}

impl TopicPath {
    /// # Errors
    /// 404 if one of the texts is no id.
    fn read((group, topic): &(String, String)) -> Result<Self, ApiError> {
        let topic = topic.parse().map_err(|_| TopicRefusal::NoSuchTopic)?;
        Ok(Self { group: group_id(group)?, topic })
    }

    /// The topic, as a member of its group sees it.
    async fn find(&self, app: &AppState, caller: &Caller) -> Result<Arc<Topic>, ApiError> {
        let topics = app.directory.ask(self.group, ListTopics { reader: caller.user }).await?;
        let known = topics.into_iter().find(|known| known.id == self.topic);
        Ok(known.ok_or(TopicRefusal::NoSuchTopic)?)
    }
}

/// Renders a topic, as the answer to an act.
fn shown(
    app: &AppState,
    status: StatusCode,
    group: GroupId,
) -> impl Fn(&Arc<Topic>) -> actors::idempotency::Rendered + Send + Sync + 'static {
    let instance = Arc::clone(&app.instance);
    move |topic| reply::payload(status, &TopicResource::of(group, topic, &instance))
}

async fn logs_of(
    app: &AppState,
    user: UserId,
    topics: Vec<GroupId>,
) -> Result<Vec<TopicLog>, ApiError> {
    let logs = app.directory.topic_logs(user, topics).await;
    Ok(logs.map_err(Failure::<Infallible>::Fault)?)
}
