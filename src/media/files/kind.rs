//! The media type of a file, read from its content and never from what an uploader claims. Browsers
//! may show a short list of types; all others are downloads.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::time::Duration;

use base::bounds::work::{WorkBudget, WorkLimits};

/// Bytes at the beginning of a file that are looked at: enough for the tracks of a recording. Of an
/// MP4 file, whose tracks may be described at its end, the headers of its boxes are read too.
const HEAD: u64 = 64 << 10;
/// The work of finding the tracks of an MP4 file: its boxes, and the 12 to 16 bytes of each that
/// are read.
const WORK: WorkLimits =
    WorkLimits { steps: 4096, terms: 0, bytes: 64 << 10, time: Duration::from_secs(5) };

/// The type of content that is not recognized.
const UNKNOWN: &str = "application/octet-stream";
/// Image types without active content.
const PICTURES: [&str; 6] =
    ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp"];

/// The media type of a file.
///
/// # Errors
/// If the file cannot be read.
pub fn of(file: &mut (impl Read + Seek)) -> io::Result<&'static str> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    match brands(&head) {
        Some(brands) => of_mp4(file, &brands),
        None => Ok(by_head(&head)),
    }
}

/// The media type of a file that is no MP4, by its first bytes.
fn by_head(head: &[u8]) -> &'static str {
    match infer::get(head).map(|kind| kind.mime_type()) {
        Some("video/webm" | "video/x-matroska") if is_sound_in_matroska(head) => "audio/webm",
        _ if head.starts_with(b"OggS") => of_ogg(head),
        Some("audio/mpeg") | None if is_mp3_frame(head) => "audio/mpeg",
        Some("audio/mpeg") if !head.starts_with(b"ID3") => UNKNOWN,
        Some(known) => known,
        None if head.starts_with(b".snd") => "audio/basic",
        None if head.starts_with(b"caff") => "audio/x-caf",
        None if is_text(head) => "text/plain",
        None => UNKNOWN,
    }
}

/// Whether the bytes begin with the header of an MPEG frame of layer III (MIME Sniffing, section
/// 6.2.3).
fn is_mp3_frame(head: &[u8]) -> bool {
    let [0xff, second, third, ..] = head else { return false };
    let version = second >> 3 & 3;
    let layer = second >> 1 & 3;
    let bit_rate = third >> 4;
    let sample_rate = third >> 2 & 3;
    second >> 5 == 7 && version != 1 && layer == 1 && bit_rate != 15 && sample_rate != 3
}

/// The media type of an Ogg file, by the first packet of each of its streams (RFC 5334; RFC 7845,
/// section 9).
fn of_ogg(head: &[u8]) -> &'static str {
    const FILMS: [&[u8]; 5] = [b"\x80theora", b"\x80daala", b"BBCD\0", b"OVP80", b"\x01video"];
    const SOUNDS: [&[u8]; 6] =
        [b"OpusHead", b"\x01vorbis", b"\x7fFLAC", b"fLaC", b"Speex   ", b"\x01audio"];
    let packets: Vec<&[u8]> = first_packets(head).collect();
    let has = |signs: &[&[u8]]| {
        packets.iter().any(|packet| signs.iter().any(|sign| packet.starts_with(sign)))
    };
    match (has(&FILMS), has(&SOUNDS)) {
        (true, _) => "video/ogg",
        (false, true) => "audio/ogg",
        (false, false) => "application/ogg",
    }
}

/// The content of the pages that begin a stream of an Ogg file; they come before all others
/// (RFC 3533, section 6).
fn first_packets(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    const HEADER: usize = 27;
    std::iter::from_fn(move || {
        let (header, after) = rest.split_at_checked(HEADER)?;
        let is_first = header.starts_with(b"OggS") && header[5] & 2 != 0;
        let (table, after) = after.split_at_checked(usize::from(header[26]))?;
        let length: usize = table.iter().map(|length| usize::from(*length)).sum();
        let (content, after) = after.split_at(length.min(after.len()));
        rest = after;
        is_first.then_some(content)
    })
}

/// The brands of an MP4 file or of a file of that family, the major one first (ISO/IEC 14496-12,
/// section 4.3); `None` if the bytes are no such file.
fn brands(head: &[u8]) -> Option<Vec<[u8; 4]>> {
    let length = usize::try_from(u32::from_be_bytes(*head.first_chunk()?)).ok()?;
    let content = head.get(..length.max(8).min(head.len()))?.get(4..)?.strip_prefix(b"ftyp")?;
    let (words, _) = content.as_chunks::<4>();
    let (major, rest) = words.split_first()?;
    Some([*major].into_iter().chain(rest.iter().skip(1).copied()).collect())
}

