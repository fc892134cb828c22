//! Images: which are accepted, which forms are made of them, and how they are served.

use std::cell::Cell;

use futures_util::future::join_all;
use image::{AnimationDecoder, DynamicImage, GenericImageView, ImageFormat};
use reqwest::multipart::{Form, Part};

use crate::world::World;
use crate::world::pictures::{
    drawing, encoded, gif, jpeg, path, phone_photo, png, seen, url, webp_with_holes,
};
use crate::world::server::Setup;

/// Asserts that a pixel has nearly this colour.
#[track_caller]
fn is_about(image: &DynamicImage, (x, y): (u32, u32), color: [u8; 3]) {
    let seen = image.get_pixel(x, y).0;
    let near = seen.iter().zip(color).all(|(seen, told)| seen.abs_diff(told) < 40);
    assert!(near, "{seen:?} at {x}, {y} is not {color:?}");
}

/// The names of all images, forms and unfinished files below `images/`.
fn files(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    for shelf in std::fs::read_dir(world.data().join("images")).unwrap().map(Result::unwrap) {
        if shelf.file_name() == "waiting" {
            continue;
        }
        for file in std::fs::read_dir(shelf.path()).unwrap() {
            found.push(file.unwrap().file_name().into_string().unwrap());
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn image_is_stored_by_content_and_public() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let sent = ana.sends_image(png(30, 20)).await;
    assert_eq!(sent.header("content-type"), Some("application/json"));
    let url = url(&sent);
    assert!(url.starts_with(&world.address.url("/images/30x20.png.")), "{url}");
    let hex = url.rsplit('.').next().unwrap();
    assert!(hex.len() == 32 && hex.bytes().all(|sign| sign.is_ascii_hexdigit()), "{hex}");

    let shown = world.get(&path(&url)).await;
    assert_eq!(shown.header("content-type"), Some("image/png"));
    assert_eq!(shown.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
    let policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
    assert_eq!(shown.header("content-security-policy"), Some(policy));
    assert_eq!(seen(&shown), DynamicImage::from(drawing(30, 20)), "PNG loses nothing");
    // The same image, uploaded again, is the same file.
    assert_eq!(ana.stores_image(png(30, 20)).await, url);
    assert_eq!(files(&world).len(), 1);
}

#[tokio::test]
async fn image_type_comes_from_content() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    for kind in ["application/json", "text/plain", "image/gif", "application/x-www-form-urlencoded"]
    {
        let sent = ana.posts("/pictures").header("content-type", kind).bytes(jpeg(8, 8)).await;
        assert!(url(&sent).contains("/8x8.jpeg."), "{kind}");
    }
    let part = || Part::bytes(png(4, 4)).file_name("a.jpg").mime_str("image/jpeg").unwrap();
    let form = Form::new().text("token", "x").part("file", part());
    assert!(url(&ana.posts("/pictures").form(form).await).contains("/4x4.png."));
    let other = Form::new().part("picture", part());
    ana.posts("/pictures").form(other).await.refused(400);
    for name in ["token", "access_token"] {
        let in_query = format!("/pictures?{name}={}", ana.token);
        url(&world.post(&in_query).bytes(png(1, 1)).await);
        let form = Form::new().part("file", part());
        assert!(url(&world.post(&in_query).form(form).await).contains("/4x4.png."), "{name}");
    }
}

#[tokio::test]
async fn transparent_webp_becomes_png_else_jpeg() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let with_holes = ana.stores_image(webp_with_holes(9, 9)).await;
    assert!(with_holes.contains("/9x9.png."), "{with_holes}");
    assert_eq!(seen(&world.get(&path(&with_holes)).await).get_pixel(0, 0).0[3], 0);
    let without = ana.stores_image(encoded(drawing(9, 9), ImageFormat::WebP)).await;
    assert!(without.contains("/9x9.jpeg."), "{without}");
}

#[tokio::test]
async fn phone_photo_is_rotated_and_loses_metadata() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let photo = phone_photo(60, 100);
    let lying = image::load_from_memory(&photo).unwrap();
    assert_eq!((lying.width(), lying.height()), (100, 60), "the fixture lies on its side");
    assert!(contains(&photo, b"GPS-HERE"), "the fixture tells where it was taken");
    let url = ana.stores_image(photo).await;
    assert!(url.contains("/60x100.jpeg."), "{url}");
    let shown = world.get(&path(&url)).await;
    for told in [&b"GPS-HERE"[..], b"Exif", b"MM\0*"] {
        assert!(!contains(&shown.bytes, told), "{told:?}");
    }
    let upright = seen(&shown);
    is_about(&upright, (30, 4), [255, 255, 255]);
    is_about(&upright, (10, 60), [255, 0, 0]);
    is_about(&upright, (50, 60), [0, 0, 255]);
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[tokio::test]
async fn animation_keeps_frames_and_loses_comments() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let sent = gif(20, 10, 3);
    assert!(contains(&sent, b"GPS-HERE"));
    let url = ana.stores_image(sent.clone()).await;
    assert!(url.contains("/20x10.gif."), "{url}");
    let shown = world.get(&path(&url)).await;
    assert!(!contains(&shown.bytes, b"GPS-HERE"));
    let frames = |bytes: Vec<u8>| {
        let decoder = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        let frames = decoder.into_frames().collect_frames().unwrap();
        frames.into_iter().map(|it| (it.delay(), it.into_buffer())).collect::<Vec<_>>()
    };
    assert_eq!(frames(shown.bytes.clone()).len(), 3);
    assert_eq!(frames(shown.bytes.clone()), frames(sent));
    assert!(contains(&shown.bytes, b"NETSCAPE2.0\x03\x01\0\0"), "it runs for ever");
    // The other forms of a GIF show its first frame.
    let preview = world.get(&format!("{}.preview", path(&url))).await;
    assert_eq!(preview.header("content-type"), Some("image/gif"));
    assert_eq!(frames(preview.bytes.clone()).len(), 1);
    is_about(&seen(&preview), (100, 100), [0, 0, 255]);
    let large = world.get(&format!("{}.large", path(&url))).await;
    assert_eq!(large.bytes, shown.bytes, "small enough to be its own large form");
}

