/**
 * How the user's list of conversations is arranged, the same on all devices: which are pinned at its top, and the
 * folders.
 *
 * Pure. Owns the changes of both. Each change gives the same if it is applied twice, so it can be shown before the
 * server confirms it. Ids of conversations that the client does not know stay in the lists.
 */

import { convWithId } from "../chats/chats.js";
import { isUnread } from "../sync/log.js";
import { countChars } from "../text/text.js";
import { withMoved } from "../ui/list_order.js";
import { t } from "../words/words.js";

/** The longest name of a folder, in characters, and the most folders. */
export const MOST_NAME = 30;
const MOST_FOLDERS = 20;

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {{ name: string, conversation_ids: readonly string[] }} Folder */
/** @typedef {{ pinned_conversation_ids: readonly string[], folders: readonly Folder[] }} ConversationList */
/** @typedef {(list: ConversationList) => ConversationList} ListChange */

/** @type {ConversationList} */
export const NOTHING_ARRANGED = { pinned_conversation_ids: [], folders: [] };

/** The id of a conversation on the wire. */
const idOf = (/** @type {string} */ conv) => conv.slice(2);

/**
 * The result of the last call of `listOf`, and what it was made from.
 * @type {{ of: ConversationList, changes: readonly ListChange[], list: ConversationList }}
 */
let last = { of: NOTHING_ARRANGED, changes: [], list: NOTHING_ARRANGED };

/** How the list is arranged, with the changes that the server has not confirmed. */
export function listOf(
  /** @type {Snapshot} */ { conversationList: of = NOTHING_ARRANGED, listChanges = [] },
) {
  if (listChanges.length === 0) return of;
  if (last.of !== of || last.changes !== listChanges)
    last = { of, changes: listChanges, list: listChanges.reduce((list, change) => change(list), of) };
  return last.list;
}

/** The parts of a list that a change replaces; null if it changes nothing. */
export function changedParts(/** @type {ConversationList} */ before, /** @type {ConversationList} */ after) {
  const { pinned_conversation_ids: pins, folders } = after;
  const parts = {
    ...(pins !== before.pinned_conversation_ids && { pinned_conversation_ids: pins }),
    ...(folders !== before.folders && { folders }),
  };
  return Object.keys(parts).length > 0 ? parts : null;
}

/* Pins. */

/** The place of a conversation among the pinned ones, from 1 on; 0 if it is not pinned. */
export const pinOf = (
  /** @type {ConversationList} */ { pinned_conversation_ids: pins },
  /** @type {string} */ conv,
) => pins.indexOf(idOf(conv)) + 1;

/** Pins a conversation after the others, or unpins it. @returns {ListChange} */
export const withPin = (/** @type {string} */ conv, /** @type {boolean} */ on) => (list) => {
  const pins = withOne(list.pinned_conversation_ids, idOf(conv), on);
  return pins === list.pinned_conversation_ids ? list : { ...list, pinned_conversation_ids: pins };
};

/** Moves a pinned conversation before another one (`by` is -1), or after it (1). @returns {ListChange} */
export const withPinMoved =
  (/** @type {string} */ conv, /** @type {-1 | 1} */ by, /** @type {string} */ other) => (list) => {
    const pins = list.pinned_conversation_ids;
    const moved = movedBeyond(pins, pins.indexOf(idOf(conv)), pins.indexOf(idOf(other)), by);
    return moved === pins ? list : { ...list, pinned_conversation_ids: moved };
  };

/** The pinned conversation that is shown before this one (`by` is -1) or after it (1); undefined if there is none. */
export function pinBeside(
  /** @type {readonly Conversation[]} */ conversations,
  /** @type {ConversationList} */ list,
  /** @type {string} */ conv,
  /** @type {-1 | 1} */ by,
) {
  const shown = pinnedAmong(conversations, list);
  const at = shown.findIndex((one) => one.conv === conv);
  return at < 0 ? undefined : shown[at + by];
}

