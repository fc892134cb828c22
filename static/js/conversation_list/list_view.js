/**
 * The conversations that the list shows, in their order: pinned ones first, those of the chosen folder only.
 *
 * Pure.
 */

import { listed } from "../sync/store.js";
import { withTopics } from "../topics/topics.js";
import { arranged, folderNamed, inFolder, listOf } from "./conversation_list.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** `chosen` is the name of the folder; all conversations are shown if there is none of this name. */
export function listView(
  /** @type {import("../sync/types.js").Snapshot} */ snapshot,
  /** @type {string} */ chosen,
) {
  const list = listOf(snapshot);
  const all = arranged(listed(snapshot), list);
  const folder = folderNamed(list, chosen);
  return {
    list,
    all,
    folder,
    shown: folder ? inFolder(all, folder) : all,
    /** These conversations, each group followed by its topics. */
    withTopics: (/** @type {readonly Conversation[]} */ some) => withTopics(snapshot, some),
  };
}

/** @typedef {ReturnType<typeof listView>} ListView */
