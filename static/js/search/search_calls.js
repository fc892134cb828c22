/** The REST calls that find messages: by words, and by what is attached or linked. */

/** @typedef {import("../sync/types.js").Message & { conversation_id: string, highlights: [number, number][] }} FoundMessage */

/** @typedef {"image" | "video" | "file" | "link"} GalleryKind */

/** How many results a search asks for. */
const MOST = 20;
/** Messages on a page of the gallery; a page with fewer is the last. */
export const GALLERY_PAGE = 60;

export const searchCalls = (/** @type {{ get: (path: string) => Promise<any> }} */ { get }) => ({
  /** The newest matches, newest first; empty when there are none. @returns {Promise<FoundMessage[]>} */
  async searchMessages(/** @type {string} */ words) {
    const found = await get(`/v3/search/messages?q=${encodeURIComponent(words)}&limit=${MOST}`);
    return found?.messages ?? [];
  },

  /**
   * One page of a conversation's messages with such content, newest first; empty when there are no more.
   * @returns {Promise<import("../sync/types.js").Message[]>}
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