/// The media type of a file of the MP4 family: pictures by their brands, others by the handlers of
/// their tracks (ISO/IEC 14496-12, section 8.4.3).
fn of_mp4(file: &mut (impl Read + Seek), brands: &[[u8; 4]]) -> io::Result<&'static str> {
    const AVIF: [[u8; 4]; 2] = [*b"avif", *b"avis"];
    const HEIC: [[u8; 4]; 6] = [*b"heic", *b"heix", *b"heim", *b"heis", *b"hevc", *b"hevx"];
    const HEIF: [[u8; 4]; 3] = [*b"mif1", *b"msf1", *b"miaf"];
    let major = brands[0];
    let has = |some: &[[u8; 4]]| brands.iter().any(|brand| some.contains(brand));
    if AVIF.contains(&major) || HEIC.contains(&major) || HEIF.contains(&major) {
        return Ok(match (has(&AVIF), has(&HEIC)) {
            (true, _) => "image/avif",
            (false, true) => "image/heic",
            (false, false) => "image/heif",
        });
    }
    let handlers = handlers(file)?;
    let is_sound = match (handlers.contains(b"vide"), handlers.contains(b"soun")) {
        (true, _) => false,
        (false, true) => true,
        // No track is described: the brand says what the program meant to write.
        (false, false) => matches!(&major, b"M4A " | b"M4B " | b"M4P "),
    };
    Ok(match (&major, is_sound) {
        (b"qt  ", _) => "video/quicktime",
        (b"crx ", _) => "image/x-canon-cr3",
        ([b'3', b'g', b'2', _], false) => "video/3gpp2",
        ([b'3', b'g', b'2', _], true) => "audio/3gpp2",
        ([b'3', b'g', ..], false) => "video/3gpp",
        ([b'3', b'g', ..], true) => "audio/3gpp",
        (_, false) => "video/mp4",
        (_, true) => "audio/mp4",
    })
}

/// The handler types of the tracks of an MP4 file, as far as the budget of work reaches.
fn handlers(file: &mut (impl Read + Seek)) -> io::Result<Vec<[u8; 4]>> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut boxes = Mp4Boxes { file, budget: WorkBudget::new(WORK) };
    let mut within = vec![Mp4Box { content: 0, end }];
    for wanted in [b"moov", b"trak", b"mdia", b"hdlr"] {
        let mut found = Vec::new();
        for outer in within {
            boxes.find(outer, wanted, &mut found)?;
        }
        within = found;
    }
    // Version and flags, and a field without meaning, come before the type.
    let types = within.into_iter().map(|handler| boxes.bytes(handler.content + 8));
    Ok(types.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// A box of an MP4 file, as places in the file.
#[derive(Clone, Copy)]
struct Mp4Box {
    content: u64,
    end: u64,
}

/// Reads the boxes of an MP4 file.
struct Mp4Boxes<'a, F> {
    file: &'a mut F,
    budget: WorkBudget,
}

impl<F: Read + Seek> Mp4Boxes<'_, F> {
    /// Adds the boxes of this type within another box (ISO/IEC 14496-12, section 4.2).
    fn find(&mut self, outer: Mp4Box, wanted: &[u8; 4], to: &mut Vec<Mp4Box>) -> io::Result<()> {
        let mut at = outer.content;
        while at < outer.end {
            let Some([a, b, c, d, kind @ ..]) = self.bytes::<8>(at)? else { return Ok(()) };
            let (header, size) = match u32::from_be_bytes([a, b, c, d]) {
                0 => (8, outer.end - at),
                1 => match self.bytes(at + 8)? {
                    Some(size) => (16, u64::from_be_bytes(size)),
                    None => return Ok(()),
                },
                size => (8, u64::from(size)),
            };
            if size < header {
                return Ok(());
            }
            let end = at.saturating_add(size).min(outer.end);
            if kind == *wanted {
                to.push(Mp4Box { content: at + header, end });
            }
            at = end;
        }
        Ok(())
    }

    /// The bytes at a place; `None` if the file ends before, or the budget is spent.
    fn bytes<const N: usize>(&mut self, at: u64) -> io::Result<Option<[u8; N]>> {
        if self.budget.step(N).is_err() {
            return Ok(None);
        }
        let mut bytes = [0; N];
        self.file.seek(SeekFrom::Start(at))?;
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether browsers may show files of this type inline, in a sandbox and without scripts.
pub fn is_shown(media_type: &str) -> bool {
    PICTURES.contains(&media_type)
        || media_type.starts_with("video/")
        || media_type.starts_with("audio/")
        || media_type == "application/pdf"
}

/// Whether a Matroska file has audio tracks that browsers play, and no video tracks. Looks only at
/// the track entries: encoded data may contain `V_` by chance.
fn is_sound_in_matroska(head: &[u8]) -> bool {
    // Segment, Tracks, TrackEntry, CodecID (RFC 9559, 5.1).
    const CODECS: [u64; 4] = [0x1853_8067, 0x1654_ae6b, 0xae, 0x86];
    let codecs = CODECS.iter().fold(vec![head], |within, wanted| {
        let all = within.into_iter().flat_map(elements);
        all.filter(|(id, _)| id == wanted).map(|(_, content)| content).collect()
    });
    codecs.iter().any(|codec| [&b"A_OPUS"[..], b"A_VORBIS"].contains(codec))
        && !codecs.iter().any(|codec| codec.starts_with(b"V_"))
}

/// The consecutive EBML elements in these bytes, each with its id and its content, which may be cut
/// off (RFC 8794, 4 to 6).
fn elements(mut rest: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let (id, _, after) = variable_number(rest)?;
        let (size, length, after) = variable_number(after)?;
        let most = (1 << (7 * length)) - 1;
        // All ones: the size is unknown, and the element continues to the end.
        let size = Some(size & most).filter(|size| *size != most);
        let size = size.map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX));
        let (content, after) = after.split_at(size.min(after.len()));
        rest = after;
        Some((id, content))
    })
}

