//! Producing load and measuring its effect.

pub mod abuse;
pub mod audience;
pub mod bombs;
pub mod closed_loop;
pub mod day;
pub mod delivery_tracker;
pub mod drift;
pub mod founding;
pub mod listeners;
pub mod meter;
pub mod pace;
pub mod photo;
pub mod poster;
pub mod progress;
pub mod seeder;
pub mod series;
pub mod traffic;
pub mod uploads;
pub mod watched_poster;
pub mod words;
