//! The rules of Coterie: what may happen, and what is true afterwards.
//!
//! Pure code. Nothing here waits, reads a clock, touches a disk or a socket, or knows the JSON of
//! the API; times and new ids are passed in. Types derive serde only because the journal stores
//! events as they are.

pub mod addressees;
pub mod alarm;
pub mod attachment;
pub mod audience;
pub mod audit;
pub mod bot_event;
pub mod calendar;
pub mod callback;
pub mod canonical;
pub mod chat;
pub mod checked;
pub mod client_network;
pub mod conversation;
pub mod dedup;
pub mod directory_groups;
pub mod email_notices;
pub mod event;
pub mod factors;
pub mod failure_budget;
pub mod file;
pub mod first_answer;
pub mod gallery;
pub mod group;
pub mod guests;
pub mod hex;
pub mod highest_ids;
pub mod id_generator;
pub mod identities;
pub mod ids;
pub mod instance;
pub mod likes;
pub mod limits;
pub mod links;
pub mod mail;
pub mod message;
pub mod message_requests;
pub mod message_state;
pub mod name;
pub mod named;
mod nested_option;
pub mod notices;
pub mod operators;
pub mod passkeys;
pub mod pins;
pub mod polls;
pub mod previews;
pub mod reaction;
pub mod registration;
pub mod required_factor;
pub mod revision;
mod schema;
pub mod scim;
pub mod scopes;
pub mod secret_hash;
pub mod text;
pub mod time;
pub mod user;
pub mod visible;
mod writer;
