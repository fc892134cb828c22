/**
 * The conversations that the list shows, in their order: pinned ones first, those of the chosen folder only.
 *
 * Pure.
 */

import { listed } from "../sync/store.js";
import { arranged, folderNamed, inFolder, listOf } from "./conversation_list.js";

/** `chosen` is the name of the folder; all conversations are shown if there is none of this name. */
export function listView(
  /** @type {import("../sync/types.js").Snapshot} */ snapshot,
  /** @type {string} */ chosen,
) {
  const list = listOf(snapshot);
  const all = arranged(listed(snapshot), list);
  const folder = folderNamed(list, chosen);
  return { list, all, folder, shown: folder ? inFolder(all, folder) : all };
}

/** @typedef {ReturnType<typeof listView>} ListView */
