/**
 * The REST calls that find messages: by their words, and by what they have beside them.
 */

/** @typedef {import("./types.js").Message & { conversation_id: string, highlights: [number, number][] }} FoundMessage */

/** @typedef {"image" | "video" | "file" | "link"} GalleryKind */

/** As many as one looks through. */
const MOST = 20;
/** Messages on a page of the gallery; a page with fewer is the last. */
export const GALLERY_PAGE = 60;

export const searchCalls = (/** @type {{ get: (path: string) => Promise<any> }} */ { get }) => ({
  /** Newest first; empty when there are none. @returns {Promise<FoundMessage[]>} */
  async searchMessages(/** @type {string} */ words) {
    const found = await get(`/v3/search/messages?q=${encodeURIComponent(words)}&limit=${MOST}`);
    return found?.messages ?? [];
  },

  /**
   * Messages of a conversation that have this, newest first; empty when there are no more.
   * @returns {Promise<import("./types.js").Message[]>}
   */
  async gallery(
    /** @type {string} */ conversation,
    /** @type {GalleryKind} */ kind,
    /** @type {string | undefined} */ before,
  ) {
    const from = before ? `&before=${encodeURIComponent(before)}` : "";
    const path = `/v3/conversations/${encodeURIComponent(conversation)}/gallery`;
    return (await get(`${path}?has=${kind}&limit=${GALLERY_PAGE}${from}`))?.messages ?? [];
  },
});
