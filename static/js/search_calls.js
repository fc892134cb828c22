/** The REST calls that find messages: by words, and by what is attached or linked. */

/** @typedef {import("./types.js").Message & { conversation_id: string, highlights: [number, number][] }} FoundMessage */

/** @typedef {"image" | "video" | "file" | "link"} GalleryKind */

/**
 * @typedef {object} Search what a search looks for; empty texts look for everything
 * @property {string} words
 * @property {string} conv
 * @property {string} sender the id of a user
 * @property {GalleryKind | ""} has
 * @property {number | null} from the first second of the messages; null for all
 * @property {number | null} to the last second
 */

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
   * One page of the messages that a search finds, newest first, and how many there are on all pages (`isMore` if
   * the server stopped counting).
   * @param {Search} search
   * @param {string} [before] the id of the last message of the page before
   * @returns {Promise<{ messages: FoundMessage[], count: number, isMore: boolean }>}
   */
  async findMessages({ words, conv, sender, has, from, to }, before) {
    const asked = new URLSearchParams({ limit: String(MOST) });
    const facts = {
      q: words,
      conversation_id: conv.slice(2),
      user_id: sender,
      has,
      from,
      to,
      before_id: before,
    };
    for (const [name, fact] of Object.entries(facts)) if (fact) asked.set(name, String(fact));
    const found = await get(`/v3/search/messages?${asked}`);
    if (!found) return { messages: [], count: 0, isMore: false };
    return { messages: found.messages, count: found.count, isMore: found.count_at_least !== undefined };
  },

  /**
   * One page of a conversation's messages with such content, newest first; empty when there are no more.
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
