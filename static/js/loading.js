/**
 * Parts of the client that come when they are used: `import("./part.js")`, and what happens
 * when one does not come.
 */

/** What tells the page that a part did not come. */
export const NOT_LOADED = "coterie-not-loaded";

/**
 * A part, or null when it does not come, which is said then.
 * @template Part
 * @param {() => Promise<Part>} load
 * @returns {Promise<Part | null>}
 */
export async function arrived(load) {
  try {
    return await load();
  } catch {
    dispatchEvent(new Event(NOT_LOADED));
    return null;
  }
}
