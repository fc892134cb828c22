//! Every route on one page, in the order of the specification, each with the scope that it needs of
//! a token, and with its description for `/openapi.json`; a route without one does not compile.

use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpResponse, Responder, Route};

use crate::http::access::{self as needs, PathAccess, RouteAccess, RouteRule};
use crate::http::body::Limit;
use crate::http::compressed::Compress;
use crate::http::counts::Numbers;
use crate::http::error::ApiError;
use crate::http::oauth::{self, consent};
use crate::http::once::{IdempotencyKeys, Keys};
use crate::http::operation::Operation;
use crate::http::operations as docs;
use crate::http::origins::{self, AnyOrigin};
use crate::http::to_leader::Forwarding;
use crate::http::to_the_end::ToTheEnd;
use crate::http::without_body::without_body;
use crate::http::{
    account_deletion, account_invitations, account_requests, applications, assets, asyncapi, auth,
    bans, blocks, bots, calendar, chats, codes, confirmation, conversation_list, deliveries,
    devices, direct_messages, drafts, events, factors, faye, file_service, files, fresh, gallery,
    group_audit, group_bots, group_directory, groups, health, held, images, invite_links,
    join_requests, joins, likes, login_verification, mails, members, mentions, message_requests,
    messages, metrics, notices, oidc, openapi, operator_groups, operator_reports, operator_rules,
    operators, original, original_login, own_settings, owners, page_previews, passkeys, password,
    picture_uploads, pictures, pins, polls, push, read_marks, recovery, registration, reports,
    revisions, rules, saved, scim, search, setup, sync, threads, timeouts, tokens, topics, uploads,
    users,
};
use ::wire::scim::PATH as SCIM;
use domain::guests::AccountAct;

/// Routes of the second factor.
#[rustfmt::skip]
fn of_factors() -> Vec<Row> {
    vec![
        post("/auth/login/verify", needs::OPEN, login_verification::finish, docs::factors::verify).unkeyed(),
        post("/auth/fresh", needs::ACCOUNT, fresh::prove, docs::factors::fresh).unkeyed(),
        get("/auth/totp", needs::ACCOUNT, factors::show, docs::factors::show),
        post("/auth/totp", needs::ACCOUNT, factors::begin, docs::factors::begin).unkeyed(),
        delete("/auth/totp", needs::ACCOUNT, factors::remove, docs::factors::remove),
        post("/auth/totp/confirm", needs::ACCOUNT, factors::confirm, docs::factors::confirm).unkeyed(),
        get("/auth/audit", needs::ACCOUNT, operators::own_acts, docs::operators::own_acts),
        post("/auth/totp/recovery-codes", needs::ACCOUNT, factors::renew, docs::factors::renew).unkeyed(),
        post("/auth/passkeys/register/start", needs::ACCOUNT, passkeys::begin_registration, docs::factors::begin_passkey).unkeyed(),
        post("/auth/passkeys/register/finish", needs::ACCOUNT, passkeys::finish_registration, docs::factors::finish_passkey).unkeyed(),
        post("/auth/passkeys/login/start", needs::OPEN, passkeys::begin_log_in, docs::factors::begin_log_in).unkeyed(),
        post("/auth/passkeys/login/finish", needs::OPEN, passkeys::finish_log_in, docs::factors::finish_log_in).unkeyed(),
        get("/auth/passkeys", needs::ACCOUNT, passkeys::list, docs::factors::passkeys),
        get("/auth/passkeys/{passkey_id}", needs::ACCOUNT, passkeys::show, docs::factors::passkey),
        patch("/auth/passkeys/{passkey_id}", needs::ACCOUNT, passkeys::rename, docs::factors::rename_passkey),
        delete("/auth/passkeys/{passkey_id}", needs::ACCOUNT, passkeys::remove, docs::factors::remove_passkey),
        get("/auth/devices", needs::ACCOUNT, factors::devices, docs::factors::devices),
        delete("/auth/devices/{device_id}", needs::ACCOUNT, factors::forget, docs::factors::forget),
    ]
}

/// Routes of log-in with OpenID Connect.
#[rustfmt::skip]
fn of_providers() -> Vec<Row> {
    vec![
        post("/auth/oidc/finish", needs::OPEN, oidc::finish::finish, docs::oidc::finish).unkeyed(),
        get("/auth/oidc/{provider}/start", needs::OPEN, oidc::start, docs::oidc::start).led(),
        get("/auth/oidc/{provider}/callback", needs::OPEN, oidc::callback, docs::oidc::callback).led(),
        post("/auth/oidc/{provider}/link", needs::ACCOUNT, oidc::link, docs::oidc::link).unkeyed(),
        post("/auth/oidc/{provider}/proof", needs::ACCOUNT, oidc::proof, docs::oidc::proof).unkeyed(),
        get("/auth/oidc/{provider}/logout", needs::OPEN, oidc::leave, docs::oidc::leave),
        post("/auth/oidc/{provider}/logout", needs::OPEN, oidc::logout, docs::oidc::logout).unkeyed(),
        get("/auth/identities", needs::ACCOUNT, oidc::identities::list, docs::oidc::identities),
        delete("/auth/identities/{identity_id}", needs::ACCOUNT, oidc::identities::unlink, docs::oidc::unlink),
    ]
}

/// Routes of OAuth and of applications.
#[rustfmt::skip]
fn of_applications() -> Vec<Row> {
    vec![
        get("/oauth/authorize", needs::OPEN, consent::show, docs::oauth::authorize).led(),
        post("/oauth/authorize", needs::OPEN, consent::decide, docs::oauth::decide).unkeyed(),
        post("/oauth/token", needs::OPEN, oauth::token::exchange, docs::oauth::token).unkeyed(),
        // The name of the same path for clients of the original service
        post("/oauth/access_token", needs::OPEN, oauth::token::exchange, docs::oauth::token).unkeyed(),
        post("/oauth/revoke", needs::OPEN, oauth::revoke::end, docs::oauth::revoke).unkeyed(),
        get("/.well-known/oauth-authorization-server", needs::OPEN, oauth::metadata, docs::oauth::metadata),
        get("/oauth/applications", needs::ACCOUNT, applications::list, docs::oauth::applications),
        post("/oauth/applications", needs::ACCOUNT, applications::create, docs::oauth::register),
        delete("/oauth/applications/{client_id}", needs::ACCOUNT, applications::delete, docs::oauth::remove),
    ]
}

