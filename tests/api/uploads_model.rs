//! Resumable uploads against a model: random orders of beginning, adding, cut connections, looking,
//! deleting, expiry, and restarts. Used bytes are always those on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::World;
use crate::world::person::{Group, Person, text};
use crate::world::raw::Raw;
use crate::world::server::Setup;

const QUOTA: usize = 1 << 20;
const FILE: usize = 600_000;
const A_DAY: u64 = 86_400;
/// Acts of one run.
const ACTS: usize = 40;

/// What the model knows of an upload: its length, if announced, and how far it has come.
#[derive(Debug)]
struct Known {
    length: Option<usize>,
    offset: usize,
}

struct Run {
    world: World,
    ana: Person,
    group: Group,
    random: fastrand::Rng,
    uploads: BTreeMap<String, Known>,
    /// Bytes of files that uploads became.
    files: usize,
    /// A different first byte for each content, so that none is stored once for two files.
    contents: u8,
}

impl Run {
    async fn begins(&mut self) {
        let length = self.random.bool().then(|| self.random.usize(1..=FILE));
        let path = format!("/v3/conversations/{}/files?name=a.bin", self.group.id);
        let mut asked = self.ana.posts(&path).header("Upload-Complete", "?0");
        if let Some(length) = length {
            asked = asked.header("Upload-Length", &length.to_string());
        }
        let answer = asked.await;
        if self.used() + length.unwrap_or(0) > QUOTA {
            answer.refused(413);
            return;
        }
        let id = text(&answer.created()["upload"]["upload_id"]).to_owned();
        self.uploads.insert(id, Known { length, offset: 0 });
    }

    fn used(&self) -> usize {
        let held = self.uploads.values().map(|it| it.offset.max(it.length.unwrap_or(0)));
        self.files + held.sum::<usize>()
    }

    fn one(&mut self) -> Option<String> {
        let ids: Vec<&String> = self.uploads.keys().collect();
        (!ids.is_empty()).then(|| ids[self.random.usize(..ids.len())].clone())
    }

    async fn adds(&mut self) {
        let Some(id) = self.one() else { return };
        let Known { length, offset } = self.uploads[&id];
        let rest = length.map_or(FILE - offset, |length| length - offset);
        let count = self.random.usize(0..=rest);
        let is_last = length.is_none_or(|_| count == rest) && self.random.bool();
        self.contents = self.contents.wrapping_add(1);
        let answer = self
            .ana
            .asks("PATCH", &format!("/v3/uploads/{id}"))
            .header("Upload-Offset", &offset.to_string())
            .header("Upload-Complete", if is_last { "?1" } else { "?0" })
            .bytes(vec![self.contents; count])
            .await;
        let grows = (offset + count).saturating_sub(offset.max(length.unwrap_or(0)));
        if self.used() + grows > QUOTA {
            assert!(answer.refused(413)[0].starts_with("file_quota"));
        } else if is_last {
            assert_eq!(answer.created()["file"]["size"], offset + count);
            self.uploads.remove(&id);
            self.files += offset + count;
        } else {
            assert_eq!(answer.ok()["upload"]["offset"], offset + count);
            self.uploads.get_mut(&id).unwrap().offset += count;
        }
    }

    /// Sends a part of a body; then the connection breaks, or another request comes.
    async fn adds_in_vain(&mut self) {
        let Some(id) = self.one() else { return };
        let Known { length, offset } = self.uploads[&id];
        let rest = length.map_or(FILE - offset, |length| length - offset);
        if rest == 0 {
            return;
        }
        let size = rest + usize::from(length.is_some());
        let head = format!(
            "PATCH /v3/uploads/{id} HTTP/1.1\r\nHost: here\r\nX-Access-Token: {}\r\n\
             Upload-Offset: {offset}\r\nUpload-Complete: ?1\r\nContent-Length: {}\r\n\r\n",
            self.ana.token, size,
        );
        let mut raw = Raw::sends(self.world.address.get(), &head).await;
        raw.says_what_it_can(&"x".repeat(self.random.usize(0..size))).await;
        if self.random.bool() {
            self.looks(&id).await;
        }
        if self.random.bool() {
            self.deletes(&id).await;
        }
        raw.ends().await;
        if self.uploads.contains_key(&id) {
            self.looks(&id).await;
        }
    }

