/** Lists in the details of a group: loaded for the group and for its topics, each on its own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createGroupLists, createPlacedLists } from "../../../static/js/groups/group_lists.js";
import { moderatedPlaces, topicNameIn } from "../../../static/js/moderation/places.js";
import { fromSync } from "../../../static/js/sync/store.js";

/** @typedef {import("../../../static/js/sync/types.js").Group} Group */
/** @typedef {import("../../../static/js/groups/group_lists.js").Placed<string[]>} Placed */

const [OWNER, MEMBER] = ["10", "11"];
const TOPICS = [
  [30, "Ropes"],
  [31, "Knots"],
];

// The lists make one element, which says why an act failed.
globalThis.document = /** @type {any} */ ({
  createElement: () => ({ setAttribute() {}, append() {}, textContent: "" }),
});

const group = (/** @type {Partial<Group>} */ facts = {}) => ({
  id: "1",
  name: "Climbers",
  creator_user_id: OWNER,
  created_at: 1_600_000_000,
  type: /** @type {const} */ ("private"),
  members: [
    { user_id: OWNER, nickname: "Ana" },
    { user_id: MEMBER, nickname: "Ben", roles: ["user"] },
  ],
  ...facts,
});

/** The state of a user who is in group 1, which has these topics. */
function stateOf(/** @type {string} */ me, topics = TOPICS, /** @type {Partial<Group>} */ facts = {}) {
  const marks = { messages: [], n: 5, read_n: 5, unread: 0 };
  const synced = topics.map(([id, name]) => ({
    ...marks,
    topic: /** @type {any} */ ({ id, parent_id: 1, topic: name, type: "private", created_at: Number(id) }),
  }));
  const snapshot = fromSync({
    c: "c",
    user: { id: me, name: "Me" },
    groups: [{ group: group(facts), ...marks }],
    topics: synced,
  });
  return /** @type {any} */ ({ snapshot, connection: "live" });
}

const groupIn = (/** @type {any} */ state, conv = "g:1") => state.snapshot.conversations[conv].group;

/** Lists of texts, with a server that answers when it is told to. */
function lists(how = {}) {
  /** @type {{ id: string, answer: (texts: string[] | Error) => Promise<void> }[]} */
  const asked = [];
  /** @type {string[]} */
  const drawn = [];
  /** @type {((before: any, event: any) => void)[]} */
  const listeners = [];
  const made = createPlacedLists({
    app: /** @type {any} */ ({
      state: { get: () => ({ connection: "live" }) },
      onEvent: (/** @type {any} */ listener) => listeners.push(listener),
    }),
    nothing: /** @type {string[]} */ ([]),
    placesOf: moderatedPlaces,
    load: ({ id }) =>
      new Promise((resolve, reject) => {
        const answer = async (/** @type {string[] | Error} */ texts) => {
          if (texts instanceof Error) reject(texts);
          else resolve(texts);
          await new Promise(setImmediate);
        };
        asked.push({ id, answer });
      }),
    mayChange: (type) => type === "held.create",
    draw: (/** @type {readonly Placed[]} */ placed, shown) =>
      drawn.push(
        placed
          .flatMap(({ place, lists: texts }) =>
            texts.map((text) => `${text} ${topicNameIn(shown, place) ?? ""}`),
          )
          .join("; "),
      ),
    ...how,
  });
  const hears = (/** @type {string} */ conv, type = "held.create") => {
    for (const listener of listeners) listener({}, { conv, type });
  };
  return { made, asked, drawn, hears };
}

const ids = (/** @type {readonly { id: string }[]} */ all) => all.map(({ id }) => id);

test("those who decide see the topics of a group", () => {
  const owner = stateOf(OWNER);
  assert.deepEqual(ids(moderatedPlaces(owner.snapshot, groupIn(owner))), ["1", "30", "31"]);
  const member = stateOf(MEMBER);
  assert.deepEqual(ids(moderatedPlaces(member.snapshot, groupIn(member))), ["1"]);
  assert.deepEqual(ids(moderatedPlaces(owner.snapshot, groupIn(owner, "g:30"))), ["30"]);
  const archived = stateOf(OWNER, TOPICS, { archived_at: 5 });
  assert.deepEqual(ids(moderatedPlaces(archived.snapshot, groupIn(archived))), ["1"]);
});

test("an entry names its topic, but not in the details of that topic", () => {
  const state = stateOf(OWNER);
  const [climbers, ropes] = [groupIn(state), groupIn(state, "g:30")];
  assert.equal(topicNameIn(climbers, ropes), "Ropes");
  assert.equal(topicNameIn(climbers, climbers), null);
  assert.equal(topicNameIn(ropes, ropes), null);
});

