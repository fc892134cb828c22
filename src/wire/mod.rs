//! The JSON of the API, one file per resource. Raw JSON goes no further than this layer: requests
//! are parsed into domain types, responses are built from them.

pub mod account;
mod as_text;
pub mod attachment;
pub mod block;
pub mod bot;
pub mod calendar;
pub mod chat;
pub mod delivery;
pub mod device;
pub mod draft;
pub mod envelope;
pub mod fields;
pub mod group;
pub mod group_bodies;
pub mod group_bot;
pub mod ics;
pub mod instance;
pub mod invitation;
mod link_preview;
pub mod live;
pub mod local_moment;
pub mod membership;
pub mod message;
pub mod new_message;
pub mod notices;
pub mod old_form;
pub mod original;
pub mod owners;
pub mod poll;
pub mod reaction;
pub mod reading;
pub mod revising;
pub mod schema;
pub mod search;
pub mod system_event;
pub mod user;
