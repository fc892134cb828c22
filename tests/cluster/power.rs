//! The power fails at all servers of the log at once: every acknowledged message is there
//! afterwards. With the default sync interval of NATS messages are lost, which proves that the test
//! can see a loss.
//!
//! The store of each server lies on a file system of its own, in an image. The image holds what a
//! disk would: data that was written into the file system but is still in the machine's memory is
//! not in it. So a copy of the image is the disk after the failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, stream};
use tempfile::TempDir;

use crate::apart::{Apart, runs_apart};
use crate::asking::Person;
use crate::ear::Ears;
use crate::installation::Installation;
use crate::kills::rounds;
use crate::nats_server::NatsServers;
use crate::writers::Writers;

/// How long the servers may take to elect a leader again.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a test with disks has to be allowed to do, as root or as a user who may become root. All
/// processes that it starts end with it, so nothing keeps the images mounted.
const DISKS: Apart = Apart {
    what: "disks from images",
    ways: &[
        "unshare --mount --pid --fork --mount-proc",
        "sudo -n unshare --mount --pid --fork --mount-proc",
    ],
    needed: "set -e; cd \"$(mktemp -d)\"; trap 'rm -r \"$PWD\"' EXIT; truncate -s 16M image; \
             mkfs.ext4 -q image; mkdir disk; mount -o loop image disk; umount disk",
};

/// The disks of the servers, mounted in a namespace where no other process sees them.
struct Disks {
    folder: TempDir,
    failures: usize,
}

impl Disks {
    const COUNT: usize = 3;

    fn empty() -> Self {
        let disks = Self { folder: tempfile::tempdir().unwrap(), failures: 0 };
        for number in 0..Self::COUNT {
            let image = disks.image(number);
            fs::File::create(&image).unwrap().set_len(512 << 20).unwrap();
            does(Command::new("mkfs.ext4").arg("-q").arg(&image));
            fs::create_dir(disks.mounted(number)).unwrap();
            disks.mount(number);
        }
        disks
    }

    /// The store folders of the servers.
    fn stores(&self) -> Vec<PathBuf> {
        (0..Self::COUNT).map(|it| self.mounted(it).join("store")).collect()
    }

    /// Lets the power fail while the servers work: afterwards they have what the disks hold at this
    /// moment.
    fn lose_power(&mut self, servers: &mut NatsServers) {
        servers.stand_still();
        let before: Vec<PathBuf> = (0..Self::COUNT).map(|it| self.image(it)).collect();
        self.failures += 1;
        for (number, image) in before.iter().enumerate() {
            let copy = self.image(number);
            does(
                Command::new("cp")
                    .args(["--reflink=never", "--sparse=always"])
                    .args([image, &copy]),
            );
        }
        for (number, image) in before.iter().enumerate() {
            servers.kill(number);
            // Lazily, since a server that was just killed may hold files open for a moment.
            does(Command::new("umount").arg("--lazy").arg(self.mounted(number)));
            fs::remove_file(image).unwrap();
            self.mount(number);
        }
    }

    fn image(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("image{number}.{}", self.failures))
    }

    fn mounted(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("disk{number}"))
    }

    /// Mounts an image; `commit=600` keeps the file system from syncing by itself during a test.
    fn mount(&self, number: usize) {
        let (image, at): (PathBuf, PathBuf) = (self.image(number), self.mounted(number));
        does(
            Command::new("mount").args(["-o", "loop,commit=600"]).args::<_, &Path>([&*image, &*at]),
        );
    }
}

impl Drop for Disks {
    fn drop(&mut self) {
        for number in 0..Self::COUNT {
            // A server still runs here if the test failed.
            drop(Command::new("umount").arg("--lazy").arg(self.mounted(number)).status());
        }
    }
}

