//! Memory of idle sockets over their number.

use std::time::Duration;

use super::large::{Sockets, check_open};
use super::{Ground, RunError, say};
use crate::process::proc_fs::resident_bytes;
use crate::report::curve::{Curve, Point};
use crate::scenarios::crowd::SOCKETS_PER_PERSON;

/// The pause after a start or after the last socket opened.
const REST: Duration = Duration::from_secs(3);

/// Returns how many people have this many sockets.
pub(super) const fn people(sockets: usize) -> usize {
    sockets.div_ceil(SOCKETS_PER_PERSON)
}

impl Ground {
    /// Opens more and more sockets. A server that the tester started is started again first, so
    /// that the set-up leaves nothing in its memory.
    pub(super) async fn sockets(&mut self, is_own: bool) -> Result<(), RunError> {
        if is_own {
            self.environment.restart()?;
        }
        self.pause().await;
        let memory = |ground: &Self| ground.target().pid.map(resident_bytes).transpose();
        let before = memory(self)?;
        let (mut points, mut open) = (Vec::new(), Vec::new());
        let mut count = 0;
        for size in self.sizes.sockets.clone() {
            say(format_args!("opening sockets up to {size}"));
            let tokens = (count..size).map(|socket| self.crew.token(socket / SOCKETS_PER_PERSON));
            open.push(Sockets::open(self.target(), tokens).await?);
            count = size.max(count);
            self.pause().await;
            let each = before
                .zip(memory(self)?)
                .map(|(before, after)| after.saturating_sub(before) as f64 / 1024.0 / count as f64);
            points.push(Point { size: count, figure: each });
        }
        open.iter().for_each(|sockets| check_open(self, sockets));
        self.curve(Curve::new("memory of a socket", "sockets", "KiB", 1.2, points));
        Ok(())
    }

    async fn pause(&self) {
        tokio::time::sleep(if self.is_smoke { REST / 10 } else { REST }).await;
    }
}
