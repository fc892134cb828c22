/** What makes a touch a long press, the same everywhere. */

/** How long the finger rests, in milliseconds, and how far it may move meanwhile, in pixels. */
export const HOLD_MS = 450;
export const REST_PX = 10;