fn does(command: &mut Command) {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_power_fails_everywhere_and_nothing_acknowledged_is_lost() {
    let name = "power::the_power_fails_everywhere_and_nothing_acknowledged_is_lost";
    if runs_apart(name, &DISKS).await {
        return;
    }
    let mut disks = Disks::empty();
    let servers = NatsServers::start_over(&disks.stores(), "sync_interval: always");
    let mut all = Installation::starts_by(servers, 3).await;
    let ana = Person::called("Ana", all.node(0)).await;
    let ears = Ears::wandering(&all, &ana, &[0, 1, 2]).await;
    let writers = Writers::begin(&all, &ana, &[0, 1, 2]).await;
    for round in 0..rounds() {
        writers.all_go_on().await;
        disks.lose_power(&mut all.servers);
        for node in 0..3 {
            // In one round only the log has everything. In the next one the nodes keep their
            // journals, which must not have more than the log has.
            if round % 2 == 0 { all.lose(node) } else { all.kill(node) }
        }
        (0..Disks::COUNT).for_each(|it| all.servers.restart(it));
        all.start(0..3).await;
        ears.go_to(&all, &[0, 1, 2]);
        writers.go_to(&all, &[0, 1, 2]);
        let paused = writers.all_go_on().await;
        eprintln!("the power was gone: every conversation went on {paused:?} after it served");
    }
    let count = writers.end(&all, &[0, 1, 2]).await;
    eprintln!("{count} acknowledged, each there once at three nodes");
    ears.have_heard_everything(&all, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_syncing_servers_lose_acknowledged_messages() {
    if runs_apart("power::late_syncing_servers_lose_acknowledged_messages", &DISKS).await {
        return;
    }
    // The first line uses the same means with syncing, so syncing alone makes the difference.
    assert_eq!(left_of_100("sync_interval: always").await, 100);
    let left = left_of_100("").await;
    eprintln!("of 100 that were acknowledged, {left} are left");
    assert!(left < 100, "nothing was lost, so no test can see that something is");
}

/// Publishes 100 messages, each acknowledged, and cuts the power; returns how many are there
/// afterwards.
async fn left_of_100(sync: &str) -> u64 {
    let mut disks = Disks::empty();
    let mut servers = NatsServers::start_over(&disks.stores(), sync);
    let log = engine(&servers).await;
    create(&log).await;
    for number in 0..100 {
        let published = log.publish("log", number.to_string().into()).await.unwrap();
        published.await.unwrap();
    }
    disks.lose_power(&mut servers);
    (0..Disks::COUNT).for_each(|it| servers.restart(it));
    let log = engine(&servers).await;
    create(&log).await;
    place_of_the_next(&log).await - 1
}

/// Creates the stream, if it does not exist.
async fn create(log: &jetstream::Context) {
    let config = stream::Config {
        name: "LOG".to_owned(),
        subjects: vec!["log".to_owned()],
        num_replicas: 3,
        ..Default::default()
    };
    let until = Instant::now() + PATIENCE;
    while let Err(error) = log.create_stream(config.clone()).await {
        assert!(Instant::now() < until, "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Publishes one more message and returns its sequence number, which only a server that knows all
/// messages before it can give.
async fn place_of_the_next(log: &jetstream::Context) -> u64 {
    let until = Instant::now() + PATIENCE;
    loop {
        // A repeated message with the same id is deduplicated, and keeps its sequence number.
        let next = PublishMessage::build().payload("next".into()).message_id("next");
        let error = match log.send_publish("log", next).await {
            Ok(published) => match published.await {
                Ok(told) => return told.sequence,
                Err(error) => error,
            },
            Err(error) => error,
        };
        assert!(Instant::now() < until, "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn engine(servers: &NatsServers) -> jetstream::Context {
    let addresses = servers.addresses();
    let servers: Vec<async_nats::ServerAddr> =
        addresses.split(',').map(|it| it.parse().unwrap()).collect();
    jetstream::new(async_nats::connect(servers).await.unwrap())
}
