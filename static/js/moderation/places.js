/** The places whose messages are moderated in the details of a group: the group itself, and its topics. Pure. */

import { may } from "../groups/permissions.js";
import { convOfGroup } from "../sync/store.js";
import { topicsOf } from "../topics/topics.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */

/** @type {readonly Group[]} */
const NONE = [];

/** The topics of a group in which I decide about messages; none for a topic. @returns {readonly Group[]} */
export function moderatedTopics(/** @type {Snapshot} */ snapshot, /** @type {Group} */ group) {
  if (group.parent || !may(group, snapshot.user.id, "decide_reports")) return NONE;
  return topicsOf(snapshot, convOfGroup(group.id)).map((topic) => topic.group);
}

/** A group, followed by its topics for those who decide there; otherwise alone. @returns {readonly Group[]} */
export const moderatedPlaces = (/** @type {Snapshot} */ snapshot, /** @type {Group} */ group) => [
  group,
  ...moderatedTopics(snapshot, group),
];

/** The topic of an entry in the details of a group; null in those of the topic itself. */
export const topicNameIn = (/** @type {Group | null} */ shown, /** @type {Group} */ place) =>
  shown && place.id !== shown.id ? place.name : null;