/** The pinned ones of these conversations, in the order of their pins. */
function pinnedAmong(
  /** @type {readonly Conversation[]} */ conversations,
  /** @type {ConversationList} */ { pinned_conversation_ids: pins },
) {
  const places = new Map(pins.map((id, at) => [convWithId(id), at]));
  const placeOf = (/** @type {Conversation} */ { conv }) => places.get(conv) ?? -1;
  return conversations.filter((one) => placeOf(one) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * These conversations with the pinned ones first.
 * @returns {readonly Conversation[]}
 */
export function arranged(
  /** @type {readonly Conversation[]} */ conversations,
  /** @type {ConversationList} */ list,
) {
  if (list.pinned_conversation_ids.length === 0) return conversations;
  const pinned = pinnedAmong(conversations, list);
  const isFirst = new Set(pinned);
  return [...pinned, ...conversations.filter((one) => !isFirst.has(one))];
}

/* Folders. */

/** The folder of this name; undefined if there is none. */
export const folderNamed = (/** @type {ConversationList} */ { folders }, /** @type {string} */ name) =>
  folders.find((folder) => folder.name === name);

/** The conversations that are in a folder, in the order given. */
export function inFolder(
  /** @type {readonly Conversation[]} */ conversations,
  /** @type {Folder} */ { conversation_ids: ids },
) {
  const convs = new Set(ids.map(convWithId));
  return conversations.filter(({ conv }) => convs.has(conv));
}

export const isInFolder = (/** @type {Folder} */ { conversation_ids: ids }, /** @type {string} */ conv) =>
  ids.includes(idOf(conv));

/** How many of these conversations are unread, other than the open one. */
export const unreadAmong = (
  /** @type {readonly Conversation[]} */ conversations,
  /** @type {string | null} */ open,
) => conversations.filter((one) => isUnread(one) && one.conv !== open).length;

/** Adds an empty folder after the others, unless there is one of this name. @returns {ListChange} */
export const withFolder = (/** @type {string} */ name) => (list) =>
  folderNamed(list, name) ? list : { ...list, folders: [...list.folders, { name, conversation_ids: [] }] };

/** Removes a folder; its conversations stay. @returns {ListChange} */
export const withoutFolder = (/** @type {string} */ name) => (list) =>
  folderNamed(list, name)
    ? { ...list, folders: list.folders.filter((folder) => folder.name !== name) }
    : list;

/** Renames a folder. @returns {ListChange} */
export const withFolderRenamed = (/** @type {string} */ name, /** @type {string} */ to) =>
  withFolderChanged(name, (folder) => (name === to ? folder : { ...folder, name: to }));

/** Puts a conversation into a folder, or takes it out. @returns {ListChange} */
export const withMembership = (
  /** @type {string} */ name,
  /** @type {string} */ conv,
  /** @type {boolean} */ on,
) =>
  withFolderChanged(name, (folder) => {
    const ids = withOne(folder.conversation_ids, idOf(conv), on);
    return ids === folder.conversation_ids ? folder : { ...folder, conversation_ids: ids };
  });

/** Moves a folder before another one (`by` is -1), or after it (1). @returns {ListChange} */
export const withFolderMoved =
  (/** @type {string} */ name, /** @type {-1 | 1} */ by, /** @type {string} */ other) => (list) => {
    const at = (/** @type {string} */ one) => list.folders.findIndex((folder) => folder.name === one);
    const folders = movedBeyond(list.folders, at(name), at(other), by);
    return folders === list.folders ? list : { ...list, folders };
  };

/** What is wrong with the name of a folder that is called `own` so far; "" if nothing is. */
export function nameProblem(
  /** @type {string} */ name,
  /** @type {ConversationList} */ { folders },
  /** @type {string} */ own = "",
) {
  const others = folders.filter((folder) => folder.name !== own);
  if (name === "") return t("Enter a name.");
  if (countChars(name) > MOST_NAME) return t("At most {MOST} characters.", { MOST: MOST_NAME });
  if (others.some((folder) => folder.name.toLowerCase() === name.toLowerCase()))
    return t("There is a folder with this name already.");
  if (others.length >= MOST_FOLDERS) return t("There can be at most {MOST} folders.", { MOST: MOST_FOLDERS });
  return "";
}

/** @returns {ListChange} */
const withFolderChanged =
  (/** @type {string} */ name, /** @type {(folder: Folder) => Folder} */ change) => (list) => {
    const before = folderNamed(list, name);
    if (!before) return list;
    const after = change(before);
    if (after === before) return list;
    return { ...list, folders: list.folders.map((folder) => (folder === before ? after : folder)) };
  };

/** The list with this id at its end, or without it; the same list if that changes nothing. */
function withOne(/** @type {readonly string[]} */ ids, /** @type {string} */ id, /** @type {boolean} */ on) {
  if (ids.includes(id) === on) return ids;
  return on ? [...ids, id] : ids.filter((other) => other !== id);
}

/**
 * The list with one entry moved to the other side of another one; the same list if it is there.
 * @template Item
 * @param {readonly Item[]} list
 */
function movedBeyond(list, /** @type {number} */ from, /** @type {number} */ to, /** @type {-1 | 1} */ by) {
  const isBeyond = from < 0 || to < 0 || (by < 0 ? from < to : from > to);
  return isBeyond ? list : withMoved([...list], from, to);
}
