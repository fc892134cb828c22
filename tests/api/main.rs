//! The API as people and programs use it: over real HTTP and real WebSockets, one
//! module for each section of the specification.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "a test waits on the machine's own clock")]

mod access;
mod access_scene;
mod accounts;
mod accounts_deleting;
mod accounts_tokens;
mod applications;
mod asides;
mod asyncapi;
mod auth;
mod blocks;
mod bots;
mod bots_keys;
mod bots_push;
mod bots_push_closing;
mod callback_urls;
mod callbacks;
mod callbacks_creator;
mod callbacks_failing;
mod chats;
mod commands;
mod deadlines;
mod direct_messages;
mod envelope;
mod events;
mod faye;
mod faye_acks;
mod faye_events;
mod faye_gapless;
mod faye_limits;
mod group_acts;
mod groups;
mod groups_events;
mod groups_invites;
mod groups_joining;
mod groups_listing;
mod groups_owners;
mod groups_settings;
mod hanging_up;
mod idempotency;
mod idempotency_acts;
mod jammed;
mod leniency;
mod likes;
mod members;
mod members_leaving;
mod messages;
mod notices;
mod oauth;
mod oauth_codes;
mod oauth_page;
mod openapi;
mod origins;
mod paging;
mod pictures;
mod pictures_fetched;
mod pictures_refused;
mod pictures_used;
#[path = "../program/mod.rs"]
mod program;
mod push;
mod push_closing;
mod push_order;
mod push_resume;
mod push_same;
mod reading;
mod removed;
mod repeats;
mod sync;
mod trouble;
mod trouble_acts;
mod users;
mod world;