/// Routes outside `/v3`.
fn root() -> Vec<Row> {
    let mut rows = of_root();
    rows.extend(of_factors());
    rows.extend(of_providers());
    rows.extend(of_applications());
    rows
}

/// Routes outside `/v3` but those of the second factor, of providers and of applications.
#[rustfmt::skip]
fn of_root() -> Vec<Row> {
    vec![
        post("/auth/register", needs::OPEN, registration::register, docs::accounts::register).keyed_by_email(),
        post("/auth/setup", needs::OPEN, setup::begin, docs::accounts::setup).unkeyed(),
        get("/auth/invites/{secret}", needs::OPEN, account_invitations::view, docs::accounts::invite),
        get("/auth/options", needs::OPEN, setup::options, docs::accounts::options),
        // The file service of existing clients
        post("/v1/{conversation}/files", needs::THERE_WRITE, file_service::create, docs::files::service_create).unkeyed().here(),
        get("/v1/{conversation}/uploadStatus", needs::THERE_WRITE, file_service::status, docs::files::service_status),
        post("/v1/{conversation}/fileData", needs::THERE_WRITE, file_service::data, docs::files::service_data).unkeyed().here(),
        get("/v1/{conversation}/fileData/{file}", needs::THERE_READ, file_service::data_of, docs::files::service_data_of),
        get("/v1/{conversation}/files/{file}", needs::THERE_READ, file_service::show, docs::files::service_show),
        post("/v1/{conversation}/files/{file}", needs::THERE_READ, file_service::show, docs::files::service_show_posted).unkeyed().here(),
        get("/qr/join_group/{id}/{token}/preview", needs::OPEN, codes::group, docs::original::group_code),
        get("/qr/contact/{user}/{token}/preview", needs::OPEN, codes::contact, docs::original::contact_code),
        get("/v1/search", needs::GROUPS_READ, group_directory::popular, docs::group_directory::search).for_act(AccountAct::FindGroups),
        get("/v1/search/popular", needs::GROUPS_READ, group_directory::popular, docs::group_directory::popular).for_act(AccountAct::FindGroups),
        get("/v1/search/trending", needs::GROUPS_READ, group_directory::trending, docs::group_directory::trending).for_act(AccountAct::FindGroups),
        get("/v1/search/nearby", needs::GROUPS_READ, group_directory::nearby, docs::group_directory::nearby).for_act(AccountAct::FindGroups),
        get("/v1/urls/preview", needs::EITHER_READ, page_previews::show, docs::pictures::page_preview),
        post("/auth/login", needs::OPEN, auth::login, docs::accounts::login).unkeyed(),
        post("/auth/recover", needs::OPEN, recovery::request, docs::accounts::recover).unkeyed(),
        post("/auth/recover/{secret}", needs::OPEN, recovery::finish, docs::accounts::finish_recovery).unkeyed(),
        post("/auth/confirm", needs::ACCOUNT, confirmation::request, docs::accounts::request_confirmation).unkeyed(),
        post("/auth/confirm/{secret}", needs::OPEN, confirmation::confirm, docs::accounts::confirm).unkeyed(),
        get("/auth/unsubscribe/{sealed}", needs::OPEN, own_settings::page, docs::accounts::unsubscribe_page),
        post("/auth/unsubscribe/{sealed}", needs::OPEN, own_settings::unsubscribe, docs::accounts::unsubscribe).unkeyed(),
        post("/auth/protest/{secret}", needs::OPEN, recovery::protest, docs::accounts::protest).unkeyed(),
        post("/auth/logout", needs::ANY_TOKEN, auth::logout, docs::accounts::logout).unkeyed(),
        post("/pictures", needs::EITHER_WRITE, pictures::create, docs::pictures::create).unkeyed().here(),
        post("/uploads", needs::EITHER_WRITE, picture_uploads::create, docs::pictures::announce).unkeyed().here(),
        put("/uploads/{picture}", needs::OPEN, picture_uploads::put, docs::pictures::put).unkeyed().here(),
        get("/uploads/{picture}/{name}", needs::OPEN, picture_uploads::show, docs::pictures::show_uploaded),
        get("/images/{name}", needs::OPEN, images::show, docs::pictures::show),
        head("/images/{name}", needs::OPEN, images::show, docs::pictures::show_head),
        get("/auth/tokens", needs::ACCOUNT, tokens::list, docs::accounts::tokens),
        post("/auth/tokens", needs::ACCOUNT, tokens::create, docs::accounts::make_token).unkeyed(),
        delete("/auth/tokens/{token_id}", needs::ACCOUNT, tokens::end, docs::accounts::end_token),
        post("/auth/password", needs::ACCOUNT, password::change, docs::accounts::change_password).unkeyed(),
        delete("/auth/account", needs::ACCOUNT, account_deletion::delete, docs::accounts::delete),
        get("/faye", needs::AT_HELLO, faye::get, docs::bayeux::get),
        held_post("/faye", needs::AT_HELLO, faye::post, docs::bayeux::post).unkeyed(),
        get("/faye/{step}", needs::AT_HELLO, faye::get, docs::bayeux::get),
        held_post("/faye/{step}", needs::AT_HELLO, faye::post, docs::bayeux::post).unkeyed(),
        get("/health/live", needs::OPEN, health::live, docs::instance::live),
        get("/health/ready", needs::OPEN, health::ready, docs::instance::ready),
        get("/metrics", needs::OPEN, metrics::show, docs::instance::metrics),
        get("/openapi.json", needs::OPEN, openapi::show, docs::instance::openapi),
        get("/asyncapi.json", needs::OPEN, asyncapi::show, docs::instance::asyncapi),
        get("/docs", needs::OPEN, assets::docs, docs::instance::docs),
        get("/", needs::OPEN, assets::index, docs::instance::client),
        head("/", needs::OPEN, assets::index, docs::instance::client_head),
        get("/admin", needs::OPEN, assets::index, docs::instance::administration),
        get("/setup", needs::OPEN, assets::index, docs::instance::setup),
        get("/join_group/{id}/{token}", needs::OPEN, assets::index, docs::instance::group_link),
        get("/invite/{secret}", needs::OPEN, assets::index, docs::instance::invitation),
    ]
}

