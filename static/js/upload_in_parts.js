/**
 * A large file on its way to the server, gone on with where the line was cut.
 *
 * Owns when it is tried again. What came so far stays at the server for a day; how much that
 * is, only the server knows.
 */

/** From here on a file goes in parts; a smaller one is sooner sent again than asked about. */
export const IN_PARTS_FROM = 1 << 20;
const WAIT_FIRST_MS = 500;
const WAIT_MOST_MS = 15_000;
/** Without one more byte for so many tries, it is given up. */
const TRIES = 40;

/** @typedef {import("./types.js").Attachment} Attachment */
/** @typedef {{ upload_id: string, offset: number, file: Attachment | null }} Upload */
/** @typedef {import("./send_file.js").Way} Way */

/**
 * @typedef {object} Calls
 * @property {(length: number) => Promise<Upload>} begin
 * @property {(id: string) => Promise<Upload>} look
 * @property {(id: string, offset: number, rest: Blob, way: Way) => Promise<Upload>} add
 * @property {(id: string) => Promise<unknown>} end
 */

/**
 * @param {Calls} calls
 * @param {Blob} file
 * @param {Way} way
 * @param {(ms: number) => Promise<void>} [rest]
 * @returns {Promise<Attachment>} the file as a message carries it
 */
export async function uploadInParts(calls, file, { onProgress, signal }, rest = pause) {
  const { upload_id: id } = await calls.begin(file.size);
  let offset = 0;
  let tries = 0;
  for (;;) {
    try {
      const from = offset;
      const part = (/** @type {number} */ of) => onProgress?.((from + of * (file.size - from)) / file.size);
      const upload = await calls.add(id, from, file.slice(from), { onProgress: part, signal });
      if (upload.file) return upload.file;
      offset = upload.offset;
    } catch (error) {
      if (signal?.aborted) {
        calls.end(id).catch(() => {});
        throw error;
      }
      tries += 1;
      if (!mayGoOn(error) || tries > TRIES) throw error;
      await rest(Math.min(WAIT_FIRST_MS * 2 ** (tries - 1), WAIT_MOST_MS));
      const upload = await calls.look(id).catch((why) => {
        if (!mayGoOn(why)) throw why;
      });
      // The answer was lost, not the file.
      if (upload?.file) return upload.file;
      if (upload && upload.offset > offset) tries = 0;
      offset = upload?.offset ?? offset;
    }
  }
}

/** Another try may do better: no line, a busy server, or other bytes are wanted. */
const mayGoOn = (/** @type {any} */ error) => error?.passing === true || [408, 409].includes(error?.status);

const pause = (/** @type {number} */ ms) =>
  new Promise((/** @type {(value: void) => void} */ done) => setTimeout(done, ms));
