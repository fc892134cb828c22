//! Uploads in an open loop: each begins when it is due, on a connection of its own, whether or not
//! the last was answered, as the uploads of many users do.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use super::photo::Photo;
use crate::http::connection::Connection;
use crate::http::request;
use crate::http::response::HttpError;

/// How long one upload may take before it counts as unanswered.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most uploads under way; those that are due beyond it are not begun, only counted.
const MOST: usize = 500;

/// The results of the uploads.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    /// Uploads by the status of their answer; those that were not answered count under 0.
    pub statuses: BTreeMap<u16, u64>,
    /// The paths of images that were acknowledged.
    pub kept: Vec<String>,
    /// Uploads that were due while too many were under way.
    pub not_begun: u64,
}

/// A user who uploads again and again.
#[derive(Debug)]
pub struct Uploads {
    addr: SocketAddr,
    token: String,
    photo: Arc<Photo>,
    every: Duration,
    number: Arc<AtomicU32>,
    answers: Arc<Mutex<Answers>>,
}

impl Uploads {
    /// Creates a user who uploads `rate` photos a second.
    pub fn new(addr: SocketAddr, token: String, photo: Photo, rate: usize) -> Self {
        let every = Duration::from_secs(1) / rate.max(1) as u32;
        let (photo, number, answers) = (Arc::new(photo), Arc::default(), Arc::default());
        Self { addr, token, photo, every, number, answers }
    }

    /// Uploads until dropped; uploads that are under way then are dropped too.
    pub async fn run(&self) {
        let mut under_way = JoinSet::new();
        let mut beats = tokio::time::interval(self.every);
        loop {
            beats.tick().await;
            while under_way.try_join_next().is_some() {}
            if under_way.len() >= MOST {
                self.note(|answers| answers.not_begun += 1);
                continue;
            }
            let number = self.number.fetch_add(1, Ordering::Relaxed);
            let upload = upload(self.addr, self.token.clone(), Arc::clone(&self.photo), number);
            let answers = Arc::clone(&self.answers);
            under_way.spawn(async move {
                let answered = tokio::time::timeout(PATIENCE, upload).await;
                let (status, path) = answered.ok().and_then(Result::ok).unwrap_or_default();
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                *answers.statuses.entry(status).or_default() += 1;
                answers.kept.extend(path);
            });
        }
    }

    pub fn answers(&self) -> Answers {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, what: impl FnOnce(&mut Answers)) {
        what(&mut self.answers.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

async fn upload(
    addr: SocketAddr,
    token: String,
    photo: Arc<Photo>,
    number: u32,
) -> Result<(u16, Option<String>), HttpError> {
    let mut connection = Connection::open(addr).await?;
    let (first, rest) = photo.numbered(number);
    let head = request::post_bytes(addr, "/pictures", &token, photo.len());
    connection.send(&[head, first].concat()).await?;
    // A server without room answers before it has received everything, so the answer counts even if
    // sending failed.
    let sent = connection.send_more(rest).await;
    let answer = connection.receive().await;
    let answer = match (sent, answer) {
        (_, Ok(answer)) => answer,
        (Err(error), Err(_)) | (Ok(()), Err(error)) => return Err(error),
    };
    let path = match answer.status {
        200 => path_in(answer.body),
        _ => None,
    };
    Ok((answer.status, path))
}

/// Returns the path of the URL in the answer to an upload.
fn path_in(body: &[u8]) -> Option<String> {
    let answered: serde_json::Value = serde_json::from_slice(body).ok()?;
    let url = answered["payload"]["url"].as_str()?;
    let (_, rest) = url.split_once("://")?;
    Some(rest[rest.find('/')?..].to_owned())
}