/// Routes below `/v3`, and below `/compat/v3`.
fn v3() -> Vec<Row> {
    let mut rows = of_groups();
    rows.extend(of_conversations());
    rows.extend(of_plans());
    rows.extend(of_people());
    rows.extend(of_operators());
    rows.extend(of_original_clients());
    rows
}

/// Routes of operators.
#[rustfmt::skip]
fn of_operators() -> Vec<Row> {
    vec![
        get("/admin/version", needs::ADMIN_READ, operators::version, docs::operators::version),
        get("/admin/users", needs::ADMIN_READ, operators::users, docs::operators::users),
        get("/admin/users/{user}", needs::ADMIN_READ, operators::user, docs::operators::user),
        post("/admin/users/{user}/disable", needs::ADMIN_MODERATE, operators::disable, docs::operators::disable),
        post("/admin/users/{user}/enable", needs::ADMIN_MODERATE, operators::enable, docs::operators::enable),
        post("/admin/users/{user}/logout", needs::ADMIN_MODERATE, operators::logout, docs::operators::logout),
        post("/admin/users/{user}/recover", needs::ADMIN_MODERATE, operators::recover, docs::operators::recover).unkeyed(),
        post("/admin/users/{user}/kind", needs::ADMIN_WRITE, operators::set_kind, docs::operators::set_kind),
        post("/admin/users/{user}/role", needs::ADMIN_WRITE, operators::set_role, docs::operators::set_role),
        get("/admin/groups", needs::ADMIN_READ, operator_groups::list, docs::operators::groups),
        get("/admin/groups/{id}", needs::ADMIN_READ, operator_groups::show, docs::operators::group),
        delete("/admin/groups/{id}", needs::ADMIN_WRITE, operator_groups::disband, docs::operators::disband_group),
        post("/admin/groups/{id}/freeze", needs::ADMIN_MODERATE, operator_groups::freeze, docs::operators::freeze_group),
        post("/admin/groups/{id}/unfreeze", needs::ADMIN_MODERATE, operator_groups::unfreeze, docs::operators::unfreeze_group),
        post("/admin/groups/{id}/unlist", needs::ADMIN_MODERATE, operator_groups::unlist, docs::operators::unlist_group),
        get("/admin/settings", needs::ADMIN_READ, operators::settings, docs::operators::settings),
        put("/admin/settings", needs::ADMIN_WRITE, operators::change_settings, docs::operators::change_settings),
        get("/admin/registration", needs::ADMIN_READ, operators::registration, docs::operators::registration),
        put("/admin/registration", needs::ADMIN_WRITE, operators::change_registration, docs::operators::change_registration),
        get("/admin/requests", needs::ADMIN_READ, account_requests::list, docs::operators::requests),
        post("/admin/requests/{user}", needs::ADMIN_MODERATE, account_requests::decide, docs::operators::decide_request),
        get("/admin/invites", needs::ADMIN_READ, account_invitations::list, docs::operators::invites),
        post("/admin/invites", needs::ADMIN_MODERATE, account_invitations::create, docs::operators::make_invite),
        delete("/admin/invites/{invite}", needs::ADMIN_MODERATE, account_invitations::end, docs::operators::end_invite),
        get("/admin/mail", needs::ADMIN_READ, mails::list, docs::operators::mails),
        post("/admin/mail/test", needs::ADMIN_WRITE, mails::test, docs::operators::test_mail).unkeyed(),
        post("/admin/mail/{mail}/retry", needs::ADMIN_WRITE, mails::retry, docs::operators::retry_mail),
        get("/admin/audit", needs::ADMIN_READ, operators::audit_log, docs::operators::audit),
        get("/admin/reports", needs::ADMIN_READ, operator_reports::list, docs::operators::reports),
        get("/admin/reports/{report}", needs::ADMIN_READ, operator_reports::show, docs::operators::report).led(),
        post("/admin/reports/{report}/resolve", needs::ADMIN_MODERATE, operator_reports::resolve, docs::operators::resolve_report),
        get("/admin/rules", needs::ADMIN_READ, operator_rules::list, docs::operators::rules),
        post("/admin/rules", needs::ADMIN_MODERATE, operator_rules::create, docs::operators::create_rule),
        post("/admin/rules/test", needs::ADMIN_READ, operator_rules::test, docs::operators::test_rules),
        put("/admin/rules/{rule}", needs::ADMIN_MODERATE, operator_rules::replace, docs::operators::replace_rule),
        delete("/admin/rules/{rule}", needs::ADMIN_MODERATE, operator_rules::delete, docs::operators::delete_rule),
        get("/admin/scim_tokens", needs::ADMIN_READ, scim::tokens::list, docs::scim::tokens),
        post("/admin/scim_tokens", needs::ADMIN_WRITE, scim::tokens::create, docs::scim::make_token).unkeyed(),
        delete("/admin/scim_tokens/{token_id}", needs::ADMIN_WRITE, scim::tokens::end, docs::scim::end_token),
        get("/admin/directory_groups", needs::ADMIN_READ, scim::group_roles::list, docs::scim::directory_groups),
        put("/admin/directory_groups/{directory_group}", needs::ADMIN_WRITE, scim::group_roles::map, docs::scim::map_group),
    ]
}

/// Routes of SCIM, below `/scim/v2`.
#[rustfmt::skip]
fn of_scim() -> Vec<Row> {
    vec![
        get("/ServiceProviderConfig", needs::SCIM, scim::configuration, docs::scim::configuration),
        get("/ResourceTypes", needs::SCIM, scim::resource_types, docs::scim::resource_types),
        get("/ResourceTypes/{resource_type}", needs::SCIM, scim::resource_type, docs::scim::resource_type),
        get("/Schemas", needs::SCIM, scim::schemas, docs::scim::schemas),
        get("/Schemas/{schema}", needs::SCIM, scim::schema, docs::scim::schema),
        post("/.search", needs::SCIM, scim::search, docs::scim::search).unkeyed().here(),
        get("/Users", needs::SCIM, scim::users, docs::scim::users),
        post("/Users", needs::SCIM, scim::create, docs::scim::create).unkeyed(),
        get("/Users/{user}", needs::SCIM, scim::user, docs::scim::user),
        put("/Users/{user}", needs::SCIM, scim::replace, docs::scim::replace).unkeyed(),
        patch("/Users/{user}", needs::SCIM, scim::patch, docs::scim::patch),
        delete("/Users/{user}", needs::SCIM, scim::delete, docs::scim::delete),
        get("/Groups", needs::SCIM, scim::groups::list, docs::scim::groups),
        post("/Groups", needs::SCIM, scim::groups::create, docs::scim::create_group).unkeyed(),
        post("/Groups/.search", needs::SCIM, scim::groups::search, docs::scim::search_groups).unkeyed().here(),
        get("/Groups/{directory_group}", needs::SCIM, scim::groups::show, docs::scim::group),
        put("/Groups/{directory_group}", needs::SCIM, scim::groups::replace, docs::scim::replace_group).unkeyed(),
        patch("/Groups/{directory_group}", needs::SCIM, scim::groups::patch, docs::scim::patch_group),
        delete("/Groups/{directory_group}", needs::SCIM, scim::groups::delete, docs::scim::delete_group),
    ]
}

