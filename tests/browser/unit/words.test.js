/**
 * Small pure pieces: links, lengths, initials, and what belongs together on the screen.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRoute } from "../../../static/js/app/route.js";
import { memberWords } from "../../../static/js/conversation/naming.js";
import { hue, initials } from "../../../static/js/people/avatar.js";
import { formOf, isEditable, opened, problemOf, sizeOf } from "../../../static/js/pictures/pictures.js";
import { ApiError, createApi } from "../../../static/js/sync/api.js";
import {
  answeredBy,
  beginsMention,
  isFor,
  mentionable,
  mentionIn,
  splitMentions,
} from "../../../static/js/text/addressing.js";
import { splitLinks } from "../../../static/js/text/links.js";
import { countChars, isFewEmoji } from "../../../static/js/text/text.js";
import { dayLabel, shortTime } from "../../../static/js/text/time.js";
import { rowsOf } from "../../../static/js/timeline/timeline_rows.js";
import { inRow, isolated, t } from "../../../static/js/words/words.js";

const links = (/** @type {string} */ text) =>
  splitLinks(text)
    .filter(({ href }) => href)
    .map(({ text: link }) => link);

test("an address ends where a reader would end it", () => {
  assert.deepEqual(links("see https://a.example/b, or (http://c.example/d_(e))."), [
    "https://a.example/b",
    "http://c.example/d_(e)",
  ]);
});

test("only web addresses become links", () => {
  assert.deepEqual(links("javascript:alert(1) data:text/html,x file:///etc ftp://a.example"), []);
});

test("no character is lost by splitting", () => {
  const text = "a https://a.example/b?c=d#e! z https://";
  assert.equal(
    splitLinks(text)
      .map((piece) => piece.text)
      .join(""),
    text,
  );
});

test("lengths are counted in code points", () => {
  assert.equal(countChars("a\u{1F9D7}"), 2);
});

test("a few emoji are shown larger, words are not", () => {
  assert.equal(isFewEmoji("\u{1F9D7}\u200d\u2640\ufe0f\u{1F697}"), true);
  assert.equal(isFewEmoji("ok \u{1F697}"), false);
  assert.equal(isFewEmoji("12"), false);
});

test("flags, keycaps, families and skin tones are one emoji each", () => {
  const scotland = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
  const portugal = "\u{1F1F5}\u{1F1F9}";
  const family = "\u{1F468}\u200d\u{1F469}\u200d\u{1F467}\u200d\u{1F466}";
  const hands = "\u{1F91D}\u{1F3FD}";
  for (const one of [scotland, portugal, family, hands, "1\ufe0f\u20e3", "#\u20e3"]) {
    assert.equal(isFewEmoji(one), true, one);
    assert.equal(isFewEmoji(one.repeat(4)), true, one);
    assert.equal(isFewEmoji(one.repeat(5)), false, one);
    assert.equal(isFewEmoji(`${one} ok`), false, one);
  }
  assert.equal(isFewEmoji("1#"), false);
  assert.equal(isFewEmoji("\u{1F1F5}"), false, "half a flag is none");
});

test("mentions stand apart from the words around them, and none is lost", () => {
  const mentions = {
    type: "mentions",
    user_ids: ["2", "all", "9"],
    loci: [
      [2, 4],
      [7, 3],
      [3, 99],
    ],
  };
  assert.deepEqual(splitMentions("\u{1F525} @Ben and", [mentions]), [
    { text: "\u{1F525} ", users: [] },
    { text: "@Ben", users: ["2"] },
    { text: " ", users: [] },
    { text: "and", users: ["all"] },
  ]);
  assert.deepEqual(splitMentions("hello", []), [{ text: "hello", users: [] }]);
});

test("a name behind an @ is mentioned, the longer one where two begin alike", () => {
  /** @type {[string, string][]} */
  const names = [
    ["2", "Ben"],
    ["3", "Ben Ali"],
  ];
  assert.deepEqual(mentionIn("\u{1F525} @Ben Ali and @Ben, not @Benno or ben@Bend.example", names), {
    type: "mentions",
    user_ids: ["3", "2"],
    loci: [
      [2, 8],
      [15, 4],
    ],
  });
  assert.equal(mentionIn("nobody @ all", names), null);
  const named = mentionIn("@Benさん、@田中さん", [...names, ["4", "田中"]]);
  assert.deepEqual(named?.user_ids, ["2", "4"], "scripts without spaces");
});

