//! Images and kills: an image that was answered with 200 is there, complete, and no file is
//! incomplete.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use image::{Rgb, RgbImage};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::asking::{Person, starts};
use crate::waiting::until;

/// A unique image with some noise, so that it has enough bytes to lose some.
fn noise(random: &mut fastrand::Rng) -> Vec<u8> {
    let image = RgbImage::from_fn(120, 90, |_, _| Rgb([random.u8(..), random.u8(..), 7]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Uploads images until the server is gone, and counts them. Returns the names of those that were
/// acknowledged.
async fn sends(person: Person, mut random: fastrand::Rng, count: Arc<AtomicUsize>) -> Vec<String> {
    let mut kept = Vec::new();
    while let Some((status, answer)) = person.sends_image(noise(&mut random)).await {
        // A busy server may have no room for one more upload.
        if status == 503 {
            continue;
        }
        assert_eq!(status, 200, "{answer}");
        let url = answer["payload"]["url"].as_str().unwrap();
        kept.push(url.rsplit('/').next().unwrap().to_owned());
        count.fetch_add(1, Ordering::SeqCst);
    }
    kept
}

/// Checks the content of every file against the digest in its name, and returns the names.
fn names_in(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for shelf in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if shelf.file_name() == "waiting" {
            continue;
        }
        for file in fs::read_dir(shelf.path()).unwrap().map(Result::unwrap) {
            let name = file.file_name().into_string().unwrap();
            if shelf.file_name() != "new" {
                let digest = Sha256::digest(fs::read(file.path()).unwrap());
                let hex: String = digest.iter().take(16).map(|it| format!("{it:02x}")).collect();
                assert!(name.ends_with(&hex), "{name} holds something else");
            }
            names.push(name);
        }
    }
    names
}

#[tokio::test]
async fn no_acknowledged_image_is_lost_and_none_is_half_there() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let data = TempDir::new().unwrap();
    let folder = data.path().join("images");
    let program = starts(data.path());
    let mut person = Person::registered(&program).await;
    program.dies();
    let mut acknowledged = Vec::new();
    for _ in 0..5 {
        let program = starts(data.path());
        person.goes_to(&program);
        let drafts = fs::read_dir(folder.join("new")).unwrap();
        assert_eq!(drafts.count(), 0, "what was half done is swept at the start");
        let count = Arc::new(AtomicUsize::new(0));
        let sender = |random| tokio::spawn(sends(person.clone(), random, Arc::clone(&count)));
        let senders: Vec<_> = (0..4).map(|_| sender(random.fork())).collect();
        // Waits for some uploads first, so that even on a slow machine the kill comes in the middle
        // of something.
        let enough = random.usize(1..20);
        until("some are uploaded", async || count.load(Ordering::SeqCst) >= enough).await;
        tokio::time::sleep(Duration::from_micros(random.u64(0..30_000))).await;
        program.dies();
        for sender in senders {
            acknowledged.extend(sender.await.unwrap());
        }
        let there = names_in(&folder);
        let lost: Vec<_> = acknowledged.iter().filter(|name| !there.contains(name)).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
    }
    println!("5 kills, {} acknowledged images, none lost", acknowledged.len());
}
