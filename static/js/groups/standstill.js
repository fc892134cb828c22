/** Groups at a standstill: archived by their owner, or frozen by operators. */

/** @typedef {import("../sync/types.js").Group} Group */

/** Whether the owner has archived the group: everybody can read it, and nobody changes anything in it. */
export const isArchived = (/** @type {Group | null | undefined} */ group) => Boolean(group?.archived_at);

/** Whether a group is archived or frozen. */
export const isReadOnly = (/** @type {Group | null | undefined} */ group) =>
  isArchived(group) || Boolean(group?.frozen);