/// Reads an EBML variable-size integer, whose first one bit tells its length. Returns the number
/// with that bit, its length in bytes, and what follows it.
fn variable_number(bytes: &[u8]) -> Option<(u64, usize, &[u8])> {
    let length = bytes.first()?.leading_zeros() as usize + 1;
    let (own, rest) = bytes.split_at_checked(length).filter(|_| length <= 8)?;
    Some((own.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), length, rest))
}

/// Whether the bytes are UTF-8 text, which may be cut in the middle of a character.
fn is_text(head: &[u8]) -> bool {
    let is_whole = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let is_sign = |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    is_whole && !head.is_empty() && !head.iter().any(is_sign)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn of(content: &[u8]) -> &'static str {
        super::of(&mut Cursor::new(content)).unwrap()
    }

    #[test]
    fn file_type_comes_from_content() {
        for (head, kind) in [
            (&b"%PDF-1.7\n"[..], "application/pdf"),
            (b"\x89PNG\r\n\x1a\n", "image/png"),
            (b"PK\x03\x04xx", "application/zip"),
            (b"ID3\x03\x00", "audio/mpeg"),
            ("Überblick\n".as_bytes(), "text/plain"),
            (b"half a letter \xc3", "text/plain"),
            (b"\x00\x01\x02", "application/octet-stream"),
            (b"", "application/octet-stream"),
        ] {
            assert_eq!(of(head), kind, "{head:?}");
        }
    }

    /// A Matroska element, of known or unknown size.
    fn element(id: &[u8], content: &[u8], is_known: bool) -> Vec<u8> {
        let size = if is_known { 1 << 56 | content.len() as u64 } else { (1 << 57) - 1 };
        [id, &size.to_be_bytes(), content].concat()
    }

    /// A recording with tracks of these codecs, as browsers write it.
    fn recording(codecs: &[&str], coded: &[u8], is_live: bool) -> Vec<u8> {
        const CLUSTER: &[u8] = b"\x1f\x43\xb6\x75";
        let entry =
            |codec: &&str| element(b"\xae", &element(b"\x86", codec.as_bytes(), true), true);
        let tracks: Vec<u8> = codecs.iter().flat_map(entry).collect();
        // The seek table names the elements that come later.
        let seek = element(b"\x11\x4d\x9b\x74", &element(b"\x53\xab", CLUSTER, true), true);
        let void = element(b"\xec", &[0; 200], true);
        let tracks = element(b"\x16\x54\xae\x6b", &tracks, true);
        let cluster = element(CLUSTER, coded, !is_live);
        let segment =
            element(b"\x18\x53\x80\x67", &[seek, void, tracks, cluster].concat(), !is_live);
        let header = element(b"\x1a\x45\xdf\xa3", b"\x42\x82\x84webm", true);
        [header, segment].concat()
    }

    #[test]
    fn a_recording_without_pictures_is_sound() {
        for is_live in [false, true] {
            let of = |codecs: &[&str], coded| of(&recording(codecs, coded, is_live));
            assert_eq!(of(&["A_OPUS"], b"what is coded"), "audio/webm");
            assert_eq!(of(&["V_VP8", "A_OPUS"], b"what is coded"), "video/webm");
            assert_eq!(of(&["V_VP8"], b"A_OPUS"), "video/webm");
            assert_eq!(of(&["A_AAC"], b"A_OPUS"), "video/webm");
            // Encoded data with `V_` in it by chance, and with a whole track entry.
            assert_eq!(of(&["A_OPUS"], b"..V_.."), "audio/webm");
            assert_eq!(of(&["A_OPUS"], b"\xae\x87\x86\x85V_VP8"), "audio/webm");
        }
        let whole = recording(&["A_OPUS"], &[0; 100], true);
        for end in 0..whole.len() {
            assert!(!of(&whole[..end]).is_empty(), "cut anywhere, it is something");
        }
    }

    fn mp4_box(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 8).unwrap();
        [&length.to_be_bytes(), &kind[..], content].concat()
    }

    fn ftyp(brands: &[&[u8; 4]]) -> Vec<u8> {
        let (major, rest) = brands.split_first().unwrap();
        let rest: Vec<u8> = rest.iter().flat_map(|brand| brand.iter().copied()).collect();
        mp4_box(b"ftyp", &[&major[..], &[0; 4], &rest].concat())
    }

    /// A track with this handler, whose other boxes contain other words.
    fn track(handler: &[u8; 4]) -> Vec<u8> {
        let hdlr = mp4_box(b"hdlr", &[&[0; 8][..], handler, &[0; 12], b"vide soun\0"].concat());
        let minf = mp4_box(b"minf", &mp4_box(b"stbl", b"videsoun"));
        let mdia = mp4_box(b"mdia", &[mp4_box(b"mdhd", &[0; 24]), hdlr, minf].concat());
        mp4_box(b"trak", &[mp4_box(b"tkhd", &[0; 84]), mdia].concat())
    }

    fn moov(handlers: &[&[u8; 4]]) -> Vec<u8> {
        let tracks: Vec<u8> = handlers.iter().flat_map(|handler| track(handler)).collect();
        let udta = mp4_box(b"udta", &mp4_box(b"meta", &mp4_box(b"hdlr", &[b'v'; 30])));
        mp4_box(b"moov", &[mp4_box(b"mvhd", &[0; 100]), tracks, udta].concat())
    }

    #[test]
    fn tracks_of_mp4_files_decide_wherever_they_are_described() {
        let data = b"videsoun".repeat(50_000);
        let mdat = mp4_box(b"mdat", &data);
        let length = 16 + u64::try_from(data.len()).unwrap();
        let huge = [&1_u32.to_be_bytes()[..], b"mdat", &length.to_be_bytes(), &data];
        let huge = huge.concat();
        for (handlers, kind) in [
            (&[b"soun"][..], "audio/mp4"),
            (&[b"vide"], "video/mp4"),
            (&[b"soun", b"vide"], "video/mp4"),
            (&[b"vide", b"soun"], "video/mp4"),
            (&[b"text", b"soun"], "audio/mp4"),
            (&[b"soun", b"soun", b"hint", b"vide"], "video/mp4"),
            (&[], "video/mp4"),
        ] {
            let start = ftyp(&[b"isom", b"mp42"]);
            let tracks = moov(handlers);
            for parts in
                [[&start, &tracks, &mdat], [&start, &mdat, &tracks], [&start, &huge, &tracks]]
            {
                assert_eq!(of(&parts.map(Vec::as_slice).concat()), kind, "{handlers:?}");
            }
        }
        for (brand, handlers, kind) in [
            (b"M4A ", &[][..], "audio/mp4"),
            (b"M4A ", &[b"soun"], "audio/mp4"),
            (b"M4V ", &[b"vide"], "video/mp4"),
            (b"3gp4", &[b"soun"], "audio/3gpp"),
            (b"3gp4", &[b"vide", b"soun"], "video/3gpp"),
            (b"3gp5", &[], "video/3gpp"),
            (b"3g2a", &[b"soun"], "audio/3gpp2"),
            (b"dash", &[b"soun"], "audio/mp4"),
            (b"qt  ", &[b"soun", b"vide"], "video/quicktime"),
        ] {
            let content = [ftyp(&[brand]), mdat.clone(), moov(handlers)].concat();
            assert_eq!(of(&content), kind, "{brand:?} {handlers:?}");
        }
    }

    #[test]
    fn brands_tell_pictures_apart() {
        for (brands, kind) in [
            (&[b"avif", b"mif1"][..], "image/avif"),
            (&[b"mif1", b"miaf", b"avif"], "image/avif"),
            (&[b"avis", b"msf1"], "image/avif"),
            (&[b"heic", b"mif1"], "image/heic"),
            (&[b"mif1", b"heic"], "image/heic"),
            (&[b"heix", b"mif1"], "image/heic"),
            (&[b"hevc", b"msf1"], "image/heic"),
            (&[b"mif1"], "image/heif"),
            (&[b"isom", b"mif1"], "video/mp4"),
        ] {
            assert_eq!(of(&ftyp(brands)), kind, "{brands:?}");
        }
    }

    #[test]
    fn mp4_files_that_lie_or_are_cut_take_bounded_work() {
        let whole = [ftyp(&[b"isom"]), moov(&[b"soun", b"vide"])].concat();
        for end in 0..whole.len() {
            assert!(!of(&whole[..end]).is_empty());
            for lie in [0_u32, 1, 7, 9, u32::MAX] {
                let mut lying = whole.clone();
                let place = end.min(whole.len() - 4);
                lying[place..place + 4].copy_from_slice(&lie.to_be_bytes());
                assert!(!of(&lying).is_empty());
            }
        }
        let many = [ftyp(&[b"isom"]), mp4_box(b"free", &[]).repeat(100_000), moov(&[b"soun"])];
        assert_eq!(of(&many.concat()), "video/mp4", "the reader stops before the tracks");
    }

    #[test]
    fn every_frame_of_layer_three_is_mp3() {
        for second in 0xe0..=0xff_u8 {
            for third in 0..=0xff_u8 {
                let version = second >> 3 & 3;
                let layer = second >> 1 & 3;
                let is_mp3 = version != 1 && layer == 1 && third < 0xf0 && third & 0x0c != 0x0c;
                let kind = of(&[0xff, second, third, 0xc4, 0, 0, 0, 0]);
                assert_eq!(kind == "audio/mpeg", is_mp3, "{second:x} {third:x}: {kind}");
            }
        }
        assert_eq!(of(b"\xff\xe3\x18\xc4"), "audio/mpeg");
    }

    /// A page of an Ogg file.
    fn ogg_page(flags: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).unwrap();
        [b"OggS\0", &[flags][..], &[0; 20], &[1, length], content].concat()
    }

    #[test]
    fn streams_of_ogg_files_decide() {
        let later = ogg_page(0, b"\x80theora");
        for (streams, kind) in [
            (&[&b"OpusHead\x01"[..]][..], "audio/ogg"),
            (&[b"\x01vorbis"], "audio/ogg"),
            (&[b"\x7fFLAC\x01"], "audio/ogg"),
            (&[b"Speex   1"], "audio/ogg"),
            (&[b"fishead\0", b"OpusHead\x01"], "audio/ogg"),
            (&[b"\x80theora", b"\x01vorbis"], "video/ogg"),
            (&[b"\x01vorbis", b"\x80theora"], "video/ogg"),
            (&[b"fishead\0", b"\x01vorbis", b"BBCD\0"], "video/ogg"),
            (&[b"fishead\0"], "application/ogg"),
            (&[b""], "application/ogg"),
        ] {
            let mut file: Vec<u8> = streams.iter().flat_map(|stream| ogg_page(2, stream)).collect();
            file.extend_from_slice(&later);
            assert_eq!(of(&file), kind, "{streams:?}");
            (0..file.len()).for_each(|end| assert!(!of(&file[..end]).is_empty()));
        }
    }

    #[test]
    fn other_sounds_have_their_types() {
        for (head, kind) in [
            (&b"fLaC\0\0\0\x22"[..], "audio/x-flac"),
            (b"RIFF\x24\0\0\0WAVEfmt ", "audio/x-wav"),
            (b"#!AMR\n\0\0\0\0\0\0", "audio/amr"),
            (b"MThd\0\0\0\x06", "audio/midi"),
            (b"\xff\xf1\x50\x80", "audio/aac"),
            (b"FORM\0\0\0\x10AIFFCOMM", "audio/x-aiff"),
            (b".snd\0\0\0\x18", "audio/basic"),
            (b"caff\0\x01\0\0", "audio/x-caf"),
        ] {
            assert_eq!(of(head), kind, "{head:?}");
        }
    }

    #[test]
    fn pages_and_drawings_with_scripts_are_never_shown() {
        for head in [
            &b"<!DOCTYPE html><script>alert(1)</script>"[..],
            b"<html><body>",
            b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
            b"<?xml version='1.0'?><svg/>",
            b"#!/bin/sh\nrm -rf /\n",
        ] {
            assert!(!is_shown(of(head)), "{}", of(head));
        }
        assert!(
            ["image/png", "video/mp4", "audio/ogg", "application/pdf"].map(is_shown) == [true; 4]
        );
    }
}
