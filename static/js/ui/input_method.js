/** How people type: input methods for Japanese, Chinese and other languages, and keyboards on the screen. */

/**
 * Whether a key belongs to an input method that composes characters: Enter then only accepts them, and the
 * arrows and Escape choose and discard them. Safari ends the composition before it reports the Enter that
 * accepts it; only the key code 229 tells that key apart.
 */
export const composes = (/** @type {KeyboardEvent} */ event) => event.isComposing || event.keyCode === 229;

/** Whether a field may get the focus at once; on a phone, the on-screen keyboard would cover half the page. */
export const canType = () => matchMedia("(hover: hover) and (pointer: fine)").matches;