#[tokio::test]
async fn a_single_pixel_is_an_image() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let url = ana.stores_image(png(1, 1)).await;
    assert!(url.contains("/1x1.png."), "{url}");
    for (form, side) in [("", 1), (".preview", 200), (".large", 1), (".avatar", 60)] {
        let shown = seen(&world.get(&format!("{}{form}", path(&url))).await);
        assert_eq!((shown.width(), shown.height()), (side, side), "{form}");
    }
}

#[tokio::test]
async fn forms_have_their_sizes_and_are_made_once() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let url = ana.stores_image(jpeg(1500, 1000)).await;
    assert_eq!(files(&world).len(), 1);
    for (form, size) in [(".preview", (200, 200)), (".large", (960, 640)), (".avatar", (60, 60))] {
        let asks = (0..8).map(|_| async { world.get(&format!("{}{form}", path(&url))).await });
        let shown = join_all(asks).await;
        let first = seen(&shown[0]);
        assert_eq!(first.dimensions(), size, "{form}");
        assert!(shown.iter().all(|it| it.bytes == shown[0].bytes), "{form}");
        let (width, height) = size;
        is_about(&first, (width / 4, height / 2), [255, 0, 0]);
        is_about(&first, (width * 3 / 4, height / 2), [0, 0, 255]);
    }
    let kept = files(&world);
    assert_eq!(kept.len(), 4, "{kept:?}");
    let before = world.get(&format!("{}.large", path(&url))).await.bytes;
    world.restarts().await;
    assert_eq!(world.get(&format!("{}.large", path(&url))).await.bytes, before);
    assert_eq!(files(&world), kept);
    let small = ana.stores_image(png(960, 3)).await;
    assert_eq!(seen(&world.get(&format!("{}.large", path(&small))).await).dimensions(), (960, 3));
    assert_eq!(files(&world).len(), 5, "what is small enough is its own large form");
}