test("a message is for whom it mentions or answers", () => {
  const reply = { type: "reply", reply_id: "7", base_reply_id: "7", user_id: "2" };
  assert.equal(isFor([reply], "2"), true);
  assert.equal(isFor([{ type: "mentions", user_ids: ["all"], loci: [[0, 1]] }], "2"), true);
  assert.equal(isFor([{ type: "mentions", user_ids: ["3"], loci: [[0, 1]] }], "2"), false);
  assert.deepEqual(answeredBy([reply]), { id: "7", author: "2" });
  assert.equal(answeredBy([]), null);
});

test("initials and colours are steady", () => {
  assert.equal(initials("ana maria ribeiro"), "AR");
  assert.equal(initials("Ben"), "B");
  assert.equal(initials("田中 花子"), "田");
  assert.equal(initials("  "), "?");
  assert.equal(hue("10000001"), hue("10000001"));
});

test("addresses of the page", () => {
  assert.deepEqual(parseRoute("#/groups/42/members"), { name: "group", groupId: "42", panel: "details" });
  assert.deepEqual(parseRoute("#/groups/42/polls"), { name: "group", groupId: "42", panel: "polls" });
  assert.deepEqual(parseRoute("#/groups/42/thread/7"), {
    name: "group",
    groupId: "42",
    panel: "thread",
    thread: "7",
  });
  assert.deepEqual(parseRoute("#/groups/42"), { name: "group", groupId: "42", panel: null });
  assert.deepEqual(parseRoute("#/g/42/m/7"), parseRoute("#/groups/42/messages/7"));
  assert.deepEqual(parseRoute("#/c/1+2/m/7"), parseRoute("#/chats/1+2/messages/7"));
  assert.deepEqual(parseRoute("#/groups/../etc"), { name: "home" });
});

test("days are named as people name them", () => {
  const noon = new Date(2026, 4, 20, 12).getTime() / 1000;
  const day = 86_400;
  assert.equal(dayLabel(noon, noon), "Today");
  assert.equal(dayLabel(noon - day, noon), "Yesterday");
});

test("a time to come is named by its day", () => {
  const noon = new Date(2026, 4, 20, 12).getTime() / 1000;
  const day = 86_400;
  assert.match(shortTime(noon + 3600, noon), /1:00/);
  assert.match(shortTime(noon + day, noon), /21/);
  assert.match(shortTime(noon + 400 * day, noon), /2027/);
});

test("a day of another year is named with its year, in short too", () => {
  const at = (/** @type {number} */ year, /** @type {number} */ month) =>
    new Date(year, month, 20, 12).getTime() / 1000;
  const now = at(2026, 4);
  assert.doesNotMatch(shortTime(at(2026, 1), now), /2026/);
  for (const words of [shortTime(at(2025, 1), now), dayLabel(at(2025, 1), now)]) assert.match(words, /2025/);
});

const noon = new Date(2026, 4, 20, 12).getTime() / 1000;

const line = (/** @type {number} */ number, /** @type {string} */ from, facts = {}) => ({
  id: `17000000000000000${number}`,
  source_guid: `guid-${number}`,
  created_at: noon + number,
  user_id: from,
  name: from,
  text: `line ${number}`,
  favorited_by: /** @type {string[]} */ ([]),
  attachments: [],
  ...facts,
});

const rows = (/** @type {any[]} */ messages, /** @type {any[]} */ outbox = []) =>
  rowsOf(
    /** @type {any} */ ({
      group: { members: [{ user_id: "ben", nickname: "Ben" }] },
      messages,
      outbox,
      pendingLikes: {},
    }),
    "ana",
    noon,
  ).map((row) =>
    row.kind === "line" ? `${row.first ? "[" : ""}${row.text}${row.last ? "]" : ""}` : row.kind,
  );

test("lines of one author close in time are one block", () => {
  const later = line(3, "ben", { created_at: noon + 1_000 });
  assert.deepEqual(
    rows([line(1, "ben"), line(2, "ben"), later, line(4, "ana", { created_at: noon + 1_001 })]),
    ["day", "[line 1", "line 2]", "[line 3]", "[line 4]"],
  );
});

test("a system line and a new day end a block", () => {
  const tomorrow = line(4, "ben", { created_at: noon + 86_400 });
  assert.deepEqual(rows([line(1, "ben"), line(2, "system", { system: true }), line(3, "ben"), tomorrow]), [
    "day",
    "[line 1]",
    "system",
    "[line 3]",
    "day",
    "[line 4]",
  ]);
});

test("my unsent rows stand at the end of my block", () => {
  const unsent = { guid: "u", text: "line 2", at: noon + 2, state: "sending" };
  assert.deepEqual(rows([line(1, "ana")], [unsent]), ["day", "[line 1", "line 2]"]);
});

