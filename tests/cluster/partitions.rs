//! The network between machines is cut, while people write and listen on both sides: the part that
//! is cut off acknowledges nothing, the others go on, and when the network is whole again every
//! acknowledged message is stored once at every node, and every listener heard it once.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::asking::Person;
use crate::ear::Ears;
use crate::installation::Installation;
use crate::kills::rounds;
use crate::network::{Lost, Network, runs_apart};
use crate::writers::Writers;

/// How long a machine is cut off at least; it is longer if the others need longer to go on.
const CUT_OFF: Duration = Duration::from_secs(10);

/// How long each writer pauses between messages: a listener that is cut off may hear nothing for
/// minutes, and must not fall so far behind that it has to start over.
const PAUSE: Duration = Duration::from_millis(200);

/// The installation, with its writers and listeners, while the network is cut.
struct Scene {
    all: Installation,
    writers: Writers,
    ears: Ears,
}

/// Clients on the side that is cut off, who try again and again.
struct Stranded {
    node: usize,
    said: usize,
    saying: JoinSet<u16>,
}

impl Scene {
    async fn begins() -> Self {
        let all = Installation::starts_on(Network::whole()).await;
        let ana = Person::called("Ana", all.node(0)).await;
        let ears = Ears::of(&all, &ana, &[0, 1, 2]).await;
        let writers = Writers::begin_pausing(&all, &ana, &[0, 1, 2], PAUSE).await;
        Self { all, writers, ears }
    }

    /// Cuts the network, waits until both sides have settled (for `least` at least), and repairs
    /// it.
    async fn is_cut(
        &self,
        machine: usize,
        least: Duration,
        cut: impl FnOnce(&Network),
        repair: impl FnOnce(&Network),
    ) {
        let Self { all, writers, .. } = self;
        writers.all_go_on().await;
        cut(all.network());
        let began = Instant::now();
        let left: Vec<usize> = (0..Network::MACHINES).filter(|it| *it != machine).collect();
        writers.go_to(all, &left);
        let mut stranded = Stranded { node: machine, said: 0, saying: JoinSet::new() };
        let settled = async {
            let told = async {
                let why = all.serves_no_more(machine).await;
                eprintln!("after {:?} it says: {why}", began.elapsed());
            };
            let (paused, ()) = tokio::join!(writers.all_go_on(), told);
            eprintln!("cut off: every conversation went on after {paused:?}");
            tokio::time::sleep(least.saturating_sub(began.elapsed())).await;
        };
        tokio::select! {
            () = settled => {}
            () = stranded.insist(self) => {}
        }
        repair(all.network());
        let (repaired, cut) = (Instant::now(), began.elapsed());
        all.serves(machine).await;
        eprintln!("whole again after {cut:?}: it serves {:?} later", repaired.elapsed());
        writers.go_to(all, &[0, 1, 2]);
        let paused = writers.all_go_on().await;
        eprintln!("every conversation goes on after {paused:?}; {} tried in vain", stranded.said);
        // The requests that still wait are answered now, with success or not; those that succeed
        // are checked when the writers end.
        while let Some(status) = stranded.saying.join_next().await {
            let status = status.unwrap();
            assert!(matches!(status, 0 | 201 | 409 | 503), "{status}");
        }
    }

    async fn ends(self) {
        let Self { all, writers, ears } = self;
        eprintln!("failed requests by status: {:?}", writers.failures());
        let count = writers.end(&all, &[0, 1, 2]).await;
        eprintln!("{count} acknowledged, each there once at three nodes");
        ears.have_heard_everything(&all, 0).await;
    }
}

impl Stranded {
    /// Sends a new message whenever all requests were answered; none may be acknowledged.
    async fn insist(&mut self, scene: &Scene) {
        loop {
            let guid = format!("stranded {}", fastrand::u64(..));
            self.saying = scene.writers.say_at(&scene.all, self.node, &guid);
            while let Some(status) = self.saying.join_next().await {
                let status = status.unwrap();
                assert!(matches!(status, 0 | 503), "acknowledged where it is cut off: {status}");
                self.said += 1;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_machine_that_leads_the_log_is_cut_off_for_ten_seconds() {
    if runs_apart("partitions::the_machine_that_leads_the_log_is_cut_off_for_ten_seconds").await {
        return;
    }
    let scene = Scene::begins().await;
    for round in 0..rounds() {
        // In every other round it is the machine after the leader's, a follower.
        let machine = (scene.all.leader().await + round % 2) % Network::MACHINES;
        let (cut, repair) = (|it: &Network| it.cut_off(machine), |it: &Network| it.join(machine));
        scene.is_cut(machine, CUT_OFF, cut, repair).await;
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_without_the_log_stops_writing() {
    if runs_apart("partitions::node_without_the_log_stops_writing").await {
        return;
    }
    let scene = Scene::begins().await;
    for round in 0..rounds() {
        let machine = round % Network::MACHINES;
        let cut = |it: &Network| it.cut_off_node(machine);
        let repair = |it: &Network| it.join_node(machine);
        scene.is_cut(machine, Duration::ZERO, cut, repair).await;
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machine_that_only_receives_is_excluded() {
    if runs_apart("partitions::machine_that_only_receives_is_excluded").await {
        return;
    }
    one_way(Lost::Said).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn machine_that_only_sends_is_excluded() {
    if runs_apart("partitions::machine_that_only_sends_is_excluded").await {
        return;
    }
    one_way(Lost::Heard).await;
}

async fn one_way(lost: Lost) {
    let scene = Scene::begins().await;
    for round in 0..rounds() {
        let machine = (scene.all.leader().await + round % 2) % Network::MACHINES;
        let cut = |it: &Network| it.cut_one_way(machine, lost);
        let repair = |it: &Network| it.join_one_way(machine, lost);
        scene.is_cut(machine, Duration::ZERO, cut, repair).await;
    }
    scene.ends().await;
}
