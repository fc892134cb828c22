//! A web site to whose pages messages link; it can keep its clients waiting.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tokio::sync::watch;

/// A web site on this machine.
pub(crate) struct Site {
    url: String,
    is_silent: Arc<AtomicBool>,
    asked: watch::Receiver<Vec<String>>,
}

impl Site {
    /// Starts a site at this address, on a free port. The title of each page is its path.
    pub(crate) fn at(address: &str) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let is_silent = Arc::<AtomicBool>::default();
        let (note, asked) = watch::channel(Vec::new());
        let silent = Arc::clone(&is_silent);
        thread::spawn(move || {
            let mut kept_waiting = Vec::new();
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let (mut request, mut byte) = (Vec::new(), [0]);
                while !request.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap_or(0) > 0
                {
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).unwrap();
                let Some(path) = request.split(' ').nth(1).map(str::to_owned) else { continue };
                let page = format!("<title>{path}</title>");
                // Decided before a test can learn that the page was asked for.
                let is_kept_waiting = silent.load(Ordering::SeqCst);
                note.send_modify(|asked| asked.push(path));
                if is_kept_waiting {
                    kept_waiting.push(connection);
                    continue;
                }
                let head = format!("content-type: text/html\r\ncontent-length: {}", page.len());
                // The client may be gone.
                drop(write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{page}"));
            }
        });
        Self { url, is_silent, asked }
    }

    /// Keeps clients waiting from now on.
    pub(crate) fn falls_silent(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
    }

    /// Answers clients from now on.
    pub(crate) fn answers(&self) {
        self.is_silent.store(false, Ordering::SeqCst);
    }

    pub(crate) fn link(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The paths that were asked for so far, oldest first.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.borrow().clone()
    }

    /// Waits until this path was asked for.
    pub(crate) async fn is_asked_for(&self, path: &str) {
        let mut asked = self.asked.clone();
        asked.wait_for(|asked| asked.iter().any(|it| it == path)).await.unwrap();
    }
}
