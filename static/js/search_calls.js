/**
 * The REST call that finds messages by their words.
 */

/** @typedef {import("./types.js").Message & { conversation_id: string, highlights: [number, number][] }} FoundMessage */

/** As many as one looks through. */
const MOST = 20;

export const searchCalls = (/** @type {{ get: (path: string) => Promise<any> }} */ { get }) => ({
  /** Newest first; empty when there are none. @returns {Promise<FoundMessage[]>} */
  async searchMessages(/** @type {string} */ words) {
    const found = await get(`/v3/search/messages?q=${encodeURIComponent(words)}&limit=${MOST}`);
    return found?.messages ?? [];
  },
});
