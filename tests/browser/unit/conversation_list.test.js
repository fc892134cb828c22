/** Pins and folders: their changes, their order, and what the list shows of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  arranged,
  changedParts,
  inFolder,
  isInFolder,
  listOf,
  nameProblem,
  pinBeside,
  pinOf,
  unreadAmong,
  withFolder,
  withFolderMoved,
  withFolderRenamed,
  withMembership,
  withoutFolder,
  withPin,
  withPinMoved,
} from "../../../static/js/conversation_list/conversation_list.js";
import { createConversationListActs } from "../../../static/js/conversation_list/conversation_list_acts.js";
import { listView } from "../../../static/js/conversation_list/list_view.js";
import { kept, snapshotOf } from "../../../static/js/device/device_copy.js";
import { createState } from "../../../static/js/sync/state.js";
import { applyEvent, fromSync } from "../../../static/js/sync/store.js";

/** @typedef {import("../../../static/js/conversation_list/conversation_list.js").ConversationList} ConversationList */
/** @typedef {import("../../../static/js/conversation_list/conversation_list.js").ListChange} ListChange */

const ANA = { id: "10", name: "Ana" };

const list = (/** @type {string[]} */ pins, /** @type {Record<string, string[]>} */ folders = {}) => ({
  pinned_conversation_ids: pins,
  folders: Object.entries(folders).map(([name, ids]) => ({ name, conversation_ids: ids })),
});

/** A snapshot with these groups, of which each was created before the next; so the last one stands first. */
const withGroups = (/** @type {string[]} */ ...ids) =>
  fromSync({
    c: "c",
    user: ANA,
    groups: ids.map((id, at) => ({
      group: { id, name: `Group ${id}`, creator_user_id: "10", created_at: 1_600_000_000 + at, members: [] },
      messages: [],
      n: 1,
      read_n: 1,
      unread: 0,
    })),
  });

const convs = (/** @type {readonly { conv: string }[]} */ conversations) =>
  conversations.map(({ conv }) => conv);
const namesOf = (/** @type {ConversationList} */ { folders }) => folders.map(({ name }) => name);

test("a conversation is pinned last, and unpinned", () => {
  const pinned = withPin("d:3+7", true)(list(["12"]));
  assert.deepEqual(pinned.pinned_conversation_ids, ["12", "3+7"]);
  assert.deepEqual([pinOf(pinned, "g:12"), pinOf(pinned, "d:3+7"), pinOf(pinned, "g:9")], [1, 2, 0]);
  assert.deepEqual(withPin("g:12", false)(pinned).pinned_conversation_ids, ["3+7"]);
});

/** @type {[string, ListChange][]} */
const CHANGES = [
  ["pin", withPin("g:9", true)],
  ["unpin", withPin("g:1", false)],
  ["move a pin up", withPinMoved("g:2", -1, "g:1")],
  ["move a pin down", withPinMoved("g:1", 1, "g:2")],
  ["make a folder", withFolder("Home")],
  ["rename a folder", withFolderRenamed("Work", "Office")],
  ["move a folder up", withFolderMoved("Play", -1, "Work")],
  ["move a folder down", withFolderMoved("Work", 1, "Play")],
  ["put into a folder", withMembership("Work", "g:9", true)],
  ["take out of a folder", withMembership("Work", "g:1", false)],
  ["delete a folder", withoutFolder("Work")],
];

for (const [name, change] of CHANGES) {
  test(`a repeated change has no further effect: ${name}`, () => {
    const before = list(["1", "2", "3"], { Work: ["1"], Play: [] });
    const once = change(before);
    assert.notDeepEqual(once, before);
    assert.equal(change(once), once);
    assert.equal(changedParts(once, change(once)), null);
  });
}

test("only the changed part is sent", () => {
  const before = list(["1"], { Work: [] });
  assert.deepEqual(changedParts(before, withPin("g:2", true)(before)), {
    pinned_conversation_ids: ["1", "2"],
  });
  const made = withFolder("Play")(before);
  assert.deepEqual(changedParts(before, made), { folders: made.folders });
});