/// Keys of other routes accept small bodies only; an image may be large.
#[tokio::test]
async fn a_key_changes_nothing_since_the_same_image_has_the_same_name() {
    let mut large = jpeg(40, 30);
    large.resize(3 << 20, 0);
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let sends = || ana.posts("/pictures").header("idempotency-key", "holiday").bytes(large.clone());
    let first = url(&sends().await);
    assert_eq!(url(&sends().await), first);
    assert_eq!(files(&world).len(), 1);
}

#[tokio::test]
async fn the_same_image_sent_at_once_is_one_file() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let sent = join_all((0..8).map(|_| async { ana.stores_image(jpeg(300, 200)).await })).await;
    assert!(sent.iter().all(|url| *url == sent[0]), "{sent:?}");
    assert_eq!(files(&world).len(), 1);
}

#[tokio::test]
async fn cached_image_gets_304() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let path = path(&ana.stores_image(png(30, 20)).await);
    let tag = world.get(&path).await.header("etag").unwrap().to_owned();
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let again = world.get(&path).header("if-none-match", &known).await;
        assert_eq!((again.status, again.bytes.len()), (304, 0), "{known}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
    }
    world.get(&path).header("if-match", "\"other\"").await.refused(412);
    assert_eq!(world.get(&path).header("if-match", &tag).await.status, 200);
    let form = world.get(&format!("{path}.avatar")).header("if-none-match", &tag).await;
    assert_eq!(form.status, 200, "another form is something else");
}

#[tokio::test]
async fn parts_of_an_image_can_be_asked_for() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let path = path(&ana.stores_image(jpeg(400, 300)).await);
    let whole = world.get(&path).await;
    let length = whole.bytes.len();
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    let part = world.get(&path).header("range", "bytes=10-99").await;
    assert_eq!((part.status, &part.bytes[..]), (206, &whole.bytes[10..100]));
    assert_eq!(part.header("content-range"), Some(&*format!("bytes 10-99/{length}")));
    let rest = world.get(&path).header("range", &format!("bytes={}-", length - 5)).await;
    assert_eq!((rest.status, &rest.bytes[..]), (206, &whole.bytes[length - 5..]));
    let beyond = world.get(&path).header("range", &format!("bytes={length}-")).await;
    assert_eq!(beyond.status, 416);
    assert_eq!(beyond.header("content-range"), Some(&*format!("bytes */{length}")));
    let tag = whole.header("etag").unwrap();
    let ask = || world.get(&path).header("range", "bytes=0-9");
    assert_eq!(ask().header("if-range", tag).await.status, 206);
    assert_eq!(ask().header("if-range", "\"other\"").await.bytes, whole.bytes);
    let head = world.asks("HEAD", &path).await;
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-length"), Some(&*length.to_string()));
}

#[tokio::test]
async fn images_are_there_after_a_restart_and_drafts_are_not() {
    let mut world = World::start().await;
    let ana = world.registers("Ana").await;
    let path = path(&ana.stores_image(png(30, 20)).await);
    let before = world.get(&path).await.bytes;
    world.stops().await;
    let drafts = world.data().join("images/new");
    std::fs::write(drafts.join("3"), b"half").unwrap();
    world.restarts().await;
    assert_eq!(world.get(&path).await.bytes, before);
    assert_eq!(std::fs::read_dir(drafts).unwrap().count(), 0);
}

#[tokio::test]
async fn a_large_image_does_not_hold_up_messages() {
    let photo = jpeg(5000, 4000);
    let world = World::with(Setup::default().option("--rate-limit", "off")).await;
    let ana = world.registers("Ana").await;
    let climbers = ana.creates_group("Climbers").await;
    // If five messages are answered before the image, the last ones were sent while it was being
    // stored. On a machine that had no time to send them meanwhile, the test tries again.
    let said = Cell::new(0);
    for _ in 0..10 {
        said.set(0);
        let talks = async {
            loop {
                ana.says(&climbers, "rope at six").await;
                said.set(said.get() + 1);
            }
        };
        tokio::select! {
            stored = ana.sends_image(photo.clone()) => {
                let url = url(&stored);
                assert!(url.contains("/5000x4000.jpeg."), "{url}");
            }
            () = talks => (),
        }
        if said.get() >= 5 {
            return;
        }
    }
    panic!("no five messages went while an image of 20 megapixels was stored, in ten tries");
}
