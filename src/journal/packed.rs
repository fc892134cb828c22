//! Compressed segments: how one is laid out, written, and read by position.
//!
//! ```text
//! head    48 bytes, in a frame that zstd skips: base, capacity, raw length
//! blocks  one zstd frame for each stretch of raw bytes
//! foot    in a frame that zstd skips: length and checksum of each block, checksum of all
//! ```
//!
//! So `zstd -d` gives back the segment as it was written, up to its end mark; what
//! lies behind that was empty and is not kept.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use crate::journal::disk::DiskFile;

/// Raw bytes in a block: small, since most reads want one record of it. Measured with
/// messages of 200 bytes (380 as written): 193 bytes each in blocks of 16 KiB, 181 in
/// blocks of 64 KiB, which take three times as long to read.
pub(super) const BLOCK: usize = 16 << 10;
/// What zstd skips begins with this, and the length of what follows.
const SKIP: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();
/// Bytes of the head, with what zstd needs to skip it.
const HEAD: usize = 48;
/// Bytes of a block's line in the table.
const LINE: usize = 8;
/// Bytes of the foot without the table.
const FOOT: usize = 16;
/// What a compressed segment names itself.
const MAGIC: &[u8; 8] = b"COTERIEZ";

/// What the head of a compressed segment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedHeader {
    /// Its first position.
    pub(super) base: u64,
    /// How many positions it covers.
    pub(super) capacity: u64,
    /// How many bytes of them it holds; behind them is nothing.
    pub(super) raw_length: u64,
}

/// An open compressed segment.
#[derive(Debug)]
pub(super) struct Packed {
    file: Arc<dyn DiskFile>,
    head: PackedHeader,
    /// Each block: where it ends in the file, and the checksum of its bytes there.
    blocks: Vec<(u64, u32)>,
}

/// Writes a compressed segment, head to foot, and syncs it.
pub(super) fn write(
    file: &dyn DiskFile,
    head: PackedHeader,
    raw: &[u8],
    level: i32,
) -> io::Result<()> {
    let mut compressor = zstd::bulk::Compressor::new(level)?;
    let mut table = Vec::new();
    let mut offset = HEAD as u64;
    for block in raw.chunks(BLOCK) {
        let frame = compressor.compress(block)?;
        file.write_at(&frame, offset)?;
        offset += frame.len() as u64;
        table.extend_from_slice(&(frame.len() as u32).to_le_bytes());
        table.extend_from_slice(&crc32c::crc32c(&frame).to_le_bytes());
    }
    file.write_at(&foot(&table), offset)?;
    file.write_at(&head.bytes(), 0)?;
    file.sync()
}

impl PackedHeader {
    fn bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&SKIP);
        bytes[4..8].copy_from_slice(&(HEAD as u32 - 8).to_le_bytes());
        bytes[8..16].copy_from_slice(MAGIC);
        bytes[16..24].copy_from_slice(&self.base.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.capacity.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.raw_length.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[8..40]);
        bytes[40..44].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads the head of a file.
    pub(super) fn read(file: &dyn DiskFile, base: u64) -> io::Result<Self> {
        let mut bytes = [0; HEAD];
        file.read_at(&mut bytes, 0)?;
        let word = |at: usize| {
            bytes[at..].first_chunk().map_or(0, |chunk: &[u8; 8]| u64::from_le_bytes(*chunk))
        };
        let head = Self { base, capacity: word(24), raw_length: word(32) };
        let is_plausible = head.raw_length <= head.capacity;
        if head.bytes() == bytes && is_plausible { Ok(head) } else { Err(spoiled("its head")) }
    }

    fn blocks(self) -> usize {
        usize::try_from(self.raw_length.div_ceil(BLOCK as u64)).unwrap_or(usize::MAX)
    }
}

fn foot(table: &[u8]) -> Vec<u8> {
    let content = table.len() + FOOT - 8;
    let mut foot = Vec::with_capacity(table.len() + FOOT);
    foot.extend_from_slice(&SKIP);
    foot.extend_from_slice(&(content as u32).to_le_bytes());
    foot.extend_from_slice(table);
    foot.extend_from_slice(&((table.len() / LINE) as u32).to_le_bytes());
    let crc = crc32c::crc32c(&foot[8..]);
    foot.extend_from_slice(&crc.to_le_bytes());
    foot
}

impl Packed {
    /// Opens one: reads its head and its foot.
    pub(super) fn open(file: Arc<dyn DiskFile>, base: u64) -> io::Result<Self> {
        let head = PackedHeader::read(&*file, base)?;
        let wanted = (head.blocks() * LINE + FOOT) as u64;
        let at = file.size()?.checked_sub(wanted).ok_or_else(|| spoiled("its length"))?;
        let mut bytes = vec![0; wanted as usize];
        file.read_at(&mut bytes, at)?;
        let table = &bytes[8..8 + head.blocks() * LINE];
        if foot(table) != bytes {
            return Err(spoiled("its foot"));
        }
        let mut blocks = Vec::with_capacity(head.blocks());
        let mut end = HEAD as u64;
        for [length, crc] in table.as_chunks().0.as_chunks().0 {
            end += u64::from(u32::from_le_bytes(*length));
            blocks.push((end, u32::from_le_bytes(*crc)));
        }
        if end == at { Ok(Self { file, head, blocks }) } else { Err(spoiled("its table")) }
    }

    /// Bytes that it holds, from its first position on.
    pub(super) fn raw_length(&self) -> u64 {
        self.head.raw_length
    }

    /// The raw bytes of a block.
    pub(super) fn block(&self, index: usize) -> io::Result<Vec<u8>> {
        let Some((end, crc)) = self.blocks.get(index).copied() else {
            return Ok(Vec::new());
        };
        let start = index.checked_sub(1).map_or(HEAD as u64, |before| self.blocks[before].0);
        let mut frame = vec![0; usize::try_from(end - start).unwrap_or_default()];
        self.file.read_at(&mut frame, start)?;
        if crc32c::crc32c(&frame) != crc {
            return Err(spoiled("a block"));
        }
        let before = (index * BLOCK) as u64;
        let expected = (self.head.raw_length - before).min(BLOCK as u64) as usize;
        let raw = UNPACKER.with_borrow_mut(|unpacker| unpack(unpacker, &frame, expected))?;
        if raw.len() == expected { Ok(raw) } else { Err(spoiled("a block")) }
    }

    /// Whether it holds these bytes and no others.
    pub(super) fn holds(&self, raw: &[u8]) -> io::Result<bool> {
        if self.head.raw_length != raw.len() as u64 {
            return Ok(false);
        }
        for (index, expected) in raw.chunks(BLOCK).enumerate() {
            if self.block(index)? != expected {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All raw bytes.
    pub(super) fn unpack(&self) -> io::Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(usize::try_from(self.head.raw_length).unwrap_or(0));
        for index in 0..self.head.blocks() {
            raw.extend_from_slice(&self.block(index)?);
        }
        Ok(raw)
    }
}

thread_local! {
    /// Made once for each thread that reads: making one takes as long as unpacking a block.
    static UNPACKER: RefCell<Option<zstd::bulk::Decompressor<'static>>> =
        const { RefCell::new(None) };
}

fn unpack(
    unpacker: &mut Option<zstd::bulk::Decompressor<'static>>,
    frame: &[u8],
    length: usize,
) -> io::Result<Vec<u8>> {
    let unpacker = match unpacker {
        Some(unpacker) => unpacker,
        None => unpacker.insert(zstd::bulk::Decompressor::new()?),
    };
    unpacker.decompress(frame, length)
}

fn spoiled(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} is not what was written"))
}