/// Routes that only clients of the original service call, with its shapes.
#[rustfmt::skip]
fn of_original_clients() -> Vec<Row> {
    vec![
        post("/access_tokens", needs::OPEN, original_login::log_in, docs::original::log_in).unkeyed(),
        get("/verifications/{code}", needs::OPEN, original_login::show, docs::original::verification),
        post("/verifications/{code}/initiate", needs::OPEN, original_login::initiate, docs::original::initiate)
            .unkeyed(),
        post("/verifications/{code}/confirm", needs::OPEN, original_login::confirm, docs::original::confirm)
            .unkeyed(),
        get("/user/mfa", needs::ACCOUNT, original_login::mfa, docs::original::mfa),
        get("/read_receipts", needs::EITHER_READ, original::read_receipts, docs::original::read_receipts),
        post("/read_receipts", needs::EITHER_WRITE, original::mark_in_body, docs::original::mark_in_body),
        post("/read_receipts/{conversation}", needs::THERE_WRITE, original::mark, docs::original::mark),
        post("/conversations/mark_all_read", needs::EITHER_WRITE, original::mark_all, docs::original::mark_all),
        post("/conversations/{conversation}/read_receipt", needs::THERE_WRITE, original::send_receipt, docs::original::send_receipt),
        get("/groups/{id}/pending_memberships", needs::GROUPS_READ, join_requests::list, docs::members::pending),
        post("/groups/{id}/memberships/{membership}/destroy", needs::MEMBERSHIP, bans::destroy, docs::members::end_membership),
        post("/groups/{id}/memberships/{membership}/activate", needs::MEMBERSHIP, bans::activate, docs::members::activate_membership),
        get("/groups/{id}/preview", needs::GROUPS_READ, original::preview_listed, docs::original::preview_listed),
        get("/groups/{id}/preview/{token}", needs::OPEN, original::preview, docs::original::preview),
        post("/groups/{id}/join", needs::GROUPS_WRITE, original::join, docs::original::join),
        delete("/groups/{id}/revoke_join", needs::GROUPS_WRITE, join_requests::withdraw, docs::original::withdraw),
        get("/directories", needs::GROUPS_READ, original::directories, docs::original::directories),
        post("/web_pings", needs::EITHER_READ, original::begin_pings, docs::original::begin_pings).here(),
        post("/web_pings/destroy", needs::EITHER_READ, original::end_pings, docs::original::end_pings).here(),
        get("/relationships", needs::PROFILE_READ, original::relationships, docs::original::relationships),
        get("/requests", needs::GROUPS_READ, original::requests, docs::original::requests),
        get("/requests/count", needs::GROUPS_READ, original::request_counts, docs::original::request_counts),
        get("/direct_messages/{message}", needs::DMS_READ, original::direct_message, docs::original::direct_message),
        put("/direct_messages/{user}/messages/{message}", needs::DMS_WRITE, revisions::edit_in_chat, docs::original::edit_in_chat),
    ]
}

