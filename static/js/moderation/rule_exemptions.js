/** What a rule of a group spares. Pure. */

/** @typedef {{ bots: boolean, topics?: string[] }} Exempt as the server has it: the topics by id, absent if there are none */
/** @typedef {{ id: string, name: string }} NamedTopic */

/** @returns {Exempt} */
export const exemptOf = (/** @type {boolean} */ bots, /** @type {string[]} */ topics) => ({
  bots,
  ...(topics.length > 0 && { topics }),
});

/**
 * The ids of the topics that a rule spares after some of the offered ones were chosen. Those that are not offered, since
 * they were removed or are not loaded, stay.
 */
export const sparedTopics = (
  /** @type {readonly string[] | undefined} */ before,
  /** @type {readonly NamedTopic[]} */ offered,
  /** @type {readonly string[]} */ chosen,
) => [...(before ?? []).filter((id) => !offered.some((one) => one.id === id)), ...chosen];

/** The names of the topics that a rule spares, as far as they are known. */
export const sparedNames = (
  /** @type {{ exempt: Exempt }} */ { exempt },
  /** @type {readonly NamedTopic[]} */ topics,
) => topics.filter(({ id }) => exempt.topics?.includes(id)).map(({ name }) => name);