const answering = (/** @type {number} */ status, /** @type {any} */ body, headers = {}) =>
  createApi({
    token: () => "t",
    fetch: async () => new Response(body === null ? null : JSON.stringify(body), { status, headers }),
  });

test("an error of the server becomes a sentence", async () => {
  const api = answering(400, {
    response: null,
    meta: { code: 400, errors: ["name is required", "text is long."] },
  });
  await assert.rejects(
    api.createGroup({ name: "" }),
    (error) => error instanceof ApiError && error.message === "Name is required. Text is long.",
  );
});

test("a refused log-in says what somebody needs first", async () => {
  const refused = (/** @type {object} */ meta) =>
    answering(403, { response: null, meta: { code: 403, errors: ["this account waits"], ...meta } }).login(
      {},
    );
  const isTold =
    (/** @type {string} */ needs, /** @type {RegExp} */ words) => (/** @type {unknown} */ error) =>
      error instanceof ApiError && error.needs === needs && words.test(error.message);
  await assert.rejects(refused({ details: { needs: "approval" } }), isTold("approval", /operators have not/));
  await assert.rejects(
    refused({ details: { needs: "confirmation" } }),
    isTold("confirmation", /with the link/),
  );
  await assert.rejects(refused({ details: { needs: "invite" } }), isTold("invite", /an invitation/));
  await assert.rejects(refused({}), isTold("", /^This account waits\.$/));
});

test("no more messages is an empty page", async () => {
  assert.deepEqual(await answering(304, null).messages("1", { limit: 20 }), []);
});

test("results that are not ready are no error", async () => {
  const notReady = { response: null, meta: { code: 503, errors: ["results are not ready"] } };
  assert.equal(await answering(503, notReady).addResults("1", "r"), null);
});

test("a snapshot that was asked for early is taken once", async () => {
  const answer = (/** @type {string} */ c) => new Response(JSON.stringify({ response: { c }, meta: {} }));
  let early = /** @type {Response | null} */ (answer("early"));
  const api = createApi({
    token: () => "t",
    fetch: async () => answer("late"),
    early: () => {
      const taken = early;
      early = null;
      return taken && Promise.resolve(taken);
    },
  });
  assert.equal((await api.sync()).c, "early");
  assert.equal((await api.sync()).c, "late");
});

test("an unreachable server has an error text", async () => {
  const api = createApi({ fetch: () => Promise.reject(new TypeError("failed to fetch")) });
  await assert.rejects(
    api.sync(),
    (error) => error instanceof ApiError && error.passing && /cannot be reached/.test(error.message),
  );
});

test("forms of a picture are named behind it, whatever form was named before", () => {
  const picture = "https://chat.example/images/30x20.jpeg.0123456789abcdef";
  assert.equal(formOf(picture, "preview"), `${picture}.preview`);
  assert.equal(formOf(`${picture}.large`, "avatar"), `${picture}.avatar`);
  assert.equal(opened(`${picture}.preview`), `${picture}.large`);
  const moving = picture.replace("jpeg", "gif");
  assert.equal(opened(moving), moving, "only the original of an animation moves");
  assert.equal(formOf("https://elsewhere.example/a.png", "preview"), "https://elsewhere.example/a.png");
});

test("a file that the server would refuse is refused before it is sent", () => {
  assert.equal(problemOf({ size: 1, type: "image/png" }), "");
  assert.equal(problemOf({ size: 1, type: "" }), "", "the server knows by the content");
  assert.match(problemOf({ size: 1, type: "application/pdf" }), /JPEG, PNG/);
  assert.match(problemOf({ size: 10 * 1024 * 1024 + 1, type: "image/png" }), /larger than 10 MB/);
});

test("a name turns no other word of its sentence round", () => {
  assert.equal(t("About {name}", { name: "Ana" }), "About Ana");
  assert.equal(t("About {name}", { name: "יוסי" }), "About \u2068יוסי\u2069");
  assert.equal(isolated("𞤀𞤣𞤤𞤢𞤥"), "\u2068𞤀𞤣𞤤𞤢𞤥\u2069", "nor one of a script beyond the first plane");
  assert.equal(
    t("About {name}", { name: "\u202egnorw\u2069" }),
    "About \u2068gnorw\u2069",
    "what would end the isolation is taken out",
  );
  assert.equal(isolated("\u2067open"), "\u2067open\u2069", "what is left open is closed");
});

test("names in a row are isolated each, and the row goes the way of the page", () => {
  const row = inRow(["יוסי", "Ben"]);
  assert.equal(row, "\u2068יוסי\u2069, Ben");
  assert.equal(t("Liked by {it}", { it: row }), `Liked by \u2066${row}\u2069`);
  assert.equal(isolated(isolated("יוסי")), "\u2068יוסי\u2069");
});