/// Routes about groups and their members.
#[rustfmt::skip]
fn of_groups() -> Vec<Row> {
    vec![
        // Groups
        get("/groups", needs::GROUPS_READ, groups::list, docs::groups::list),
        post("/groups", needs::GROUPS_WRITE, groups::create, docs::groups::create).for_act(AccountAct::MakeGroups),
        get("/groups/former", needs::GROUPS_READ, groups::former, docs::groups::former),
        get("/groups/pending_memberships", needs::GROUPS_READ, original::pending_groups, docs::original::pending_groups),
        post("/groups/join", needs::GROUPS_WRITE, joins::rejoin, docs::groups::rejoin),
        post("/groups/change_owners", needs::GROUPS_MANAGE, owners::change, docs::groups::change_owners),
        get("/directory", needs::GROUPS_READ, group_directory::list, docs::group_directory::list).for_act(AccountAct::FindGroups),
        get("/groups/{id}", needs::GROUPS_READ, groups::show, docs::groups::show),
        post("/groups/{id}/update", needs::GROUPS_MANAGE, groups::update, docs::groups::update),
        post("/groups/{id}/destroy", needs::GROUPS_MANAGE, groups::destroy, docs::groups::destroy),
        post("/groups/{id}/copy", needs::GROUPS_MANAGE, groups::copy, docs::groups::copy).for_act(AccountAct::MakeGroups),
        post("/groups/{id}/archive", needs::GROUPS_MANAGE, groups::archive, docs::groups::archive),
        post("/groups/{id}/unarchive", needs::GROUPS_MANAGE, groups::unarchive, docs::groups::unarchive),
        get("/groups/{id}/join/{token}", needs::OPEN, joins::invitation, docs::groups::invitation),
        post("/groups/{id}/join/{token}", needs::GROUPS_WRITE, joins::join, docs::groups::join),
        post("/groups/{id}/rejoin", needs::GROUPS_WRITE, joins::rejoin_this, docs::groups::rejoin_this),
        // Members
        get("/groups/{id}/members", needs::GROUPS_READ, members::list, docs::members::list),
        get("/memberships/states", needs::GROUPS_READ, members::states, docs::members::states),
        post("/groups/{id}/members/add", needs::GROUPS_MANAGE, members::add, docs::members::add).for_act(AccountAct::AddMembers),
        get("/groups/{id}/members/results/{request}", needs::GROUPS_MANAGE, members::results, docs::members::results),
        get("/groups/{id}/permissions", needs::GROUPS_READ, members::show_permissions, docs::members::permissions),
        post("/groups/{id}/members/{membership}/update", needs::GROUPS_MANAGE, members::change_role, docs::members::change_role),
        post("/groups/{id}/members/{membership}/remove", needs::MEMBERSHIP, members::remove, docs::members::remove),
        post("/groups/{id}/members/{membership}/approval", needs::GROUPS_MANAGE, join_requests::decide, docs::members::decide),
        post("/groups/{id}/members/approvals", needs::GROUPS_MANAGE, join_requests::decide_several, docs::members::decide_several),
        put("/groups/{id}/members/{membership}/timeout", needs::GROUPS_MANAGE, timeouts::begin, docs::members::time_out),
        delete("/groups/{id}/members/{membership}/timeout", needs::GROUPS_MANAGE, timeouts::end, docs::members::end_timeout),
        post("/conversations/{conversation}/messages/{message}/report", needs::THERE_WRITE, reports::file, docs::members::report),
        post("/groups/{id}/report", needs::GROUPS_WRITE, reports::report_group, docs::members::report_group),
        get("/groups/{id}/audit", needs::GROUPS_MANAGE, group_audit::list, docs::members::audit),
        get("/groups/{id}/reports", needs::GROUPS_MANAGE, reports::list, docs::members::reports),
        post("/groups/{id}/reports/{report}/resolve", needs::GROUPS_MANAGE, reports::resolve, docs::members::resolve_report),
        post("/groups/{id}/appeals", needs::GROUPS_WRITE, reports::appeal, docs::members::appeal),
        get("/groups/{id}/subgroups", needs::GROUPS_READ, topics::list, docs::groups::topics),
        post("/groups/{id}/subgroups", needs::GROUPS_MANAGE, topics::create, docs::groups::create_topic),
        get("/groups/{id}/subgroups/{topic}", needs::GROUPS_READ, topics::show, docs::groups::topic),
        put("/groups/{id}/subgroups/{topic}", needs::GROUPS_MANAGE, topics::update, docs::groups::update_topic),
        delete("/groups/{id}/subgroups/{topic}", needs::GROUPS_MANAGE, topics::remove, docs::groups::remove_topic),
        post("/groups/{id}/subgroups/{topic}/mute", needs::GROUPS_WRITE, topics::mute, docs::groups::mute_topic),
        post("/groups/{id}/subgroups/{topic}/unmute", needs::GROUPS_WRITE, topics::unmute, docs::groups::unmute_topic),
        get("/groups/{id}/invites", needs::GROUPS_MANAGE, invite_links::list, docs::members::invites),
        post("/groups/{id}/invites", needs::GROUPS_MANAGE, invite_links::create, docs::members::create_invite).for_act(AccountAct::Invite),
        post("/groups/{id}/invites/email", needs::GROUPS_MANAGE, invite_links::create_for_emails, docs::members::create_email_invites).for_act(AccountAct::Invite),
        delete("/groups/{id}/invites/{invite}", needs::GROUPS_MANAGE, invite_links::end, docs::members::end_invite),
        get("/groups/{id}/rules", needs::GROUPS_MANAGE, rules::list, docs::members::rules),
        post("/groups/{id}/rules", needs::GROUPS_MANAGE, rules::create, docs::members::create_rule),
        post("/groups/{id}/rules/test", needs::GROUPS_MANAGE, rules::test, docs::members::test_rules),
        put("/groups/{id}/rules/{rule}", needs::GROUPS_MANAGE, rules::replace, docs::members::replace_rule),
        delete("/groups/{id}/rules/{rule}", needs::GROUPS_MANAGE, rules::delete, docs::members::delete_rule),
        get("/groups/{id}/held", needs::MESSAGES_READ, held::list, docs::members::held),
        post("/groups/{id}/held/{held}", needs::GROUPS_MANAGE, held::settle, docs::members::settle_held),
        get("/groups/{id}/bans", needs::GROUPS_MANAGE, bans::list, docs::members::bans),
        put("/groups/{id}/bans/{user}", needs::GROUPS_MANAGE, bans::ban, docs::members::ban),
        delete("/groups/{id}/bans/{user}", needs::GROUPS_MANAGE, bans::unban, docs::members::unban),
        post("/groups/{id}/memberships/update", needs::GROUPS_WRITE, members::rename, docs::members::rename),
        post("/groups/{id}/memberships/mute", needs::GROUPS_WRITE, notices::mute, docs::members::mute),
        post("/groups/{id}/memberships/unmute", needs::GROUPS_WRITE, notices::unmute, docs::members::unmute),
        post("/groups/{id}/memberships/mute_all", needs::GROUPS_WRITE, notices::mute, docs::members::mute_whole),
        post("/groups/{id}/memberships/unmute_all", needs::GROUPS_WRITE, notices::unmute, docs::members::unmute_whole),
        post("/memberships/mute_all", needs::NOTICES, notices::mute_all, docs::members::mute_all),
        post("/memberships/unmute_all", needs::NOTICES, notices::unmute_all, docs::members::unmute_all),
        get("/conversations/{conversation}/notifications", needs::NOTICES, notices::show, docs::members::notices),
        put("/conversations/{conversation}/notifications", needs::NOTICES, notices::set, docs::members::set_notices),
    ]
}

