/** The REST call of the search with filters, which loads with its panel. */

/** @typedef {import("./search_calls.js").FoundMessage} FoundMessage */
/** @typedef {import("./search_calls.js").GalleryKind} GalleryKind */

/**
 * @typedef {object} Search what a search looks for; empty texts look for everything
 * @property {string} words
 * @property {string} conv
 * @property {string} sender the id of a user
 * @property {GalleryKind | ""} has
 * @property {number | null} from the first second of the messages; null for all
 * @property {number | null} to the last second
 */

/** How many results are on a page. */
const PAGE = 20;

/**
 * One page of the messages that a search finds, newest first, and how many there are on all pages (`isMore` if
 * the server stopped counting).
 * @param {{ get: (path: string) => Promise<any> }} rest
 * @param {Search} search
 * @param {string} [before] the id of the last message of the page before
 * @returns {Promise<{ messages: FoundMessage[], count: number, isMore: boolean }>}
 */
export async function findMessages({ get }, { words, conv, sender, has, from, to }, before) {
  const asked = new URLSearchParams({ limit: String(PAGE) });
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
}
