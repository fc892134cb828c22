/**
 * Uploads a large file, and resumes where the connection broke.
 *
 * Owns when an upload is retried. The server keeps the bytes received so far for a day; only the server knows
 * how many they are.
 */

const WAIT_FIRST_MS = 500;
const WAIT_MOST_MS = 15_000;
/** The upload fails after this many tries in a row that brought no further byte to the server. */
const TRIES = 40;

/** @typedef {import("../sync/types.js").Attachment} Attachment */
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
      // It may have been stopped between two tries.
      signal?.throwIfAborted();
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
      // The file arrived; only the answer was lost.
      if (upload?.file) return upload.file;
      if (upload && upload.offset > offset) tries = 0;
      offset = upload?.offset ?? offset;
    }
  }
}

/**
 * Whether another try may succeed: no connection, a busy server, a timeout (408), or a wrong offset (409).
 */
const mayGoOn = (/** @type {any} */ error) => error?.passing === true || [408, 409].includes(error?.status);

const pause = (/** @type {number} */ ms) =>
  new Promise((/** @type {(value: void) => void} */ done) => setTimeout(done, ms));