/// Routes about polls and calendars of groups and chats.
#[rustfmt::skip]
fn of_plans() -> Vec<Row> {
    vec![
        // Polls
        get("/poll/{id}", needs::MESSAGES_READ, polls::list, docs::polls::list),
        post("/poll/{id}", needs::MESSAGES_WRITE, polls::create, docs::polls::create),
        get("/poll/{id}/{poll}", needs::MESSAGES_READ, polls::show, docs::polls::show),
        post("/poll/{id}/{poll}", needs::MESSAGES_WRITE, polls::vote, docs::polls::vote),
        post("/poll/{id}/{poll}/end", needs::MESSAGES_WRITE, polls::end, docs::polls::end),
        // After `/end`: paths are tried one after another.
        post("/poll/{id}/{poll}/{option}", needs::MESSAGES_WRITE, polls::vote_for, docs::polls::vote_for),
        // Calendars
        get("/conversations/{conversation}/events/list", needs::THERE_READ, calendar::list, docs::calendar::list),
        get("/conversations/{conversation}/events/show", needs::THERE_READ, calendar::show, docs::calendar::show),
        post("/conversations/{conversation}/events/create", needs::THERE_WRITE, calendar::create, docs::calendar::create),
        post("/conversations/{conversation}/events/update", needs::THERE_WRITE, calendar::update, docs::calendar::update),
        delete("/conversations/{conversation}/events/delete", needs::THERE_WRITE, calendar::cancel, docs::calendar::cancel),
        post("/conversations/{conversation}/events/rsvp", needs::THERE_WRITE, calendar::answer, docs::calendar::answer),
        delete("/conversations/{conversation}/events/rsvp/delete", needs::THERE_WRITE, calendar::take_back, docs::calendar::take_back),
        // After the paths with fixed names.
        get("/conversations/{conversation}/events/{ics}", needs::THERE_READ, calendar::file, docs::calendar::file),
    ]
}

/// Routes about what is in groups and chats: messages, files, likes, drafts, bots.
#[rustfmt::skip]
fn of_conversations() -> Vec<Row> {
    vec![
        // Messages
        get("/groups/{id}/messages", needs::MESSAGES_READ, messages::list, docs::messages::list),
        post("/groups/{id}/messages", needs::MESSAGES_WRITE, messages::create, docs::messages::create),
        get("/groups/{id}/messages/{message}", needs::MESSAGES_READ, messages::show, docs::messages::show),
        put("/groups/{id}/messages/{message}", needs::MESSAGES_WRITE, revisions::edit_in_group, docs::messages::edit_in_group),
        put("/conversations/{conversation}/messages/{message}", needs::THERE_WRITE, revisions::edit, docs::messages::edit),
        delete("/conversations/{conversation}/messages/{message}", needs::THERE_WRITE, revisions::delete, docs::messages::delete),
        get("/conversations/{conversation}/messages/{message}/history", needs::THERE_READ, revisions::history, docs::messages::history),
        get("/conversations/{conversation}/messages/{message}/replies", needs::THERE_READ, threads::list, docs::messages::replies),
        // Pinned messages
        post("/conversations/{conversation}/messages/{message}/pin", needs::THERE_WRITE, pins::pin, docs::messages::pin),
        post("/conversations/{conversation}/messages/{message}/unpin", needs::THERE_WRITE, pins::unpin, docs::messages::unpin),
        post("/conversations/{conversation}/messages/{message}/save", needs::THERE_WRITE, saved::save, docs::messages::save),
        post("/conversations/{conversation}/messages/{message}/unsave", needs::THERE_WRITE, saved::unsave, docs::messages::unsave),
        get("/saved_messages", needs::EITHER_READ, saved::list, docs::messages::saved),
        get("/pinned/groups/{id}/messages", needs::MESSAGES_READ, pins::of_group, docs::messages::pinned_in_group),
        get("/pinned/direct_messages", needs::DMS_READ, pins::of_chat, docs::messages::pinned_in_chat),
        // Files
        post("/conversations/{conversation}/files", needs::THERE_WRITE, files::create, docs::files::create).unkeyed().here(),
        get("/uploads/{upload}", needs::EITHER_WRITE, uploads::show, docs::files::upload),
        head("/uploads/{upload}", needs::EITHER_WRITE, uploads::show, docs::files::upload_head),
        patch("/uploads/{upload}", needs::EITHER_WRITE, uploads::go_on, docs::files::go_on).here(),
        delete("/uploads/{upload}", needs::EITHER_WRITE, uploads::end, docs::files::end_upload).here(),
        get("/files/{conversation}/{file}", needs::THERE_READ, files::show, docs::files::show),
        head("/files/{conversation}/{file}", needs::THERE_READ, files::show, docs::files::show_head),
        post("/files/{conversation}/{file}/link", needs::THERE_READ, files::link, docs::files::link).unkeyed().here(),
        get("/conversations/{conversation}/gallery", needs::THERE_READ, gallery::list, docs::files::gallery),
        get("/limits", needs::ANY_TOKEN, files::limits, docs::files::limits),
        get("/mentions", needs::EITHER_READ, mentions::list, docs::search::mentions),
        get("/search/messages", needs::EITHER_READ, search::messages, docs::search::messages),
        // Chats and direct messages
        get("/chats", needs::DMS_READ, chats::list, docs::chats::list),
        get("/chats/{chat}", needs::DMS_READ, chats::show, docs::chats::show),
        delete("/chats/{chat}", needs::DMS_WRITE, message_requests::decline, docs::chats::decline),
        post("/chats/{chat}/approve", needs::DMS_WRITE, message_requests::accept, docs::chats::accept).unkeyed(),
        get("/conversation_list", needs::GROUPS_READ, conversation_list::show, docs::chats::arranged),
        put("/conversation_list", needs::GROUPS_WRITE, conversation_list::change, docs::chats::arrange),
        get("/pinned_conversations", needs::GROUPS_READ, conversation_list::pinned, docs::chats::pinned),
        put("/pinned_conversations", needs::GROUPS_WRITE, conversation_list::pin, docs::chats::pin),
        get("/direct_messages", needs::DMS_READ, direct_messages::list, docs::chats::messages),
        post("/direct_messages", needs::DMS_WRITE, direct_messages::create, docs::chats::write),
        // Likes
        post("/messages/{conversation}/{message}/like", needs::THERE_WRITE, likes::like, docs::likes::like),
        post("/messages/{conversation}/{message}/unlike", needs::THERE_WRITE, likes::unlike, docs::likes::unlike),
        get("/groups/{id}/likes", needs::MESSAGES_READ, likes::leaders, docs::likes::leaders),
        get("/groups/{id}/likes/mine", needs::MESSAGES_READ, likes::mine, docs::likes::mine),
        get("/groups/{id}/likes/for_me", needs::MESSAGES_READ, likes::for_me, docs::likes::for_me),
        get("/groups/{id}/messages/{message}/read_by", needs::MESSAGES_READ, read_marks::read_by, docs::read_marks::read_by),
        // Drafts
        get("/drafts", needs::EITHER_READ, drafts::list, docs::read_marks::drafts),
        get("/drafts/{conversation}", needs::THERE_READ, drafts::show, docs::read_marks::draft),
        put("/drafts/{conversation}", needs::THERE_WRITE, drafts::keep, docs::read_marks::keep_draft),
        // Read marks
        post("/conversations/{conversation}/read", needs::THERE_WRITE, read_marks::mark, docs::read_marks::mark),
        post("/conversations/{conversation}/unread", needs::THERE_WRITE, read_marks::mark_unread, docs::read_marks::mark_unread),
        // Bots
        get("/groups/{id}/bots", needs::GROUPS_READ, group_bots::list, docs::bots::of_group),
        delete("/groups/{id}/bots/{sender}", needs::GROUPS_MANAGE, group_bots::remove, docs::bots::remove),
        get("/groups/{id}/commands", needs::GROUPS_READ, bots::commands, docs::bots::commands),
        get("/bots", needs::BOTS, bots::list, docs::bots::list),
        post("/bots", needs::BOTS, bots::create, docs::bots::create).for_act(AccountAct::MakeBots),
        post("/bots/post", needs::OPEN, bots::post, docs::bots::post).keyed_by_bot(),
        post("/bots/destroy", needs::BOTS, bots::destroy, docs::bots::destroy),
        post("/bots/update", needs::BOTS, bots::update_named, docs::bots::update_named),
        post("/bots/{bot}/update", needs::BOTS, bots::update, docs::bots::update),
        put("/bots/{bot}/messages/{message}", needs::OPEN, revisions::edit_as_bot, docs::messages::edit_as_bot).unkeyed(),
        delete("/bots/{bot}/messages/{message}", needs::OPEN, revisions::delete_as_bot, docs::messages::delete_as_bot),
        post("/bots/{bot}/secret", needs::BOTS, deliveries::rotate, docs::bots::rotate),
        post("/bots/{bot}/test", needs::BOTS, deliveries::test, docs::bots::test),
        post("/bots/{bot}/replay", needs::BOTS, deliveries::replay_many, docs::bots::replay_many),
        get("/bots/{bot}/events", needs::BOTS, deliveries::events, docs::bots::events),
        get("/bots/{bot}/deliveries", needs::BOTS, deliveries::list, docs::bots::deliveries),
        get("/bots/{bot}/deliveries/{delivery}", needs::BOTS, deliveries::show, docs::bots::delivery),
        post("/bots/{bot}/deliveries/{delivery}/replay", needs::BOTS, deliveries::replay_one, docs::bots::replay_one),
    ]
}

