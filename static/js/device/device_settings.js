/** Settings that a browser keeps for this device, in localStorage. */

/**
 * @template {object} Settings
 * @param {string} key that of localStorage
 * @param {Settings} usual what holds where nothing was chosen
 * @param {() => Pick<Storage, "getItem" | "setItem">} storage called each time: a browser that refuses storage throws
 */
export function deviceSettings(key, usual, storage = () => localStorage) {
  /** @returns {Settings} */
  function get() {
    try {
      return { ...usual, ...JSON.parse(storage().getItem(key) ?? "{}") };
    } catch {
      return usual;
    }
  }

  return {
    get,
    /** Changes settings, in the other tabs too. */
    change(/** @type {Partial<Settings>} */ changes) {
      try {
        storage().setItem(key, JSON.stringify({ ...get(), ...changes }));
      } catch {
        // The browser refuses storage, so the settings do not change.
      }
    },
  };
}
