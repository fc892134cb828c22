//! Images whose files were damaged on the disk: they are never served as if they were whole.

use std::fs;
use std::path::PathBuf;

use crate::world::World;
use crate::world::pictures::{jpeg, path};

/// The path of the file of an image or of one of its forms.
fn file_of(world: &World, url: &str) -> PathBuf {
    let name = url.rsplit('/').next().unwrap().to_owned();
    let digits = name.split('.').nth(2).unwrap();
    world.data().join("images").join(&digits[..2]).join(&name)
}

/// Changes one byte in the middle of a file, or truncates the file there.
fn damages(file: &PathBuf, is_cut: bool) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    if is_cut {
        bytes.truncate(middle);
    } else {
        bytes[middle] ^= 0x20;
    }
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn damaged_image_is_hidden_until_resent() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let url = ana.stores_image(jpeg(300, 200)).await;
    let whole = world.get(&path(&url)).await;
    assert_eq!(whole.status, 200);
    for is_cut in [false, true] {
        damages(&file_of(&world, &url), is_cut);
        world.restarts().await;
        for form in ["", ".preview", ".avatar"] {
            world.get(&format!("{}{form}", path(&url))).await.refused(503);
        }
        assert_eq!(path(&ana.stores_image(jpeg(300, 200)).await), path(&url));
        assert_eq!(world.get(&path(&url)).await.bytes, whole.bytes);
    }
}

#[tokio::test]
async fn damaged_image_form_is_rebuilt() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let url = format!("{}.preview", ana.stores_image(jpeg(300, 200)).await);
    let whole = world.get(&path(&url)).await;
    assert_eq!(whole.status, 200);
    for is_cut in [false, true] {
        damages(&file_of(&world, &url), is_cut);
        world.restarts().await;
        let shown = world.get(&path(&url)).await;
        assert_eq!((shown.status, shown.bytes == whole.bytes), (200, true));
    }
}
