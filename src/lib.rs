#![doc = include_str!("README.md")]

pub mod actors;
pub mod admin;
pub mod app;
pub mod auth;
pub mod bounds;
pub mod cli;
pub mod clock;
pub mod config;
pub mod data_dir;
pub mod descriptors;
pub mod domain;
mod foundation;
pub mod http;
pub mod index;
pub mod journal;
pub mod media;
pub mod metrics;
pub mod notify;
pub mod outgoing;
mod serving;
pub mod subscribers;
pub mod telemetry;
pub mod threads;
mod ways_out;
pub mod wire;
