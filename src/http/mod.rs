//! The door: HTTP in, JSON out. Finds the caller, parses, asks a room, answers.
//!
//! It decides nothing and stores nothing. [`routes`] shows every route on one page.

mod act;
mod applications;
pub mod assets;
pub mod asyncapi;
mod auth;
mod blocks;
mod body;
mod bots;
mod caller;
mod chats;
mod compressed;
mod deliveries;
mod devices;
mod dialect;
mod direct_messages;
pub mod door;
pub mod error;
mod events;
mod groups;
mod health;
mod images;
mod invitations;
mod joining;
mod leaving;
mod likes;
pub mod limits;
mod members;
mod messages;
mod multipart;
mod oauth;
pub mod once;
pub mod openapi;
mod operation;
mod operations;
mod owners;
mod password;
mod pictures;
mod push;
mod ranges;
mod reading;
mod reply;
pub mod routes;
mod sync;
mod tokens;
mod users;
