/**
 * What I can do about the topics of a group. Changes come back as events too; they are shown with the answer, so that
 * a new topic can be opened at once.
 */

import { homeId, withoutTopic, withTopic, withTopicMute } from "./topics.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Topic} Topic */
/** @typedef {import("../groups/group_calls.js").TopicChanges} TopicChanges */

/**
 * @param {{ api: import("../sync/api.js").Api, state: import("../sync/state.js").StateHolder }} parts
 */
export function createTopicActs({ api, state }) {
  function shows(/** @type {Topic} */ topic) {
    state.update((snapshot) => withTopic(snapshot, topic));
    return topic;
  }

  return {
    make: async (/** @type {Group} */ group, /** @type {TopicChanges} */ facts) =>
      shows(await api.makeTopic(homeId(group), facts)),
    /** Changes a topic, which `group` shows. */
    change: async (/** @type {Group} */ group, /** @type {Partial<TopicChanges>} */ changes) =>
      shows(await api.changeTopic(homeId(group), group.id, changes)),
    /** Uploads a picture for a topic. */
    async setPicture(/** @type {Group} */ group, /** @type {Blob} */ file) {
      shows(await api.changeTopic(homeId(group), group.id, { avatar_url: await api.uploadPicture(file) }));
    },
    async remove(/** @type {Group} */ group) {
      await api.removeTopic(homeId(group), group.id);
      state.update((snapshot) => withoutTopic(snapshot, { id: Number(group.id) }));
    },
    /** Mutes a topic for some minutes, without end for null; "over" ends that. */
    async mute(/** @type {Group} */ group, /** @type {number | null | "over"} */ duration) {
      const id = homeId(group);
      if (duration === "over") await api.unmuteTopic(id, group.id);
      const { muted_until: until } =
        duration === "over" ? { muted_until: null } : await api.muteTopic(id, group.id, duration);
      state.update((snapshot) => withTopicMute(snapshot, { conversation_id: group.id, muted_until: until }));
    },
  };
}
