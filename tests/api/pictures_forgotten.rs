//! Images of deleted messages: no longer served, unless something else uses them, and soon removed
//! from the disk.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;
use crate::world::person::{Group, Person, text};
use crate::world::pictures::png;

async fn shows(by: &Person, group: &Group, image: &str) -> Value {
    let message = json!({"attachments": [{"type": "image", "url": image}]});
    by.posting(group, message).await.created()["message"].take()
}

async fn deletes(by: &Person, group: &Group, message: &Value) {
    let path = format!("/v3/conversations/{}/messages/{}", group.id, text(&message["id"]));
    assert_eq!(by.asks("DELETE", &path).await.status, 204);
}

/// The statuses with which an image and its forms are answered, consecutive equal ones once.
async fn found(world: &World, image: &str) -> Vec<u16> {
    let name = image.split_once("/images/").unwrap().1;
    let mut statuses = Vec::new();
    for form in ["", ".preview", ".large"] {
        statuses.push(world.get(&format!("/images/{name}{form}")).await.status);
    }
    statuses.dedup();
    statuses
}

/// The files of images and their forms on the disk.
fn kept(world: &World) -> Vec<PathBuf> {
    let shelves = fs::read_dir(world.data().join("images")).unwrap().map(|it| it.unwrap());
    let shelves = shelves.filter(|it| it.file_name().len() == 2);
    shelves.flat_map(|it| fs::read_dir(it.path()).unwrap().map(|it| it.unwrap().path())).collect()
}

/// Lets this many seconds pass, restarts the server, and waits until no image is on the disk. A
/// start is one of the times when the server looks for unused images.
async fn keeps_nothing_after(world: &mut World, seconds: u64) {
    world.seconds_pass(seconds);
    world.restarts().await;
    let deadline = Instant::now() + Duration::from_secs(60);
    while !kept(world).is_empty() {
        assert!(Instant::now() < deadline, "{:?}", kept(world));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The URL of an image after a restart, which changes the port.
fn moved(world: &World, image: &str) -> String {
    world.address.url(&format!("/images/{}", image.rsplit('/').next().unwrap()))
}

#[tokio::test]
async fn last_message_removes_the_image_bytes() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let image = ana.has_image().await;
    let (one, two) = (shows(&ana, &climbers, &image).await, shows(&ben, &climbers, &image).await);
    assert_eq!(found(&world, &image).await, [200]);
    assert_eq!(kept(&world).len(), 2, "itself and a form");
    deletes(&ana, &climbers, &one).await;
    world.seconds_pass(600);
    world.restarts().await;
    let image = moved(&world, &image);
    assert_eq!(found(&world, &image).await, [200], "Ben's message has it");
    deletes(&ben, &climbers, &two).await;
    assert_eq!(found(&world, &image).await, [404]);
    let named = json!({"attachments": [{"type": "image", "url": image}]});
    ben.posting(&climbers, named).await.refused(400);
    keeps_nothing_after(&mut world, 61).await;
    // Uploaded once more, the image is served as before.
    let image = ben.has_image().await;
    shows(&ben, &climbers, &image).await;
    assert_eq!(found(&world, &image).await, [200]);
    assert_eq!(kept(&world).len(), 2);
}

#[tokio::test]
async fn uploaded_image_is_kept_unused_for_a_day() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    ana.adds(&ben, &climbers).await;
    let image = ana.has_image().await;
    assert_eq!(ben.has_image().await, image);
    let said = shows(&ana, &climbers, &image).await;
    deletes(&ana, &climbers, &said).await;
    world.seconds_pass(600);
    world.restarts().await;
    let image = moved(&world, &image);
    assert_eq!(found(&world, &image).await, [200], "for Ben, who is about to send it");
    let said = shows(&ben, &climbers, &image).await;
    deletes(&ben, &climbers, &said).await;
    assert_eq!(found(&world, &image).await, [404]);
    let never = ana.has_image().await;
    assert_eq!(found(&world, &never).await, [200]);
    keeps_nothing_after(&mut world, 25 * 3600).await;
}

#[tokio::test]
async fn draft_keeps_its_image() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let image = ana.has_image().await;
    let said = shows(&ana, &climbers, &image).await;
    let path = format!("/v3/drafts/{}", climbers.id);
    let draft = json!({"text": "", "attachments": [{"type": "image", "url": image}]});
    ana.asks("PUT", &path).json(&draft).await.ok();
    deletes(&ana, &climbers, &said).await;
    world.seconds_pass(2 * 86_400);
    world.restarts().await;
    let image = moved(&world, &image);
    assert_eq!(found(&world, &image).await, [200]);
    // The draft expires, 30 days after it was saved.
    keeps_nothing_after(&mut world, 29 * 86_400).await;
    assert_eq!(found(&world, &moved(&world, &image)).await, [404]);
}

#[tokio::test]
async fn image_returns_with_its_next_message() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let (climbers, walkers) =
        (ana.creates_group("Climbers").await, ana.creates_group("Walkers").await);
    let image = ana.has_image().await;
    assert_eq!(found(&world, &image).await, [200], "nobody has used it yet");
    let one = shows(&ana, &climbers, &image).await;
    let two = shows(&ana, &walkers, &image).await;
    deletes(&ana, &climbers, &one).await;
    assert_eq!(found(&world, &image).await, [200]);
    deletes(&ana, &walkers, &two).await;
    for _ in 0..2 {
        assert_eq!(found(&world, &image).await, [404]);
        world.restarts().await;
    }
    // The image is uploaded once more; its URL differs, since the restart changed the port.
    let again = ana.has_image().await;
    assert_eq!(again.rsplit('/').next(), image.rsplit('/').next());
    shows(&ana, &climbers, &again).await;
    assert_eq!(found(&world, &again).await, [200]);
}

#[tokio::test]
async fn edited_out_image_is_removed_with_the_message() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let (first, second) =
        (ana.stores_image(png(11, 20)).await, ana.stores_image(png(12, 20)).await);
    let said = shows(&ana, &climbers, &first).await;
    let path = format!("/v3/conversations/{}/messages/{}", climbers.id, text(&said["id"]));
    let change = json!({"attachments": [{"type": "image", "url": second}]});
    ana.asks("PUT", &path).json(&change).await.ok();
    assert_eq!(found(&world, &first).await, [200], "its history shows it");
    deletes(&ana, &climbers, &said).await;
    assert_eq!((found(&world, &first).await, found(&world, &second).await), (vec![404], vec![404]));
}

#[tokio::test]
async fn a_picture_of_a_group_stays() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let image = ana.has_image().await;
    ana.updates(&climbers, json!({"image_url": image})).await.ok();
    let said = shows(&ana, &climbers, &image).await;
    deletes(&ana, &climbers, &said).await;
    assert_eq!(found(&world, &image).await, [200]);
}
