//! A running server, until it is told to stop or cannot continue: drains, and closes what is open
//! in an order in which nothing is lost.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use tokio::sync::{Notify, watch};

use crate::admin::socket::AdminSocket;
use crate::cluster::membership::Membership;
use crate::data_dir::DataDir;
use crate::http::acme::renewal::RenewalThread;
use crate::index::indexer::Indexer;
use crate::journal::JournalFault;
use crate::journal::own::OwnJournal;
use crate::media::Images;
use crate::search::indexing::SearchIndexer;
use crate::service_manager;
use crate::serving::Addresses;
use crate::space::Watch;
use crate::subscribers::SubscriberContext;
use crate::subscribers::bayeux::sessions::Sessions;
use crate::subscribers::callbacks::Callbacks;
use crate::subscribers::previews::PreviewThread;

/// How long a server that stops waits until everything that it answered is durable.
const SETTLED_WITHIN: Duration = Duration::from_secs(5);

/// How long a server that stops waits for the thread of the link previews.
const PREVIEWS_END_WITHIN: Duration = Duration::from_secs(1);

/// A server that listens.
pub struct Running {
    /// The addresses on which it listens.
    pub addresses: Addresses,
    /// Resolves when the HTTP server has stopped.
    pub server: Server,
    pub(crate) subscribers: Arc<SubscriberContext>,
    pub(crate) bayeux: Sessions,
    pub(crate) images: Arc<Images>,
    pub(crate) dispatchers: Dispatchers,
    /// Keeps the index current until the very end.
    pub(crate) indexer: Indexer,
    /// Keeps the search index current.
    pub(crate) search_indexer: SearchIndexer,
    pub(crate) admin: Option<AdminSocket>,
    pub(crate) journal: OwnJournal,
    /// The server's place among the nodes; `None` if it is alone.
    pub(crate) membership: Option<Membership>,
    /// Notified when an operator wants the server to end.
    pub(crate) drain: Arc<Notify>,
    /// Set when the journal stops for good.
    pub(crate) stopped: watch::Receiver<Option<JournalFault>>,
    /// The thread that watches the free space of the disk.
    pub(crate) _watch: Watch,
    pub(crate) _data: DataDir,
}

/// Callbacks to bots, the thread on which they are sent, and that of the link previews.
pub(crate) struct Dispatchers {
    pub(crate) callbacks: Callbacks,
    pub(crate) arbiter: actix::Arbiter,
    /// The thread on which the pages of links are read; `None` where previews are off.
    pub(crate) previews: Option<PreviewThread>,
    /// The thread that orders certificates by ACME; `None` if the server orders none.
    pub(crate) renewal: Option<RenewalThread>,
}

impl Dispatchers {
    /// Stops everything that sends requests, once what was begun has an end.
    async fn end(self) {
        if let Some(previews) = self.previews {
            previews.end(PREVIEWS_END_WITHIN).await;
        }
        if let Some(renewal) = self.renewal {
            renewal.end();
        }
        self.callbacks.finish().await;
        self.arbiter.stop();
        if self.arbiter.join().is_err() {
            tracing::error!("the callback thread panicked");
        }
    }
}

impl Running {
    /// A handle that stops the server from elsewhere.
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }

    /// Serves until told to stop, then drains: says goodbye on sockets, finishes open requests,
    /// writes out the index.
    ///
    /// # Errors
    /// If the HTTP server fails, or the journal stopped for good.
    pub async fn until(
        self,
        stop: impl std::future::Future<Output = ()> + 'static,
    ) -> io::Result<()> {
        let Self {
            server,
            subscribers,
            bayeux,
            images,
            dispatchers,
            indexer,
            search_indexer,
            admin,
            journal,
            membership,
            drain,
            stopped,
            _watch,
            _data,
            ..
        } = self;
        service_manager::report_ready(journal.clone());
        let (handle, leaving) = (server.handle(), membership.clone());
        let mut stopped_for_good = stopped.clone();
        actix::spawn(async move {
            tokio::select! {
                () = stop => {
                    tracing::info!("received a signal; stopping");
                    service_manager::report_stopping();
                }
                () = drain.notified() => {
                    tracing::info!("an operator drains the server; stopping");
                    service_manager::report_stopping();
                }
                fault = stopped_for_good.wait_for(Option::is_some) => {
                    tracing::error!("the journal stopped after a fault; ending the server");
                    match fault.as_deref() {
                        Ok(Some(fault)) if fault.is_mended_at_start() => {
                            service_manager::report_restart();
                        }
                        Ok(_) | Err(_) => service_manager::report_stopping(),
                    }
                }
            }
            if let Some(membership) = &leaving {
                membership.leave().await;
            }
            subscribers.feeds.say_goodbye();
            bayeux.say_goodbye();
            let settled = &subscribers.directory.context().drain;
            if tokio::time::timeout(SETTLED_WITHIN, settled.stop()).await.is_err() {
                tracing::error!("shutdown timed out with acknowledged writes that are not durable");
            }
            handle.stop(true).await;
        });
        let ended = server.await;
        drop(admin);
        dispatchers.end().await;
        // Close everything before `_data` releases the directory to another process.
        images.close();
        drop(search_indexer);
        journal.finish();
        membership.iter().for_each(Membership::end);
        drop(indexer);
        let fault = stopped.borrow().clone();
        fault.map_or(ended, |fault| Err(io::Error::other(fault)))
    }
}
