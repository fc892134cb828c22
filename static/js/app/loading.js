/**
 * Parts of the client that are loaded when they are first used, by `import("./part.js")`, and what happens
 * when loading fails.
 */

/** The event that tells the page that a part could not be loaded. */
export const NOT_LOADED = "coterie-not-loaded";

/**
 * Loads a part; if that fails, dispatches `NOT_LOADED` and returns null.
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
