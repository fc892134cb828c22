//! The people, groups and messages that a load needs, over the REST API.

pub mod listing;
pub mod people;
pub mod rest;
