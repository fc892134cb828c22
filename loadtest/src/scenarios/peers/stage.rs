//! One peer with its sockets and all senders that post to it.

use std::sync::Arc;

use tokio::task::{JoinHandle, JoinSet};

use super::super::RunError;
use super::super::crowd::Plan;
use crate::http::request::text_of;
use crate::load::audience::OPENING;
use crate::load::closed_loop::{self, LoadError};
use crate::load::delivery_tracker::DeliveryTracker;
use crate::load::meter::{Meter, Phase, Window};
use crate::peers::Peer;
use crate::peers::load::{Call, Caller, Watched, listen};
use crate::peers::socket::{PeerError, PeerSocket};
use crate::process::target::Target;
use crate::report::Report;

/// The room that the sockets listen to.
const ROOM: &str = "room0";

/// A peer under load. Its sockets close on drop.
pub(super) struct PeerStage {
    peer: Peer,
    target: Target,
    /// Present if sockets listen.
    delivery_tracker: Option<Arc<DeliveryTracker>>,
    listeners: Vec<JoinHandle<PeerError>>,
    callers: Vec<Caller>,
    sockets: usize,
}

impl PeerStage {
    /// Opens all sockets of the plan, which listen to the one room that all senders post into.
    pub(super) async fn listening(
        peer: Peer,
        target: Target,
        plan: Plan,
    ) -> Result<Self, RunError> {
        let tracker = DeliveryTracker::new(plan.run, plan.senders, plan.sockets as u32);
        let delivery_tracker = Arc::new(tracker);
        let sockets = open(peer, target, plan.sockets).await.map_err(LoadError::from)?;
        let listening = |socket| tokio::spawn(listen(socket, Arc::clone(&delivery_tracker)));
        let listeners = sockets.into_iter().map(listening).collect();
        let watched =
            Watched { delivery_tracker: Arc::clone(&delivery_tracker), patience: plan.patience };
        let caller = |sender| {
            Caller::new(call(peer, target, plan, sender, ROOM.to_owned()), Some(watched.clone()))
        };
        let callers = (0..plan.senders as u16).map(caller).collect();
        let delivery_tracker = Some(delivery_tracker);
        Ok(Self { peer, target, delivery_tracker, listeners, callers, sockets: plan.sockets })
    }

    /// Creates a stage without listeners; senders go round as many rooms as the plan has sockets.
    pub(super) fn without_listeners(peer: Peer, target: Target, plan: Plan) -> Self {
        let room = |sender: u16| format!("room{}", usize::from(sender) % plan.sockets);
        let caller = |sender| Caller::new(call(peer, target, plan, sender, room(sender)), None);
        let callers = (0..plan.senders as u16).map(caller).collect();
        Self { peer, target, delivery_tracker: None, listeners: Vec::new(), callers, sockets: 0 }
    }

    pub(super) fn peer(&self) -> Peer {
        self.peer
    }

    /// Runs one window in a closed loop; the units are deliveries if sockets listen, otherwise
    /// posts. Connections of senders are new in every turn.
    pub(super) async fn turn(&mut self, window: Window) -> Result<Phase, RunError> {
        for caller in &mut self.callers {
            caller.connect().await.map_err(LoadError::from)?;
        }
        let meter = match &self.delivery_tracker {
            Some(tracker) => Meter::counting(tracker.deliveries()),
            None => Meter::default(),
        };
        let callers = std::mem::take(&mut self.callers);
        let phase;
        (self.callers, phase) = closed_loop::run(callers, meter, window, self.target.pid).await?;
        self.callers.iter_mut().for_each(Caller::disconnect);
        Ok(phase)
    }

    /// Checks that every socket got every message that the peer acknowledged, once: lost messages
    /// would make a peer look fast.
    pub(super) async fn close(mut self, report: &mut Report) {
        let Some(tracker) = self.delivery_tracker.clone() else { return };
        let (mut owed, mut missing, mut twice) = (0, 0, 0);
        for place in self.callers.iter().flat_map(Caller::taken).filter_map(|it| tracker.index(it))
        {
            let heard = tracker.heard(place) as usize;
            owed += self.sockets;
            missing += self.sockets.saturating_sub(heard);
            twice += heard.saturating_sub(self.sockets);
        }
        let mut ended = Vec::new();
        for task in self.listeners.iter_mut().filter(|task| task.is_finished()) {
            ended.push(task.await.map_or_else(|it| it.to_string(), |it| it.to_string()));
        }
        let first = ended.first().map(|why| format!(" ({why})")).unwrap_or_default();
        let detail = format!(
            "{}: {owed} owed to {} sockets; {missing} missing, {twice} twice, {} sockets ended{first}",
            self.peer.name(),
            self.sockets,
            ended.len()
        );
        let passed = missing + twice + ended.len() == 0 && owed > 0;
        report.check("every socket of the peer got every message once", passed, detail);
    }
}

impl Drop for PeerStage {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

fn call(peer: Peer, target: Target, plan: Plan, sender: u16, room: String) -> Call {
    let text = text_of(plan.text_bytes, &room);
    Call { peer, addr: target.addr, room, text, run: plan.run, sender }
}

/// Opens `count` sockets that listen, a few at a time.
async fn open(peer: Peer, target: Target, count: usize) -> Result<Vec<PeerSocket>, PeerError> {
    let (mut opening, mut opened) = (JoinSet::new(), Vec::with_capacity(count));
    for _ in 0..count {
        if opening.len() >= OPENING
            && let Some(socket) = opening.join_next().await
        {
            opened.push(socket.unwrap_or(Err(PeerError::Slow(peer.name())))?);
        }
        opening.spawn(async move { PeerSocket::open(target.addr, peer, Some(ROOM)).await });
    }
    while let Some(socket) = opening.join_next().await {
        opened.push(socket.unwrap_or(Err(PeerError::Slow(peer.name())))?);
    }
    Ok(opened)
}
