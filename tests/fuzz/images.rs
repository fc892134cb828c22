//! Images: valid ones of every kind, with broken bytes anywhere.

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageEncoder, ImageFormat, Rgba, RgbaImage};
use proptest::prelude::*;
use serde_json::Value;

use crate::broken::{ByteChange, byte_changes};
use crate::connection::{Request, Wait};
use crate::engine::Surface;
use crate::server::{Person, Server};

/// The suffixes of the forms of an image.
const FORMS: [&str; 4] = ["", ".preview", ".large", ".avatar"];

/// Which image is broken, and how.
#[derive(Debug, Clone)]
struct Plan {
    image: usize,
    changes: Vec<ByteChange>,
    /// Whether the checksums of a PNG are corrected after the changes.
    is_sealed: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    (any::<usize>(), byte_changes(5), any::<bool>()).prop_map(|(image, changes, is_sealed)| Plan {
        image,
        changes,
        is_sealed,
    })
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A JPEG with Exif metadata that say that it is turned.
fn turned(image: &DynamicImage) -> Vec<u8> {
    let exif = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 80);
    encoder.set_exif_metadata(exif).unwrap();
    image.to_rgb8().write_with_encoder(encoder).unwrap();
    bytes
}

fn animation() -> Vec<u8> {
    let mut bytes = Vec::new();
    let palette: Vec<u8> = (0..=255).flat_map(|shade| [shade, 0, 255 - shade]).collect();
    let mut encoder = gif::Encoder::new(&mut bytes, 20, 12, &palette).unwrap();
    encoder.set_repeat(gif::Repeat::Infinite).unwrap();
    for number in 0..3 {
        let mut frame = gif::Frame::from_indexed_pixels(20, 12, vec![number; 240], Some(9));
        frame.delay = 5;
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    bytes
}

/// An image of each kind.
fn images() -> Vec<Vec<u8>> {
    let drawn = RgbaImage::from_fn(40, 30, |x, y| {
        Rgba([x as u8 * 6, y as u8 * 8, 90, if (x + y) % 5 == 0 { 0 } else { 255 }])
    });
    let seen_through = DynamicImage::from(drawn);
    let solid = DynamicImage::from(seen_through.to_rgb8());
    let grey = DynamicImage::from(seen_through.to_luma16());
    vec![
        encoded(&seen_through, ImageFormat::Png),
        encoded(&grey, ImageFormat::Png),
        encoded(&solid, ImageFormat::Jpeg),
        encoded(&DynamicImage::from(solid.to_luma8()), ImageFormat::Jpeg),
        turned(&solid),
        encoded(&seen_through, ImageFormat::WebP),
        encoded(&solid, ImageFormat::WebP),
        encoded(&seen_through, ImageFormat::Gif),
        animation(),
    ]
}

/// Corrects the checksum of every chunk of a PNG that can be found.
fn seal(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let end = at.saturating_add(8).saturating_add(u32::from_be_bytes(*length) as usize);
        if end.saturating_add(4) > bytes.len() {
            return;
        }
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[at + 4..end]);
        bytes[end..end + 4].copy_from_slice(&crc.sum().to_be_bytes());
        at = end + 4;
    }
}

#[test]
fn no_image_brings_a_panic_or_an_answer_of_5xx() {
    let (images, server) = (images(), Server::start());
    let mut person = Person::settles(&server, 0);
    let (token, mut stored, mut sent) = (person.token.clone(), 0_u64, 0_u64);
    let surface = Surface { name: "images", usual: 300 };
    surface.holds(&plan(), |plan| {
        server.clock.pass(1000);
        let mut bytes = images[plan.image % images.len()].clone();
        plan.changes.iter().for_each(|change| change.apply(&mut bytes));
        if plan.is_sealed && bytes.starts_with(b"\x89PNG") {
            seal(&mut bytes);
        }
        let upload = Request::of("POST", "/pictures").header("X-Access-Token", &token).body(bytes);
        let answer = person.connection().asks(&upload, Wait::ToTheEnd)?.unwrap();
        if answer.status >= 500 {
            return Err(format!("{} is the answer to {upload}", answer.status));
        }
        sent += 1;
        let told = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
        let Some(url) = told["payload"]["url"].as_str() else { return Ok(1) };
        stored += 1;
        let path = &url[url.find("/images/").unwrap()..];
        for form in FORMS {
            let request = Request::of("GET", &format!("{path}{form}"));
            let shown = person.connection().asks(&request, Wait::ToTheEnd)?.unwrap();
            if shown.status != 200 {
                return Err(format!("{} is the answer to {request} after {upload}", shown.status));
            }
        }
        Ok(1)
    });
    assert!(person.is_in().unwrap(), "the server serves on");
    println!("{stored} of {sent} images are taken");
    assert!(stored * 20 > sent && stored < sent, "{stored} of {sent}");
    drop(server.stop());
}
