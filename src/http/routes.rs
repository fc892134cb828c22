//! Every route on one page, in the order of the specification.

use actix_web::web::{self, ServiceConfig, delete, get, head, post};
use actix_web::{HttpResponse, Resource};

use crate::http::body::BODY_BYTES;
use crate::http::error::ApiError;
use crate::http::{
    assets, auth, blocks, bots, chats, direct_messages, groups, health, joining, likes, members,
    messages, owners, push, sync, users,
};

/// Puts every route in place.
pub fn all(app: &mut ServiceConfig) {
    app.app_data(web::PayloadConfig::new(BODY_BYTES));
    app.service(web::scope("/v3").configure(v3));
    app.service(web::scope("/compat/v3").configure(v3));
    app.service(at("/auth/register").route(post().to(auth::register)))
        .service(at("/auth/login").route(post().to(auth::login)))
        .service(at("/auth/logout").route(post().to(auth::logout)))
        .service(at("/health/live").route(get().to(health::live)))
        .service(at("/health/ready").route(get().to(health::ready)))
        .service(at("/").route(get().to(assets::index)).route(head().to(assets::index)))
        .service(at("/join_group/{id}/{token}").route(get().to(assets::index)))
        .default_service(web::to(assets::any));
}

fn v3(app: &mut ServiceConfig) {
    app
        // Groups
        .service(at("/groups").route(get().to(groups::list)).route(post().to(groups::create)))
        .service(at("/groups/former").route(get().to(groups::former)))
        .service(at("/groups/join").route(post().to(joining::rejoin)))
        .service(at("/groups/change_owners").route(post().to(owners::change)))
        .service(at("/groups/{id}").route(get().to(groups::show)))
        .service(at("/groups/{id}/update").route(post().to(groups::update)))
        .service(at("/groups/{id}/destroy").route(post().to(groups::destroy)))
        .service(at("/groups/{id}/join/{token}").route(post().to(joining::join)))
        .service(at("/groups/{id}/rejoin").route(post().to(joining::rejoin_this)))
        // Members
        .service(at("/groups/{id}/members/add").route(post().to(members::add)))
        .service(at("/groups/{id}/members/results/{request}").route(get().to(members::results)))
        .service(at("/groups/{id}/members/{membership}/remove").route(post().to(members::remove)))
        .service(at("/groups/{id}/memberships/update").route(post().to(members::rename)))
        // Messages
        .service(
            at("/groups/{id}/messages")
                .route(get().to(messages::list))
                .route(post().to(messages::create)),
        )
        // Chats and direct messages
        .service(at("/chats").route(get().to(chats::list)))
        .service(
            at("/direct_messages")
                .route(get().to(direct_messages::list))
                .route(post().to(direct_messages::create)),
        )
        // Likes
        .service(at("/messages/{conversation}/{message}/like").route(post().to(likes::like)))
        .service(at("/messages/{conversation}/{message}/unlike").route(post().to(likes::unlike)))
        .service(at("/groups/{id}/likes").route(get().to(likes::leaders)))
        .service(at("/groups/{id}/likes/mine").route(get().to(likes::mine)))
        .service(at("/groups/{id}/likes/for_me").route(get().to(likes::for_me)))
        // Bots
        .service(at("/bots").route(get().to(bots::list)).route(post().to(bots::create)))
        .service(at("/bots/post").route(post().to(bots::post)))
        .service(at("/bots/destroy").route(post().to(bots::destroy)))
        // Users
        .service(at("/users/me").route(get().to(users::me)))
        .service(at("/users/update").route(post().to(users::update)))
        .service(at("/users/sms_mode").route(post().to(users::sms_on)))
        .service(at("/users/sms_mode/delete").route(post().to(users::sms_off)))
        // Blocks
        .service(
            at("/blocks")
                .route(get().to(blocks::list))
                .route(post().to(blocks::create))
                .route(delete().to(blocks::delete)),
        )
        .service(at("/blocks/between").route(get().to(blocks::between)))
        .service(at("/blocks/delete").route(post().to(blocks::delete)))
        // Push
        .service(at("/push").route(get().to(push::socket)))
        .service(at("/sync").route(get().to(sync::snapshot)))
        .default_service(web::to(nothing_here));
}

/// A path; other methods than its routes' are answered with 405 and `Allow`.
fn at(path: &str) -> Resource {
    web::resource(path)
}

async fn nothing_here() -> Result<HttpResponse, ApiError> {
    Err(ApiError::no_such_path())
}