test("pins stand first in their order, the rest by activity", () => {
  const snapshot = { ...withGroups("1", "2", "3", "4"), conversationList: list(["2", "77", "1"]) };
  assert.deepEqual(convs(listView(snapshot, "").shown), ["g:2", "g:1", "g:4", "g:3"]);
  assert.deepEqual(convs(arranged(listView(snapshot, "").all, list([]))), ["g:2", "g:1", "g:4", "g:3"]);
});

test("a move passes pins that are not shown, which stay", () => {
  const snapshot = { ...withGroups("1", "2"), conversationList: list(["2", "77", "1"]) };
  const { all, list: now } = listView(snapshot, "");
  assert.equal(pinBeside(all, now, "g:1", -1)?.conv, "g:2");
  assert.equal(pinBeside(all, now, "g:1", 1), undefined);
  assert.deepEqual(withPinMoved("g:1", -1, "g:2")(now).pinned_conversation_ids, ["1", "2", "77"]);
  assert.deepEqual(withPinMoved("g:2", 1, "g:1")(now).pinned_conversation_ids, ["77", "1", "2"]);
});

test("a folder shows its conversations, pinned ones first", () => {
  const snapshot = {
    ...withGroups("1", "2", "3", "4"),
    conversationList: list(["1"], { Work: ["3", "1", "77"], Play: [] }),
  };
  assert.deepEqual(convs(listView(snapshot, "Work").shown), ["g:1", "g:3"]);
  assert.deepEqual(convs(listView(snapshot, "Play").shown), []);
  assert.equal(listView(snapshot, "Gone").shown.length, 4);
  const [work] = snapshot.conversationList.folders;
  assert.deepEqual([isInFolder(work, "g:3"), isInFolder(work, "g:4")], [true, false]);
});

test("a folder counts its unread conversations, not the open one", () => {
  const snapshot = withGroups("1", "2", "3");
  const unread = Object.values(snapshot.conversations).map((one) => ({ ...one, messageN: 5, readN: 1 }));
  const [work] = list([], { Work: ["1", "2"] }).folders;
  assert.equal(unreadAmong(inFolder(unread, work), null), 2);
  assert.equal(unreadAmong(inFolder(unread, work), "g:2"), 1);
});

test("folders keep their order and conversations when one is renamed or moved", () => {
  const before = list([], { Work: ["1"], Play: ["2"], Home: [] });
  assert.deepEqual(namesOf(withFolderMoved("Home", -1, "Play")(before)), ["Work", "Home", "Play"]);
  const renamed = withFolderRenamed("Work", "Office")(before);
  assert.deepEqual(renamed.folders[0], { name: "Office", conversation_ids: ["1"] });
  assert.equal(withFolderRenamed("Gone", "Office")(before), before);
});

test("the name of a folder is given, short and its own", () => {
  const now = list([], { Work: [], Büro: [] });
  assert.equal(nameProblem("", now), "Enter a name.");
  assert.equal(nameProblem("😀".repeat(30), now), "");
  assert.equal(nameProblem("😀".repeat(31), now), "At most 30 characters.");
  assert.equal(nameProblem("bÜRO", now), "There is a folder with this name already.");
  assert.equal(nameProblem("WORK", now, "Work"), "");
  const full = list([], Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`F${at}`, []])));
  assert.equal(nameProblem("One more", full), "There can be at most 20 folders.");
  assert.equal(nameProblem("Other", full, "F3"), "");
});

test("an event of another device arranges the list", () => {
  const data = list(["1"], { Work: ["1", "77"] });
  const event = { c: "c2", conv: "u:10", n: 1, type: "conversation_list", data };
  const after = applyEvent(withGroups("1"), event);
  assert.deepEqual(listOf(after), data);
  // A later snapshot, which does not bring it, keeps it.
  const later = fromSync({ c: "c3", user: ANA, groups: [] }, after);
  assert.deepEqual(listOf(later), data);
  assert.deepEqual(
    listOf(fromSync({ c: "c3", user: ANA, groups: [], conversation_list: list([]) }, after)),
    list([]),
  );
});

