/** Copies of groups: who is copied, and how a copy comes into the state. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroupActs, membersToCopy } from "../../../static/js/groups/groups.js";
import { may } from "../../../static/js/groups/permissions.js";
import { createState } from "../../../static/js/sync/state.js";
import { fromSync } from "../../../static/js/sync/store.js";
import { topicsOf } from "../../../static/js/topics/topics.js";

/** @typedef {import("../../../static/js/sync/types.js").Group} Group */

const [ANA, BEN, GUEST] = ["10", "11", "12"];

const group = (/** @type {string} */ id, /** @type {Partial<Group>} */ facts = {}) => ({
  id,
  name: `Group ${id}`,
  creator_user_id: ANA,
  created_at: 1_600_000_000,
  members: [
    { user_id: ANA, nickname: "Ana" },
    { user_id: BEN, nickname: "Ben", roles: ["user"] },
    { user_id: GUEST, nickname: "Gus", kind: /** @type {const} */ ("guest") },
  ],
  ...facts,
});

const listedTopic = (/** @type {number} */ id, /** @type {number} */ parent) => ({
  id,
  parent_id: parent,
  topic: "Ropes",
  description: null,
  avatar_url: null,
  type: "private",
  creator_user_id: Number(ANA),
  created_at: 1_600_000_000,
  updated_at: 1_600_000_000,
  messages: { count: 0, last_message_id: null, last_message_created_at: null, preview: null },
});

/** The acts of somebody who is in group 1, with this server. */
function acting(/** @type {object} */ api) {
  const state = createState(/** @type {any} */ ({}), (run) => run());
  const synced = { group: group("1"), messages: [], n: 5, read_n: 5, unread: 0 };
  state.set({ snapshot: fromSync({ c: "c", user: { id: ANA, name: "Ana" }, groups: [synced] }) });
  return { state, acts: createGroupActs({ api: /** @type {any} */ (api), state }) };
}

test("the owner and admins copy a group", () => {
  assert.equal(may(group("1"), ANA, "copy"), true);
  assert.equal(may(group("1"), BEN, "copy"), false);
});

test("guests and the user are not among the members to copy", () => {
  assert.deepEqual(
    membersToCopy(group("1"), ANA).map(({ user_id }) => user_id),
    [BEN],
  );
  assert.deepEqual(membersToCopy(group("1", { members: null }), ANA), []);
});

test("a copy is shown with its topics", async () => {
  const choices = { name: "Group 2", settings: true, topics: true, members: false };
  /** @type {unknown[]} */
  const asked = [];
  const { state, acts } = acting({
    copyGroup: async (/** @type {unknown[]} */ ...what) => {
      asked.push(...what);
      return group("2", { members: [{ user_id: ANA, nickname: "Ana" }] });
    },
    messages: async () => [],
    topics: async () => [listedTopic(30, 2)],
  });
  const copy = await acts.copy("1", choices);
  assert.deepEqual(asked, ["1", choices]);
  assert.equal(copy.id, "2");
  const { snapshot } = state.get();
  assert.equal(snapshot?.conversations["g:2"].group?.name, "Group 2");
  assert.deepEqual(
    topicsOf(/** @type {any} */ (snapshot), "g:2").map(({ topic }) => topic.topic),
    ["Ropes"],
  );
});

test("a copy that cannot be loaded at once is not made again", async () => {
  const { state, acts } = acting({
    copyGroup: async () => group("2"),
    messages: () => Promise.reject(new Error("no connection")),
    topics: async () => [],
  });
  assert.equal((await acts.copy("1", { name: "x", settings: true, topics: true, members: true })).id, "2");
  assert.equal(state.get().snapshot?.conversations["g:2"], undefined);
});

test("a copy that is refused shows nothing", async () => {
  const refused = new Error("Only the owner and admins may copy this group.");
  const { state, acts } = acting({ copyGroup: () => Promise.reject(refused) });
  const copying = acts.copy("1", { name: "x", settings: true, topics: true, members: true });
  await assert.rejects(copying, refused);
  assert.deepEqual(Object.keys(state.get().snapshot?.conversations ?? {}), ["g:1"]);
});
