//! The JSON of the API, one file per resource. Raw JSON goes no further than this layer: requests
//! are parsed into domain types, responses are built from them.

// ALIASES
use crate as wire;
use ::domain;
use ::journal;
// END ALIASES

pub mod account;
pub mod attachment;
pub mod bans;
pub mod block;
pub mod bot;
pub mod calendar;
pub mod chat;
pub mod delivery;
pub mod device;
pub mod draft;
pub mod envelope;
mod event_days;
pub mod factor;
pub mod fields;
pub mod group;
pub mod group_audit;
pub mod group_bodies;
pub mod group_bot;
pub mod held;
pub mod ics;
pub mod identity;
pub mod instance;
pub mod invitation;
pub mod join_request;
pub mod live;
pub mod local_moment;
mod members_json;
pub mod membership;
pub mod message;
pub mod new_message;
pub mod notices;
pub mod old_form;
pub mod operators;
pub mod original;
pub mod original_login;
pub mod owners;
pub mod permissions;
pub mod poll;
pub mod reaction;
pub mod read_receipts;
pub mod reports;
pub mod revisions;
pub mod rules;
pub mod schema;
pub mod search;
pub mod system_event;
pub mod timeouts;
pub mod user;
