//! Pictures of deleted messages: found no more, unless something else shows them.

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

/// The statuses of an image and its forms.
async fn found(world: &World, image: &str) -> Vec<u16> {
    let name = image.split_once("/images/").unwrap().1;
    let mut statuses = Vec::new();
    for form in ["", ".preview", ".large"] {
        statuses.push(world.get(&format!("/images/{name}{form}")).await.status);
    }
    statuses.dedup();
    statuses
}

#[tokio::test]
async fn a_picture_goes_with_the_last_message_that_carried_it_and_comes_with_the_next() {
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
    // The same picture, sent once more: another start has another port.
    let again = ana.has_image().await;
    assert_eq!(again.rsplit('/').next(), image.rsplit('/').next());
    shows(&ana, &climbers, &again).await;
    assert_eq!(found(&world, &again).await, [200]);
}

#[tokio::test]
async fn what_an_edit_took_away_goes_with_the_message() {
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