test("the device keeps the arrangement, and pinned conversations first", () => {
  const ids = Array.from({ length: 310 }, (_, at) => String(at + 1));
  const conversationList = list(["1"], { Work: ["2"] });
  const names = convs(kept({ ...withGroups(...ids), conversationList }));
  assert.deepEqual([names.length, names[0], names[1]], [300, "g:1", "g:310"]);
  const copy = snapshotOf({ mark: "m", user: ANA, blocked: [], conversationList, at: 1 }, []);
  assert.deepEqual(listOf(copy), conversationList);
});

/** A signed-in page, and a server whose answers the test gives one by one. */
function page(/** @type {ConversationList} */ there, isKnown = true) {
  const state = createState(/** @type {any} */ ({ snapshot: withGroups("1", "2", "3") }));
  /** @type {{ parts: object, answer: (list: ConversationList) => void, refuse: (why: Error) => void }[]} */
  const sent = [];
  let loads = 0;
  const acts = createConversationListActs({
    api: {
      async conversationList() {
        loads += 1;
        return there;
      },
      arrangeList: (parts) =>
        new Promise((answer, refuse) => {
          sent.push({ parts, answer, refuse });
        }),
    },
    state,
  });
  if (isKnown) acts.refresh(there);
  const snapshot = () =>
    /** @type {import("../../../static/js/sync/types.js").Snapshot} */ (state.get().snapshot);
  const pins = () => listOf(snapshot()).pinned_conversation_ids;
  return { state, acts, sent, pins, loads: () => loads };
}

const settles = () => new Promise((resolve) => setImmediate(resolve));

test("a change shows at once and stays once the server has it", async () => {
  const { acts, sent, pins } = page(list(["1"]));
  const done = acts.change(withPin("g:2", true));
  assert.deepEqual(pins(), ["1", "2"]);
  await settles();
  assert.deepEqual(sent[0].parts, { pinned_conversation_ids: ["1", "2"] });
  sent[0].answer(list(["1", "2"]));
  await done;
  assert.deepEqual(pins(), ["1", "2"]);
});

test("a refused change is taken back, and later ones stay", async () => {
  const { acts, sent, pins } = page(list(["1"]));
  const refused = acts.change(withPin("g:2", true));
  const done = acts.change(withPin("g:3", true));
  assert.deepEqual(pins(), ["1", "2", "3"]);
  await settles();
  assert.equal(sent.length, 1, "one request at a time");
  sent[0].refuse(new Error("not now"));
  await assert.rejects(refused, /not now/);
  await settles();
  assert.deepEqual(pins(), ["1", "3"]);
  assert.deepEqual(sent[1].parts, { pinned_conversation_ids: ["1", "3"] });
  sent[1].answer(list(["1", "3"]));
  await done;
  assert.deepEqual(pins(), ["1", "3"]);
});

test("an event that comes before the answer is newer than the answer", async () => {
  const { state, acts, sent, pins } = page(list([]));
  const done = acts.change(withPin("g:2", true));
  await settles();
  const event = { c: "c2", conv: "u:10", n: 1, type: "conversation_list", data: list(["2", "3"]) };
  state.update((snapshot) => applyEvent(snapshot, event));
  sent[0].answer(list(["2"]));
  await done;
  assert.deepEqual(pins(), ["2", "3"]);
});

test("a list that could not be loaded is loaded before it is changed", async () => {
  const { acts, sent, pins, loads } = page(list(["1"]), false);
  acts.change(withPin("g:2", true)).catch(() => {});
  assert.deepEqual(pins(), ["2"]);
  await settles();
  assert.equal(loads(), 1);
  assert.deepEqual(sent[0].parts, { pinned_conversation_ids: ["1", "2"] });
  acts.resume();
  assert.equal(loads(), 1);
});

test("a change is not sent for the next account", async () => {
  const { state, acts, sent } = page(list(["1"]));
  const done = acts.change(withPin("g:2", true));
  state.set({ snapshot: { ...withGroups("1"), user: { id: "11", name: "Ben" } } });
  await done;
  assert.deepEqual(sent, []);
});