/// Routes about users, and about push and notices.
#[rustfmt::skip]
fn of_people() -> Vec<Row> {
    vec![
        // Users
        get("/users/me", needs::PROFILE_READ, users::me, docs::users::me),
        get("/users/me/settings", needs::PROFILE_READ, own_settings::show, docs::users::settings),
        put("/users/me/settings", needs::PROFILE_WRITE, own_settings::set, docs::users::set_settings),
        post("/users/update", needs::PROFILE_WRITE, users::update, docs::users::update),
        post("/users/sms_mode", needs::PROFILE_WRITE, users::sms_on, docs::users::sms_on),
        post("/users/sms_mode/delete", needs::PROFILE_WRITE, users::sms_off, docs::users::sms_off),
        // After the paths with fixed names: paths are tried one after another.
        get("/users/{user}", needs::PROFILE_READ, users::show, docs::users::show),
        post("/users/{user}", needs::PROFILE_WRITE, original::update_profile, docs::original::update_profile),
        post("/users/{user}/report", needs::PROFILE_WRITE, reports::report_user, docs::members::report_user),
        // Blocks
        get("/blocks", needs::PROFILE_READ, blocks::list, docs::blocks::list),
        post("/blocks", needs::PROFILE_WRITE, blocks::create, docs::blocks::create),
        delete("/blocks", needs::PROFILE_WRITE, blocks::delete, docs::blocks::delete),
        get("/blocks/between", needs::PROFILE_READ, blocks::between, docs::blocks::between),
        post("/blocks/delete", needs::PROFILE_WRITE, blocks::delete, docs::blocks::delete),
        // Push
        get_alone("/push", needs::AT_HELLO, push::socket, docs::push::socket),
        get("/sync", needs::EITHER_READ, sync::snapshot, docs::push::snapshot),
        get("/events", needs::EITHER_READ, events::poll, docs::push::poll),
        get("/events/stream", needs::EITHER_READ, events::stream, docs::push::stream),
        // Notices
        get("/push/key", needs::NOTICES, devices::key, docs::devices::key),
        get("/push/devices", needs::NOTICES, devices::list, docs::devices::list_all),
        post("/push/devices", needs::NOTICES, devices::add, docs::devices::add),
        delete("/push/devices/{device}", needs::NOTICES, devices::remove, docs::devices::remove),
    ]
}

/// A route: a method on a path. Routes of one path stand next to each other.
pub(super) struct Row {
    /// The method that the route serves.
    pub(super) method: Method,
    /// The path, with its variables in braces.
    pub(super) path: String,
    /// The owner of the `Idempotency-Key` that the route accepts.
    pub(super) keys: Keys,
    /// What the route needs of a token.
    pub(super) access: RouteAccess,
    /// The act that the kind of the account must allow, if not every account may use the route.
    pub(super) act: Option<AccountAct>,
    /// Whether the route acts, so that the node that leads answers its requests.
    is_led: bool,
    /// Makes the route's description for `/openapi.json`. A function, since building the schemas
    /// takes time.
    pub(super) operation: fn() -> Operation,
    route: Route,
    /// Serves HEAD where the path has no row for it.
    head: Option<Route>,
    /// The route's number in the table, by which requests are counted.
    number: usize,
}

impl Row {
    /// The route takes no `Idempotency-Key`: its answer may not be kept, such as a fresh token, or
    /// it needs none, or it has no caller to whom the key could belong.
    fn unkeyed(self) -> Self {
        Self { keys: Keys::Unused, ..self }
    }

    /// The route is answered by the node that is asked, although its method is one that acts: it
    /// takes content, which every node stores for all, or belongs to a session of this node.
    fn here(self) -> Self {
        Self { is_led: false, ..self }
    }

    /// The route acts, although its method is GET.
    fn led(self) -> Self {
        Self { is_led: true, ..self }
    }