    async fn looks(&mut self, id: &str) {
        let answer = self.ana.asks("HEAD", &format!("/v3/uploads/{id}")).await;
        let known = self.uploads.get_mut(id).unwrap();
        let offset = answer.header("upload-offset").unwrap().parse().unwrap();
        assert!(offset >= known.offset, "{offset} {known:?}");
        known.offset = offset;
    }

    async fn deletes(&mut self, id: &str) {
        let path = format!("/v3/uploads/{id}");
        assert_eq!(self.ana.asks("DELETE", &path).await.status, 204);
        self.ana.gets(&path).await.refused(404);
        self.uploads.remove(id);
    }

    /// All uploads expire; a start of the server sweeps them.
    async fn expires(&mut self) {
        self.world.seconds_pass(A_DAY);
        self.world.restarts().await;
        self.uploads.clear();
        // Files that were not sent expire too, and keep their content for another minute.
        self.files = 0;
        let deadline = Instant::now() + Duration::from_secs(60);
        while fs::read_dir(self.folder("partial")).unwrap().count() > 0 {
            assert!(Instant::now() < deadline, "the sweep left uploads");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.world.seconds_pass(120);
        self.world.restarts().await;
        while !self.contents_on_disk().is_empty() {
            assert!(Instant::now() < deadline, "the sweep left contents");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn folder(&self, name: &str) -> std::path::PathBuf {
        self.world.data().join("files").join(name)
    }

    fn contents_on_disk(&self) -> Vec<u64> {
        let shelves = fs::read_dir(self.folder("")).unwrap().map(|it| it.unwrap().path());
        let shelves = shelves.filter(|it| it.file_name().unwrap().len() == 2);
        let contents = shelves.flat_map(|it| fs::read_dir(it).unwrap());
        contents.map(|it| it.unwrap().metadata().unwrap().len()).collect()
    }

    /// Bytes that the disk holds and that the notes announce.
    fn on_disk(&self) -> u64 {
        let mut sum = self.contents_on_disk().iter().sum::<u64>();
        for entry in fs::read_dir(self.folder("partial")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none() {
                assert!(path.with_extension("note").exists(), "{} has no note", path.display());
                continue;
            }
            let note: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            if note["file"].is_null() {
                let size = fs::metadata(path.with_extension("")).unwrap().len();
                sum += size.max(note["length"].as_u64().unwrap_or(0));
            }
        }
        sum
    }

    async fn acts(&mut self) {
        match self.random.u8(..20) {
            0..5 => self.begins().await,
            5..11 => self.adds().await,
            11..15 => self.adds_in_vain().await,
            15..18 => {
                if let Some(id) = self.one() {
                    self.deletes(&id).await;
                }
            }
            18 => self.world.restarts().await,
            _ => self.expires().await,
        }
        let used = self.ana.gets("/v3/limits").await.ok()["file_used"].clone();
        assert_eq!(used, self.used(), "{:?}", self.uploads);
        assert_eq!(used, self.on_disk(), "{:?}", self.uploads);
        assert!(self.used() <= QUOTA);
    }
}

#[tokio::test]
async fn used_bytes_are_those_on_the_disk_after_any_order_of_acts() {
    for seed in 0..4 {
        let setup = Setup::default()
            .option("--file-limit", &FILE.to_string())
            .option("--file-quota", &QUOTA.to_string());
        let world = World::with(setup).await;
        let ([ana], group) = world.climbing(["Ana"]).await;
        let random = fastrand::Rng::with_seed(seed);
        let (uploads, files, contents) = (BTreeMap::new(), 0, 0);
        let mut run = Run { world, ana, group, random, uploads, files, contents };
        for number in 0..ACTS {
            println!("seed {seed}, act {number}");
            run.acts().await;
        }
    }
}