test("group members are named once they are loaded", () => {
  const group = (/** @type {object[] | null | undefined} */ members) =>
    memberWords(/** @type {any} */ ({ group: { members } }), "1");
  const member = (/** @type {string} */ user_id, /** @type {string} */ nickname) => ({ user_id, nickname });
  assert.equal(group([member("1", "Ana")]), "Only you so far");
  assert.equal(group([member("1", "Ana"), member("2", "Ben")]), "You, Ben");
  for (const unknown of [null, undefined]) assert.equal(group(unknown), "");
});

test("the address of a picture names its size and its type", () => {
  assert.deepEqual(sizeOf("http://a.example/images/900x600.png.00ff"), { width: 900, height: 600 });
  assert.equal(sizeOf("http://a.example/elsewhere.png"), null);
  assert.equal(isEditable("http://a.example/images/900x600.jpeg.00ff"), true);
  assert.equal(isEditable("http://a.example/images/900x600.gif.00ff"), false, "it may move");
  assert.equal(isEditable("http://a.example/elsewhere.png"), false);
});

test("a deleted message is marked and cannot be changed", () => {
  const row = (/** @type {object} */ facts, /** @type {string[]} */ roles = ["user"]) =>
    rowsOf(
      /** @type {any} */ ({
        kind: "group",
        group: { creator_user_id: "cem", members: [{ user_id: "ana", nickname: "Ana", roles }] },
        messages: [line(1, "ben", facts)],
        outbox: [],
        pendingLikes: {},
      }),
      "ana",
      noon,
    ).find(({ kind }) => kind === "line");
  const facts = (/** @type {any} */ { text, deleted, edited, mayEdit, mayDelete }) =>
    [text, deleted, edited, mayEdit, mayDelete].join();
  assert.equal(facts(row({})), "line 1,false,false,false,false");
  assert.equal(facts(row({}, ["admin"])), "line 1,false,false,false,true");
  assert.equal(facts(row({ user_id: "ana" })), "line 1,false,false,true,true");
  assert.equal(facts(row({ edited_at: noon })), "line 1,false,true,false,false");
  const gone = { user_id: "ana", text: null, deleted_at: noon + 9, deletion_actor: "sender" };
  assert.equal(facts(row(gone)), "This message was deleted,true,false,false,false");
  const byAdmin = { ...gone, deletion_actor: "admin" };
  assert.equal(facts(row(byAdmin)), "An admin deleted this message,true,false,false,false");
});

test("a message in a request can be copied and reported, and tells its sender nothing", () => {
  const rowIn = (/** @type {string | undefined} */ request) =>
    rowsOf(
      /** @type {any} */ ({
        kind: "chat",
        other: { id: "ben", name: "Ben" },
        otherReadN: 0,
        request,
        messages: [line(1, "ben", {})],
        outbox: [],
        pendingLikes: {},
      }),
      "ana",
      noon,
    ).find(({ kind }) => kind === "line");
  const telling = (/** @type {any} */ { mayReact, mayAnswer, mayPin, mayMark }) =>
    [mayReact, mayAnswer, mayPin, mayMark].join();
  const quiet = (/** @type {any} */ { mayCopy, mayReport }) => [mayCopy, mayReport].join();
  assert.deepEqual(["open", "declined", undefined].map(rowIn).map(telling), [
    "false,false,false,false",
    "false,false,false,false",
    "true,true,true,true",
  ]);
  assert.equal(quiet(rowIn("open")), "true,true");
});

test("a started mention finds members by prefix", () => {
  assert.equal(beginsMention("rope, @Be"), "@Be");
  assert.equal(beginsMention("@Ben Ok"), "@Ben Ok");
  assert.equal(beginsMention("mail ben@example"), null);
  assert.equal(beginsMention("no sign"), null);
  assert.equal(beginsMention("ありがとう＠田"), "＠田");
  /** @type {[string, string][]} */
  const names = [
    ["1", "Cleo Ben"],
    ["2", "Ben Okonkwo"],
    ["3", "Bénédicte"],
  ];
  const found = (/** @type {string} */ begun) => mentionable(names, begun).map(([id]) => id);
  assert.deepEqual(found("ben"), ["2", "3", "1"]);
  assert.deepEqual(mentionable([["4", "田中花子"]], "花"), [["4", "田中花子"]]);
  assert.deepEqual(found("Ben Okonkwo"), ["2"]);
  assert.deepEqual(found("Ben Okonkwo "), []);
  assert.deepEqual(found(""), ["1", "2", "3"]);
});
