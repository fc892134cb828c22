//! Images that are refused, and paths that serve no image.

use std::io::{Read, Write};
use std::net::TcpStream;

use image::ImageFormat;

use crate::world::World;
use crate::world::pictures::{drawing, encoded, gif, jpeg, png, png_header, webp_with_holes};

#[tokio::test]
async fn non_image_upload_is_refused() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    for bytes in [
        b"Dear diary, this file is called holiday.png".to_vec(),
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".to_vec(),
        b"<html><script>alert(1)</script>".to_vec(),
        b"GIF89a".to_vec(),
        b"\x89PNG\r\n\x1a\n".to_vec(),
        b"\xff\xd8\xff".to_vec(),
        b"RIFF\x04\0\0\0WEBP".to_vec(),
        encoded_bmp(),
    ] {
        let reasons = ana.sends_image(bytes.clone()).await.refused(400);
        assert!(reasons[0].contains("image"), "{reasons:?} for {bytes:?}");
    }
    assert_eq!(
        ana.sends_image(Vec::new()).await.refused(400),
        ["the body must be the bytes of an image"]
    );
}

/// An image in a format that is not accepted; the server looks at the first bytes only.
fn encoded_bmp() -> Vec<u8> {
    b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0".to_vec()
}

#[tokio::test]
async fn truncated_images_are_refused() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let lossless = encoded(drawing(40, 30), ImageFormat::WebP);
    for whole in [jpeg(200, 150), png(40, 30), gif(20, 10, 3), webp_with_holes(9, 9), lossless] {
        ana.stores_image(whole.clone()).await;
        for tenth in 1..=9 {
            let cut = whole[..whole.len() * tenth / 10].to_vec();
            let answer = ana.sends_image(cut).await;
            assert_eq!(answer.status, 400, "{:?} cut at {tenth}/10", &whole[..4]);
        }
        let without_end = whole[..whole.len() - 1].to_vec();
        let answer = ana.sends_image(without_end).await;
        // A PNG can be decoded without the last byte of the checksum of its end chunk.
        assert!(matches!(answer.status, 200 | 400), "{}", answer.text);
    }
}

#[tokio::test]
async fn bombs_are_refused_before_they_are_decoded() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let refused = async |bytes: Vec<u8>| {
        assert!(bytes.len() < 300_000, "{} bytes are no bomb", bytes.len());
        ana.sends_image(bytes).await.refused(400).remove(0)
    };
    // A small file whose header claims a huge size.
    let reason = refused(png_header(100_000, 100_000)).await;
    assert!(reason.starts_with("the image has 100000 × 100000 pixels"), "{reason}");
    refused(png_header(65_536, 1)).await;
    // An image that really has that many pixels, and compresses well.
    let flat = image::GrayImage::new(10_000, 4_001);
    let reason = refused(encoded(flat, ImageFormat::Png)).await;
    assert!(reason.contains("40 megapixels"), "{reason}");
    // The header claims a size within the limit of pixels, but no pixels follow.
    let reason = refused(png_header(6_000, 6_000)).await;
    assert_eq!(reason, "the image is damaged or incomplete");
    // More frames than anybody looks at; then a JPEG of many large scans.
    let mut many = gif(1, 1, 1);
    let frame_at = many.iter().rposition(|byte| *byte == 0x2c).unwrap() - 8;
    let frame = many[frame_at..many.len() - 1].to_vec();
    many.pop();
    (0..1000).for_each(|_| many.extend_from_slice(&frame));
    many.push(0x3b);
    let reason = refused(many).await;
    assert!(reason.starts_with("decoding the image takes too long"), "{reason}");
    let reason = refused(many_scans(4000, 4000, 60)).await;
    assert!(reason.starts_with("decoding the image takes too long"), "{reason}");
}

/// A JPEG that claims to be painted many times: the headers of a small one with another size, and
/// its scan repeated.
fn many_scans(width: u16, height: u16, scans: usize) -> Vec<u8> {
    let mut bytes = jpeg(8, 8);
    let sof = bytes.windows(2).position(|it| it == [0xff, 0xc0]).unwrap();
    bytes[sof + 5..sof + 7].copy_from_slice(&height.to_be_bytes());
    bytes[sof + 7..sof + 9].copy_from_slice(&width.to_be_bytes());
    let scan_at = bytes.windows(2).position(|it| it == [0xff, 0xda]).unwrap();
    let scan = bytes[scan_at..bytes.len() - 2].to_vec();
    bytes.truncate(scan_at);
    (0..scans).for_each(|_| bytes.extend_from_slice(&scan));
    bytes.extend([0xff, 0xd9]);
    bytes
}

#[tokio::test]
async fn forty_megapixels_are_taken() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let flat = image::GrayImage::new(10_000, 4_000);
    let url = ana.stores_image(encoded(flat, ImageFormat::Png)).await;
    assert!(url.contains("/10000x4000.png."), "{url}");
}

#[tokio::test]
async fn images_over_10_mib_are_refused() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let mut most = png(3, 3);
    most.resize(10 << 20, 0);
    assert_eq!(ana.sends_image(most).await.status, 200, "what follows the image is left out");
    let large = vec![0; (10 << 20) + 1];
    let reasons = ana.sends_image(large).await.refused(413);
    assert_eq!(reasons, ["an image may have at most 10485760 bytes"]);
    // Chunks without a total length, which never end.
    let address = world.address.get();
    let token = ana.token.clone();
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /pictures HTTP/1.1\r\nhost: x\r\nx-access-token: {token}\r\n\
             transfer-encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let chunk = [b"10000\r\n".to_vec(), vec![7; 0x10000], b"\r\n".to_vec()].concat();
        // At some point the server stops reading.
        while stream.write_all(&chunk).is_ok() {
            stream.set_nonblocking(true).unwrap();
            let came = stream.peek(&mut [0]).is_ok();
            stream.set_nonblocking(false).unwrap();
            if came {
                break;
            }
        }
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    });
    assert_eq!(answer.await.unwrap(), "HTTP/1.1 413");
}

#[tokio::test]
async fn strangers_send_nothing() {
    let world = World::start().await;
    world.post("/pictures").bytes(png(1, 1)).await.refused(401);
    world.post("/pictures").token("made up").bytes(png(1, 1)).await.refused(401);
}

#[tokio::test]
async fn unknown_image_name_gives_404() {
    let world = World::start().await;
    let ana = world.registers("Ana").await;
    let path = crate::world::pictures::path(&ana.has_image().await);
    let name = path.rsplit('/').next().unwrap();
    for path in [
        format!("/images/11x20{}", &name[5..]),
        format!("{path}.small"),
        format!("{path}.large.large"),
        format!("/images/{}", &name[..name.len() - 1]),
        "/images/".to_owned(),
        "/images/new".to_owned(),
        "/images/..%2f..%2fhistory".to_owned(),
        "/images/%2e%2e/history".to_owned(),
        "/images/../history".to_owned(),
        format!("/images/%2e%2e%2fimages%2f{name}"),
    ] {
        world.get(&path).await.refused(404);
    }
}
