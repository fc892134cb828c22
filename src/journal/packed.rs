//! Compressed segments: their layout, how they are written, and how they are read by position.
//!
//! ```text
//! head    48 bytes, in a frame that zstd skips: base, capacity, raw length
//! blocks  one zstd frame for each stretch of raw bytes
//! foot    in a frame that zstd skips: length and checksum of each block, checksum of all
//! ```
//!
//! So `zstd -d` gives back the segment as it was written, up to its end mark; the bytes behind that
//! were zeros and are not kept.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use crate::disk::DiskFile;

/// Raw bytes in a block. Small, since most reads want one record of a block. Measured with messages
/// of 200 bytes (380 as written): 193 bytes each in blocks of 16 KiB, 181 in blocks of 64 KiB,
/// which take three times as long to read.
pub(super) const BLOCK: usize = 16 << 10;
/// The magic number of a frame that zstd skips; the frame's length follows it.
const SKIP: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();
/// Bytes of the head, including what zstd needs to skip it.
const HEAD: usize = 48;
/// Bytes of a block's entry in the table.
const LINE: usize = 8;
/// Bytes of the foot without the table of blocks.
const FOOT: usize = 16;
/// The magic bytes of a compressed segment.
const MAGIC: &[u8; 8] = b"COTERIEZ";

/// The head of a compressed segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedHeader {
    /// The segment's first position.
    pub(super) base: u64,
    /// How many positions the segment covers.
    pub(super) capacity: u64,
    /// How many raw bytes are kept; the segment's bytes behind them were zeros.
    pub(super) raw_length: u64,
}

/// An open compressed segment.
#[derive(Debug)]
pub(super) struct Packed {
    file: Arc<dyn DiskFile>,
    head: PackedHeader,
    /// For each block, the offset in the file where it ends, and the checksum of its compressed
    /// bytes.
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

    /// Reads and checks the head of a file.
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
    /// Opens a compressed segment: reads and checks its head and its foot.
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

    /// Reads raw bytes from an offset on, whose blocks `block` returns; fewer than wanted at the end,
    /// or before a block that cannot be read.
    pub(super) fn read<Block: Borrow<Vec<u8>>>(
        &self,
        into: &mut [u8],
        offset: u64,
        block: impl Fn(usize) -> io::Result<Block>,
    ) -> io::Result<usize> {
        let mut offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let mut done = 0;
        while done < into.len() && (offset as u64) < self.head.raw_length {
            let index = offset / BLOCK;
            let within = offset % BLOCK;
            let block = match block(index) {
                // What lies before a damaged block can be read.
                Err(_) if done > 0 => break,
                block => block?,
            };
            let bytes = block.borrow().get(within..).unwrap_or_default();
            let taken = bytes.len().min(into.len() - done);
            into[done..done + taken].copy_from_slice(&bytes[..taken]);
            (done, offset) = (done + taken, offset + taken);
        }
        Ok(done)
    }

    /// Decompresses a block; empty if there is no such block.
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

    /// Whether the segment holds exactly these raw bytes.
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

    /// Decompresses the whole segment.
    pub(super) fn unpack(&self) -> io::Result<Vec<u8>> {
        let mut raw = Vec::with_capacity(usize::try_from(self.head.raw_length).unwrap_or(0));
        for index in 0..self.head.blocks() {
            raw.extend_from_slice(&self.block(index)?);
        }
        Ok(raw)
    }
}

thread_local! {
    /// One decompressor per reading thread: making one takes as long as decompressing a block.
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
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} differs from the written data"))
}
