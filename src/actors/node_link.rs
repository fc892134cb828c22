//! The link to the other nodes, where several serve: which node leads, and how it is asked.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ask::Fault;
use base::clock::Deadline;
use base::msgpack;
use cluster::bus::BusAnswer;
use cluster::bus_calls::CallAnswerer;
use cluster::leadership::Leadership;
use cluster::membership::ActUnderWay;
use journal::Cursor;

/// The pause before something is sent again that was not carried out.
const AGAIN: Duration = Duration::from_millis(20);
/// How long something is sent again, or waits for a leader.
const PATIENCE: Duration = Duration::from_secs(30);

/// The other nodes, as one node reaches them.
pub trait NodeLink: Send + Sync {
    /// Has the other nodes answered from now on.
    fn serve(&self, answering: CallAnswerer);

    /// Where requests that act are to be carried out.
    fn leadership(&self) -> Leadership;

    /// Begins to carry something out, if this node leads.
    fn begin_act(&self) -> Option<ActUnderWay>;

    /// Whether the servers of the log can be reached, as far as known.
    fn is_reachable(&self) -> bool;

    /// Asks the node with this run.
    fn ask(&self, run: u64, packed: Bytes) -> BoxFuture<'static, BusAnswer>;

    /// Waits, as long as is reasonable, until every other node shows the journal up to here: a
    /// client that is answered then may ask any of them.
    fn wait_until_shown_everywhere(&self, newest: Cursor) -> BoxFuture<'static, ()>;
}

/// What a node says to something that it is to carry out as the leader, in MessagePack.
#[derive(Debug, Serialize, Deserialize)]
pub enum LeaderReply<T> {
    /// The leader carried it out.
    Carried(T),
    /// The node does not lead: nothing was done.
    NotLeading,
    /// Too much waits: nothing was done.
    Busy,
}

/// Who carries something out.
#[derive(Debug)]
pub enum CarriedOut<T> {
    /// The leader did, with this result.
    There(T),
    /// This node leads, and is to do it.
    Here(ActUnderWay),
}

impl dyn NodeLink {
    /// Has the leader carry something out, unless this node leads. `pack` is told whether the leader
    /// may have carried it out before; that happens only if `is_recognized` says that the leader
    /// then does it once.
    ///
    /// # Errors
    /// If no leader takes it in time. After [`Fault::Elsewhere`] it may have been done if it is not
    /// recognized.
    pub async fn have_led<T: DeserializeOwned>(
        &self,
        is_recognized: impl Fn() -> bool,
        mut pack: impl FnMut(bool) -> Bytes,
    ) -> Result<CarriedOut<T>, Fault> {
        if !self.is_reachable() {
            return Err(Fault::Busy);
        }
        let mut packed = None;
        let deadline = Deadline::after(PATIENCE);
        loop {
            if let Some(act) = self.begin_act() {
                return Ok(CarriedOut::Here(act));
            }
            if let Leadership::There(run) = self.leadership() {
                let asked = packed.get_or_insert_with(|| pack(false)).clone();
                match self.ask(run, asked).await {
                    BusAnswer::Came(bytes) => match msgpack::from_slice(&bytes) {
                        Ok(LeaderReply::Carried(result)) => return Ok(CarriedOut::There(result)),
                        Ok(LeaderReply::Busy) => return Err(Fault::Busy),
                        Ok(LeaderReply::NotLeading) => {}
                        Err(error) => {
                            tracing::error!(%error, "decoding the leader's response failed");
                            return Err(Fault::Gone);
                        }
                    },
                    BusAnswer::Unheard => {}
                    BusAnswer::Silence if is_recognized() => packed = Some(pack(true)),
                    BusAnswer::Silence => return Err(Fault::Elsewhere),
                }
            }
            if deadline.left().is_zero() {
                return Err(Fault::Elsewhere);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
