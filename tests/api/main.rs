//! The API as people and programs use it: over real HTTP and real WebSockets, one
//! module for each section of the specification.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(clippy::disallowed_methods, reason = "a test waits on the machine's own clock")]

mod access;
mod access_fixture;
mod accounts;
mod accounts_deleting;
mod accounts_tokens;
mod addressing;
mod applications;
mod asyncapi;
mod auth;
mod blocks;
mod bots;
mod bots_keys;
mod bots_push;
mod bots_push_closing;
mod bounds;
mod callback_urls;
mod callbacks;
mod callbacks_creator;
mod callbacks_events;
mod callbacks_failing;
mod chats;
mod clocks;
mod commands;
mod deadlines;
mod direct_messages;
mod envelope;
mod ephemeral;
mod events;
mod faye;
mod faye_acks;
mod faye_events;
mod faye_gapless;
mod faye_limits;
mod files;
mod frames;
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
mod later_clients;
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
#[path = "../journal/paper_log.rs"]
#[expect(dead_code, reason = "here it gives no trouble")]
mod paper_log;
mod pictures;
mod pictures_damaged;
mod pictures_fetched;
mod pictures_forgotten;
mod pictures_refused;
mod pictures_used;
mod pins;
#[path = "../program/mod.rs"]
mod program;
mod proxies;
mod push;
mod push_closing;
mod push_order;
mod push_resume;
mod push_same;
mod reactions;
mod reading;
mod removed;
mod repeats;
mod revising;
mod rooms;
mod search;
mod shared_log;
mod sync;
mod trouble;
mod trouble_acts;
mod users;
mod web_client;
mod world;