    /// The route is for accounts whose kind allows this act.
    fn for_act(self, act: AccountAct) -> Self {
        Self { act: Some(act), ..self }
    }

    /// The route takes the keys of the bot that the body names.
    fn keyed_by_bot(self) -> Self {
        Self { keys: Keys::Bot, ..self }
    }

    /// The route takes the keys of the email address that the body names.
    fn keyed_by_email(self) -> Self {
        Self { keys: Keys::Email, ..self }
    }
}

/// All routes, in the form that `/openapi.json` describes.
pub(super) fn table() -> Vec<Row> {
    let below = v3().into_iter().map(|row| Row { path: format!("/v3{}", row.path), ..row });
    let scim = of_scim().into_iter().map(|row| Row { path: format!("{SCIM}{}", row.path), ..row });
    below.chain(root()).chain(scim).collect()
}

/// Method and path of every route, in the order of their numbers.
pub fn names() -> Vec<(Method, String)> {
    table().into_iter().map(|row| (row.method, row.path)).collect()
}

fn numbered(rows: Vec<Row>, first: usize) -> Vec<Row> {
    rows.into_iter().zip(first..).map(|(row, number)| Row { number, ..row }).collect()
}

/// Registers every route.
pub fn all(app: &mut ServiceConfig) {
    let below = v3().len();
    let scope = web::scope("/v3").configure(|app| register(app, numbered(v3(), 0)));
    app.service(scope.default_service(web::to(nothing_here)).wrap(AnyOrigin));
    register(app, numbered(root(), below));
    let rows = numbered(of_scim(), below + root().len());
    let scim = web::scope(SCIM).configure(|app| register(app, rows));
    let scim = scim.default_service(web::to(scim::nothing_here));
    app.service(scim.wrap(from_fn(scim::errors_in_form)));
    app.default_service(web::to(assets::any));
}

/// The path of most requests. Paths are tried one after another, so this one is registered first.
const BUSIEST: &str = "/groups/{id}/messages";

/// Registers one resource for each path. It answers HEAD where it answers GET, and methods that no
/// route serves with 405 and `Allow`.
fn register(app: &mut ServiceConfig, rows: Vec<Row>) {
    let (busiest, others): (Vec<Row>, _) = rows.into_iter().partition(|row| row.path == BUSIEST);
    let mut rows = busiest.into_iter().chain(others).peekable();
    while let Some(first) = rows.next() {
        let path = first.path.clone();
        let mut of_path = vec![first];
        of_path.extend(std::iter::from_fn(|| rows.next_if(|next| next.path == path)));
        let has_head = of_path.iter().any(|row| row.method == Method::HEAD);
        let mut allowed = Vec::new();
        let mut keyed = Vec::new();
        let mut led = Vec::new();
        let mut resource = web::resource(&path);
        let mut numbers = Numbers::default();
        let mut access_rules = PathAccess::default();
        if let Some(limit) = Limit::of(&path) {
            resource = resource.app_data(limit);
        }
        for Row { method, keys, access, act, is_led, route, head, number, .. } in of_path {
            if is_led {
                led.push(method.clone());
            }
            resource = resource.route(route);
            allowed.push(method.to_string());
            keyed.push((method.clone(), keys));
            access_rules.0.push(RouteRule { method: method.clone(), access, act });
            numbers.0.push((method, number));
            if let Some(head) = head.filter(|_| !has_head) {
                resource = resource.route(head);
                allowed.push(Method::HEAD.to_string());
                numbers.0.push((Method::HEAD, number));
            }
        }
        let allowed = allowed.join(", ");
        let refuse = move || {
            let refusal = ApiError::wrong_method(&allowed);
            async move { Err::<HttpResponse, ApiError>(refusal) }
        };
        keyed.retain(|(_, keys)| matches!(keys, Keys::Caller | Keys::Bot));
        let resource = resource.app_data(numbers).app_data(access_rules);
        let resource = resource.default_service(web::to(refuse));
        let forwarding = Forwarding::of(led);
        match (keyed.is_empty(), origins::is_open(&path)) {
            (false, false) => {
                app.service(resource.wrap(IdempotencyKeys::of(keyed)).wrap(forwarding))
            }
            (true, false) => app.service(resource.wrap(forwarding)),
            (false, true) => {
                let resource = resource.wrap(IdempotencyKeys::of(keyed));
                app.service(resource.wrap(forwarding).wrap(origins::any()))
            }
            (true, true) => app.service(resource.wrap(forwarding).wrap(origins::any())),
        };
    }
}

/// Defines the functions that name a method in the table, each with the owner of the keys that its
/// routes take unless the row says otherwise, and whether they are the leader's. Requests that act are carried out to the end even if
/// the client disconnects (`ToTheEnd`); other requests are dropped with their connection. Large
/// answers to GET are compressed. Answers to HEAD are made without reading what GET would send.
macro_rules! methods {
    ($($name:ident $method:ident $keys:ident $is_led:literal $($whole:expr)?;)*) => { $(
        fn $name<F, Args>(
            path: &str,
            access: RouteAccess,
            handler: F,
            operation: fn() -> Operation,
        ) -> Row
        where
            F: Handler<Args>,
            Args: FromRequest + 'static,
            F::Output: Responder + 'static,
        {
            let route = web::method(Method::$method).to(handler)$(.wrap($whole))?;
            let method = Method::$method;
            let path = path.to_owned();
            let keys = Keys::$keys;
            let is_led = $is_led;
            Row { method, path, keys, access, act: None, is_led, operation, route, head: None, number: 0 }
        }
    )* };
}
methods! {
    get_alone GET Unused false Compress;
    head HEAD Unused false from_fn(without_body);
    held_post POST Caller false;
    post POST Caller true ToTheEnd;
    put PUT Caller true ToTheEnd;
    delete DELETE Unused true ToTheEnd;
    patch PATCH Unused true ToTheEnd;
}

/// A route for GET, and for HEAD too.
fn get<F, Args>(path: &str, access: RouteAccess, handler: F, operation: fn() -> Operation) -> Row
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let head = web::method(Method::HEAD).to(handler.clone());
    let head = Some(head.wrap(Compress).wrap(from_fn(without_body)));
    Row { head, ..get_alone(path, access, handler, operation) }
}

async fn nothing_here() -> Result<HttpResponse, ApiError> {
    Err(ApiError::no_such_path())
}
