/** Why something failed, for the person who reads it. */
export const reasonOf = (/** @type {unknown} */ error) =>
  error instanceof Error ? error.message : String(error);
