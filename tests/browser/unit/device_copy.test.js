/** What a device keeps of a snapshot: bounded, and enough to read it again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isChatMuted } from "../../../static/js/chats/chats.js";
import { kept, rowOf, snapshotOf } from "../../../static/js/device/device_copy.js";
import { isMuted } from "../../../static/js/groups/groups.js";
import { fromSync } from "../../../static/js/sync/store.js";

const ANA = { id: "10", name: "Ana" };
const OWNER = { mark: "m", user: ANA, blocked: ["7"], at: 1_700_000_500 };

const message = (/** @type {number} */ at) => ({
  id: `1700000000${String(at).padStart(8, "0")}`,
  source_guid: `guid-${at}`,
  created_at: 1_700_000_000 + at,
  user_id: "11",
  name: "Ben",
  text: `line ${at}`,
  favorited_by: [],
  attachments: [],
});

const synced = (/** @type {string} */ id, /** @type {number} */ messages, /** @type {number} */ members) => ({
  group: {
    id,
    name: `Group ${id}`,
    creator_user_id: "10",
    created_at: 1_600_000_000 + Number(id),
    members: Array.from({ length: members }, (_, at) => ({ user_id: String(at), nickname: `n${at}` })),
    messages: { count: messages },
  },
  messages: Array.from({ length: messages }, (_, at) => message(messages - at)),
  n: messages,
  read_n: 0,
  unread: messages,
});

const start = (/** @type {any[]} */ groups) => fromSync({ c: "c", user: ANA, groups });

test("the copy keeps the most recent conversations", () => {
  const now = start(Array.from({ length: 400 }, (_, at) => synced(String(at + 1), 0, 1)));
  const names = kept(now).map(({ conv }) => conv);
  assert.equal(names.length, 300);
  assert.equal(names[0], "g:400");
});

test("the copy keeps the newest messages and notes older ones", () => {
  const { "g:1": one } = start([synced("1", 80, 3)]).conversations;
  const row = rowOf(one, ANA.id);
  assert.equal(row.messages.length, 50);
  assert.equal(row.messages.at(-1)?.text, "line 80");
  assert.equal(row.complete, false);
});

test("members of large groups are asked for again", () => {
  const { conversations } = start([synced("1", 0, 200), synced("2", 0, 201)]);
  const membersIn = (/** @type {string} */ conv) =>
    /** @type {import("../../../static/js/device/device_copy.js").GroupRow} */ (
      rowOf(conversations[conv], ANA.id)
    ).group.members;
  assert.equal(membersIn("g:1")?.length, 200);
  assert.equal(membersIn("g:2"), null);
});

test("the copy keeps mutes of chats and groups", () => {
  const large = synced("1", 0, 201);
  Object.assign(large.group.members[10], { muted: true });
  const chat = {
    chat: {
      last_message: { conversation_id: "10+11" },
      other_user: { name: "Ben", avatar_url: null },
      muted_until: 1_800_000_000,
    },
    messages: [message(1)],
    n: 1,
    read_n: 1,
    unread: 0,
    other_read_n: 0,
    other_unread: 0,
  };
  const now = fromSync({ c: "c", user: ANA, groups: [large], chats: [chat] });
  const copy = snapshotOf(
    OWNER,
    kept(now).map((one) => rowOf(one, ANA.id)),
  );
  const { "g:1": group, "d:10+11": pair } = copy.conversations;
  assert.ok(group.kind === "group" && isMuted(group.group, ANA.id));
  assert.ok(pair.kind === "chat" && isChatMuted(pair, 1_700_000_000));
});

test("the copy is shown as stored and replaced by server data", () => {
  const now = start([synced("1", 3, 2)]);
  const copy = snapshotOf(
    OWNER,
    kept(now).map((one) => rowOf(one, ANA.id)),
  );
  const { copied, ...log } = copy.conversations["g:1"];
  assert.equal(copied, true);
  assert.deepEqual(log, now.conversations["g:1"]);
  assert.deepEqual([copy.copiedAt, copy.blocked], [OWNER.at, ["7"]]);
  // Deleted meanwhile, further up than the new snapshot shows.
  const fresh = fromSync(
    { c: "c", user: ANA, groups: [{ ...synced("1", 4, 2), messages: [message(4), message(3)] }] },
    copy,
  );
  const { messages, copied: still } = fresh.conversations["g:1"];
  assert.deepEqual(
    messages.map(({ text }) => text),
    ["line 3", "line 4"],
  );
  assert.equal(still ?? fresh.copiedAt, undefined);
});
