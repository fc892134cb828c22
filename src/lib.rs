#![doc = include_str!("README.md")]

pub mod actors;
pub mod app;
pub mod auth;
pub mod clock;
pub mod config;
pub mod data_dir;
pub mod domain;
pub mod http;
pub mod index;
pub mod journal;
pub mod media;
pub mod notify;
pub mod outgoing;
pub mod subscribers;
pub mod telemetry;
pub mod wire;
