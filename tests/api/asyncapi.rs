//! The document at `/asyncapi.json`: that it is complete. That it is true is checked on every frame
//! that the other tests see (`world/framed.rs`).

use serde_json::Value;

use crate::openapi::refs;
use crate::world::World;

async fn served() -> Value {
    let world = World::start().await;
    served_by(&world).await
}

async fn served_by(world: &World) -> Value {
    let answer = world.get("/asyncapi.json").await;
    assert_eq!(answer.status, 200);
    serde_json::from_str(&answer.text).unwrap()
}

#[tokio::test]
async fn the_document_names_the_servers_of_each_channel() {
    let world = World::start().await;
    let document = served_by(&world).await;
    let servers = document["servers"].as_object().unwrap();
    assert_eq!(servers["socket"]["protocol"], "ws");
    assert_eq!(servers["web"]["protocol"], "http");
    for server in servers.values() {
        assert!(!server["host"].as_str().unwrap().is_empty(), "{server}");
    }
    for channel in document["channels"].as_object().unwrap().values() {
        assert_eq!(channel["servers"].as_array().unwrap().len(), 1, "{channel}");
    }
}

#[tokio::test]
async fn served_asyncapi_is_the_tested_one() {
    let document = served().await;
    assert_eq!(document["asyncapi"], "3.0.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let address = format!("http://{}", document["servers"]["web"]["host"].as_str().unwrap());
    assert_eq!(document, coterie::http::asyncapi::document(&address));
}

#[tokio::test]
async fn everything_that_is_named_exists() {
    let document = served().await;
    let mut found = Vec::new();
    refs(&document, &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for reference in found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference} names nothing");
    }
}

#[tokio::test]
async fn every_operation_and_channel_has_what_asyncapi_requires() {
    let document = served().await;
    for (name, channel) in document["channels"].as_object().unwrap() {
        assert!(channel["address"].as_str().unwrap().starts_with("/v3/"), "{name}");
        assert!(!channel["messages"].as_object().unwrap().is_empty(), "{name}");
    }
    for (name, operation) in document["operations"].as_object().unwrap() {
        assert!(["send", "receive"].contains(&operation["action"].as_str().unwrap()), "{name}");
        // The messages of an operation are references to messages of its channel.
        let channel = operation["channel"]["$ref"].as_str().unwrap();
        for message in operation["messages"].as_array().unwrap() {
            assert!(message["$ref"].as_str().unwrap().starts_with(channel), "{name}");
        }
    }
}

#[tokio::test]
async fn asyncapi_lists_every_close_code() {
    let document = served().await;
    let told = document["channels"]["push"]["description"].as_str().unwrap();
    for code in [4000, 4001, 4002, 4003, 4004, 4400, 4401, 4403, 4408, 4409, 4413, 4426] {
        assert!(told.contains(&format!("`{code}`")), "{code}");
    }
}
