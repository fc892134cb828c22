/**
 * QR codes (ISO/IEC 18004) for addresses: byte mode, error correction level M, versions 1 to 10.
 *
 * Pure: text to modules (the squares of a code). The views draw them.
 */

/** By version, at level M: the error correction bytes per block, and the data bytes of each block. */
const BLOCKS = [
  { check: 10, data: [16] },
  { check: 16, data: [28] },
  { check: 26, data: [44] },
  { check: 18, data: [32, 32] },
  { check: 24, data: [43, 43] },
  { check: 16, data: [27, 27, 27, 27] },
  { check: 18, data: [31, 31, 31, 31] },
  { check: 22, data: [38, 38, 39, 39] },
  { check: 22, data: [36, 36, 36, 37, 37] },
  { check: 26, data: [43, 43, 43, 43, 44] },
];

/** By version: the coordinates of the centres of the alignment patterns. */
const MARKS = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];

/** The format's number for level M. */
const LEVEL = 0;
const BYTES_MODE = 4;
/** The bytes that pad the data, in turn. */
const FILLING = [0xec, 0x11];

/** By mask: which modules it inverts. @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((one, other) => one + other, 0);

/** Multiplies in the Galois field GF(256) of QR codes. */
function times(/** @type {number} */ one, /** @type {number} */ other) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((other >>> bit) & 1) * one;
  }
  return product;
}

/** The Reed-Solomon generator polynomial for this many error correction bytes. */
function divisorOf(/** @type {number} */ degree) {
  const divisor = [...Array(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) divisor[at] = times(divisor[at], root) ^ (divisor[at + 1] ?? 0);
    root = times(root, 2);
  }
  return divisor;
}

function checkOf(/** @type {number[]} */ data, /** @type {number[]} */ divisor) {
  const rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [at, by] of divisor.entries()) rest[at] ^= times(by, factor);
  }
  return rest;
}

/** The data and error correction bytes of a code, interleaved in the order in which they are drawn. */
function codeOf(/** @type {Uint8Array} */ bytes, /** @type {number} */ version) {
  const { check, data } = BLOCKS[version - 1];
  const room = sum(data) * 8;
  /** @type {number[]} */
  const bits = [];
  const put = (/** @type {number} */ value, /** @type {number} */ length) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  put(BYTES_MODE, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, room - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let at = 0; bits.length < room; at += 1) put(FILLING[at % 2], 8);
  const whole = Array.from({ length: room / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
  const starts = data.map((_, at) => sum(data.slice(0, at)));
  const blocks = data.map((length, at) => whole.slice(starts[at], starts[at] + length));
  const divisor = divisorOf(check);
  const checks = blocks.map((block) => checkOf(block, divisor));
  const mixed = (/** @type {number[][]} */ rows) =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, at) =>
      rows.flatMap((row) => (at < row.length ? [row[at]] : [])),
    ).flat();
  return [...mixed(blocks), ...mixed(checks)];
}

/**
 * The finder, timing and alignment patterns of a version: true where dark, false where light, null elsewhere.
 */
function frame(/** @type {number} */ version) {
  const size = version * 4 + 17;
  /** @type {(boolean | null)[][]} */
  const squares = Array.from({ length: size }, () => Array(size).fill(null));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dark) => {
    if (x >= 0 && y >= 0 && x < size && y < size) squares[y][x] = dark;
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const ring = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ reach) => {
    for (let dy = -reach; dy <= reach; dy += 1) {
      for (let dx = -reach; dx <= reach; dx += 1) {
        const far = Math.max(Math.abs(dx), Math.abs(dy));
        set(x + dx, y + dy, reach === 4 ? far !== 2 && far !== 4 : far !== 1);
      }
    }
  };
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ])
    ring(x, y, 4);
  const middles = MARKS[version - 1];
  const last = middles.length - 1;
  for (const [i, x] of middles.entries()) {
    for (const [j, y] of middles.entries()) {
      const isCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isCorner) ring(x, y, 2);
    }
  }
  return { squares, set, size };
}

/**
 * Sets the format information (level and mask) and, from version 7 on, the version information, each twice.
 */
function label(/** @type {ReturnType<typeof frame>} */ { set, size }, version = 1, mask = 0) {
  const told = (LEVEL << 3) | mask;
  let rest = told;
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const format = ((told << 10) | rest) ^ 0x5412;
  const bit = (/** @type {number} */ of, /** @type {number} */ at) => ((of >>> at) & 1) === 1;
  for (let at = 0; at < 15; at += 1) {
    if (at < 6) set(8, at, bit(format, at));
    else if (at < 8) set(8, at + 1, bit(format, at));
    else if (at === 8) set(7, 8, bit(format, at));
    else set(14 - at, 8, bit(format, at));
    if (at < 8) set(size - 1 - at, 8, bit(format, at));
    else set(8, size - 15 + at, bit(format, at));
  }
  set(8, size - 8, true);
  if (version < 7) return;
  rest = version;
  for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const number = (version << 12) | rest;
  for (let at = 0; at < 18; at += 1) {
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(far, near, bit(number, at));
    set(near, far, bit(number, at));
  }
}

/** Places the data in columns two modules wide, upwards and downwards in turn, starting at the right. */
function fill(/** @type {(boolean | null)[][]} */ free, /** @type {number[]} */ code, mask = 0) {
  const size = free.length;
  const squares = free.map((row) => row.map(Boolean));
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (free[y][x] !== null) continue;
        const dark = at < code.length * 8 && ((code[at >>> 3] >>> (7 - (at & 7))) & 1) === 1;
        squares[y][x] = dark !== MASKS[mask](x, y);
        at += 1;
      }
    }
  }
  return squares;
}

/**
 * The penalty of a mask: for runs, 2×2 blocks, sequences like a finder pattern, and an imbalance of dark and
 * light.
 */
function penalty(/** @type {boolean[][]} */ squares) {
  const size = squares.length;
  const columns = squares.map((_, x) => squares.map((row) => row[x]));
  let points = 0;
  for (const line of [...squares, ...columns]) {
    const text = line.map((dark) => (dark ? "1" : "0")).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2;
    for (const corner of ["10111010000", "00001011101"])
      for (let from = text.indexOf(corner); from >= 0; from = text.indexOf(corner, from + 1)) points += 40;
  }
  for (let y = 1; y < size; y += 1) {
    for (let x = 1; x < size; x += 1) {
      const one = squares[y][x];
      if (one === squares[y - 1][x] && one === squares[y][x - 1] && one === squares[y - 1][x - 1])
        points += 3;
    }
  }
  const dark = squares.flat().filter(Boolean).length / size ** 2;
  return points + Math.floor(Math.abs(dark * 20 - 10)) * 10;
}

/**
 * The modules of a code, row by row, true where dark; null if the text is too long.
 * @returns {boolean[][] | null}
 */
export function qrCode(/** @type {string} */ text) {
  const bytes = new TextEncoder().encode(text);
  // Beside the data: 4 bits for the mode, and the length in 8 bits, or 16 from version 10 on.
  const version = BLOCKS.findIndex(({ data }, at) => bytes.length + (at < 9 ? 2 : 3) <= sum(data)) + 1;
  if (version === 0) return null;
  const code = codeOf(bytes, version);
  const drawn = MASKS.map((_, mask) => {
    const base = frame(version);
    label(base, version, mask);
    return fill(base.squares, code, mask);
  });
  const points = drawn.map(penalty);
  return drawn[points.indexOf(Math.min(...points))];
}
