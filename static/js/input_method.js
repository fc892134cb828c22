/** Input methods, with which people write Japanese, Chinese and other languages. */

/**
 * Whether a key belongs to an input method that composes characters: Enter then only accepts them, and the
 * arrows and Escape choose and discard them. Safari ends the composition before it reports the Enter that
 * accepts it; only the key code 229 tells that key apart.
 */
export const composes = (/** @type {KeyboardEvent} */ event) => event.isComposing || event.keyCode === 229;