test("the entries of topics follow those of the group, whichever come first", async () => {
  const { made, asked, drawn } = lists();
  const state = stateOf(OWNER);
  made.show(groupIn(state), state);
  made.show(groupIn(state), state);
  assert.deepEqual(ids(asked), ["1", "30", "31"]);
  await asked[2].answer(["c"]);
  await asked[0].answer(["a"]);
  await asked[1].answer(["b"]);
  assert.equal(drawn.at(-1), "a ; b Ropes; c Knots");
});

test("an event loads the list of its own place only, and the newest answer counts", async () => {
  const { made, asked, drawn, hears } = lists();
  const state = stateOf(OWNER, TOPICS.slice(0, 1));
  made.show(groupIn(state), state);
  await asked[0].answer(["a"]);
  hears("g:30");
  hears("g:30");
  hears("g:31");
  hears("g:30", "line.create");
  assert.deepEqual(ids(asked), ["1", "30", "30", "30"]);
  await asked[3].answer(["new"]);
  await asked[1].answer(["old"]);
  await asked[2].answer(["old"]);
  assert.equal(drawn.at(-1), "a ; new Ropes");
});

test("a list that fails to load leaves the others", async () => {
  const { made, asked, drawn, hears } = lists();
  const state = stateOf(OWNER, TOPICS.slice(0, 1));
  made.show(groupIn(state), state);
  await asked[1].answer(new Error("gone"));
  await asked[0].answer(["a"]);
  assert.equal(drawn.at(-1), "a ");
  hears("g:1");
  await asked[2].answer(new Error("no connection"));
  assert.equal(drawn.at(-1), "a ");
});

test("topics come and go while the details are open", async () => {
  const { made, asked, drawn } = lists();
  const one = stateOf(OWNER, TOPICS.slice(0, 1));
  made.show(groupIn(one), one);
  await asked[0].answer(["a"]);
  await asked[1].answer(["b"]);
  const two = stateOf(OWNER, TOPICS.slice(1));
  made.show(groupIn(two), two);
  assert.equal(drawn.at(-1), "a ");
  assert.deepEqual(ids(asked), ["1", "30", "31"]);
  await asked[2].answer(["c"]);
  assert.equal(drawn.at(-1), "a ; c Knots");
});

test("a closed panel forgets what it showed", async () => {
  const { made, asked, drawn } = lists();
  const state = stateOf(OWNER, []);
  made.show(groupIn(state), state);
  await asked[0].answer(["a"]);
  made.show(null, state);
  assert.equal(drawn.at(-1), "");
  made.show(groupIn(state), state);
  assert.deepEqual(ids(asked), ["1", "1"]);
});

test("those who see nothing load nothing, until they may", async () => {
  let maySee = false;
  const { made, asked, hears } = lists({ sees: () => maySee });
  const state = stateOf(OWNER, []);
  made.show(groupIn(state), state);
  hears("g:1");
  assert.deepEqual(asked, []);
  maySee = true;
  made.show(groupIn(state), state);
  assert.deepEqual(ids(asked), ["1"]);
});

test("everything is loaded again once the feed is back", async () => {
  const { made, asked } = lists();
  const state = stateOf(OWNER, TOPICS.slice(0, 1));
  made.show(groupIn(state), state);
  made.show(groupIn(state), { ...state, connection: "waiting" });
  made.show(groupIn(state), state);
  assert.deepEqual(ids(asked), ["1", "30", "1", "30"]);
});

test("an act at a topic loads its list again, and says why it failed", async () => {
  const { made, asked } = lists();
  const state = stateOf(OWNER, TOPICS.slice(0, 1));
  made.show(groupIn(state), state);
  /** @type {string[]} */
  const acted = [];
  await made.change(groupIn(state, "g:30"), async (id) => acted.push(id));
  assert.deepEqual([acted, asked.at(-1)?.id, made.trouble.textContent], [["30"], "30", ""]);
  await made.change(groupIn(state, "g:30"), () => Promise.reject(new Error("too late")));
  assert.equal(made.trouble.textContent, "too late");
});

test("the lists of a group alone are drawn as they are", async () => {
  /** @type {string[][]} */
  const drawn = [];
  const made = createGroupLists({
    app: /** @type {any} */ ({ state: { get: () => ({ connection: "live" }) }, onEvent() {} }),
    nothing: /** @type {string[]} */ ([]),
    load: async ({ id }) => [id],
    mayChange: () => false,
    draw: (texts) => drawn.push(texts),
  });
  const state = stateOf(OWNER);
  made.show(groupIn(state), state);
  await new Promise(setImmediate);
  assert.deepEqual(drawn, [[], ["1"]]);
  await made.change(async (id) => assert.equal(id, "1"));
  await new Promise(setImmediate);
  assert.deepEqual(drawn.at(-1), ["1"]);
});
