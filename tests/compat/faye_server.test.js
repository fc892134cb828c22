/**
 * `/faye` beside npm faye's own server: the same requests to both, byte for byte but for
 * ids and tokens, and the same answers, but for the differences that are listed here, each
 * with its reason. A difference that goes away fails too, so that the list stays true.
 */

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import Faye from "faye";
import FayeWebSocket from "faye-websocket";
import { Heard, group, person, world } from "./world.js";

/** npm faye's server, with the timeout that the other one advises. */
async function original(t) {
  const adapter = new Faye.NodeAdapter({ mount: "/faye", timeout: 30 });
  const server = http.createServer((_, response) => response.writeHead(404).end());
  adapter.attach(server);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    await adapter.close();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}` };
}

/** What is the same in both: everything but names, words and what is only advice. */
function essence(message) {
  if (message.data !== undefined) return { channel: message.channel, type: message.data.type };
  const known = { successful: message.successful };
  if ("channel" in message) known.channel = message.channel;
  if ("id" in message) known.id = message.id;
  if (message.error) known.error = message.error.split(":")[0];
  if (message.subscription) known.subscription = message.subscription;
  if (message.channel === "/meta/handshake") known.isNamed = "clientId" in message;
  // On other channels it is of no use to anybody.
  if (/\/meta\/(handshake|connect)/.test(message.channel) && message.advice) {
    const { interval, ...advice } = message.advice;
    // To wait for no time before a handshake is not to wait.
    known.advice = advice.reconnect === "handshake" && interval === 0 ? advice : message.advice;
  }
  return known;
}

/** One raw request, and what is essential of its answer. */
async function asks(server, { method = "POST", path = "/faye", query = "", type = "application/json", body }) {
  const answer = await fetch(`${server.url}${path}${query}`, {
    method,
    headers: method === "GET" ? {} : { "Content-Type": type },
    body: method === "GET" ? undefined : body,
  });
  const text = await answer.text();
  const shown = { status: answer.status, type: (answer.headers.get("content-type") ?? "").split(";")[0] };
  const call = /^\/\*\*\/([\w.$]+)\((.*)\);$/s.exec(text);
  if (call) shown.calls = call[1];
  try {
    shown.messages = JSON.parse(call ? call[2] : text);
  } catch {
    // Whatever it says, it is not for a program.
  }
  return shown;
}

/** What was published before may come with a connect; that is looked at on its own. */
const withoutNews = (shown) => ({ ...shown, messages: shown.messages.filter((it) => it.data === undefined) });

const essences = ({ messages, ...shown }) => ({ ...shown, ...(messages && { messages: messages.map(essence) }) });

const says = (server, messages, more) => asks(server, { body: JSON.stringify(messages), ...more });

const shakesHands = async (server) =>
  (await says(server, HANDSHAKE)).messages[0].clientId;

const HANDSHAKE = {
  channel: "/meta/handshake",
  version: "1.0",
  supportedConnectionTypes: ["long-polling", "callback-polling", "websocket"],
  id: "1",
};
const RETRY = { reconnect: "retry", interval: 0, timeout: 30_000 };
const AGAIN = { reconnect: "handshake" };
/** An answer in JSON with these messages. */
const json = (...messages) => ({ status: 200, type: "application/json", messages });
const NONE = { status: 400, type: "text/plain" };
const form = (messages) => new URLSearchParams({ message: JSON.stringify(messages) }).toString();

/**
 * What is asked, by what is to be learned. `ask` is given a server, a client that has
 * shaken hands there, and the channels; without `differs`, both answer the same.
 */
const SCRIPT = {
  "a handshake": { ask: (it) => says(it.server, HANDSHAKE) },
  "a handshake in an array": { ask: (it) => says(it.server, [HANDSHAKE]) },
  "a handshake with a number for an id": { ask: (it) => says(it.server, { ...HANDSHAKE, id: 7 }) },
  "a handshake without an id": { ask: (it) => says(it.server, { ...HANDSHAKE, id: undefined }) },
  "a handshake of a later version": { ask: (it) => says(it.server, { ...HANDSHAKE, version: "9.9" }) },
  "a handshake for one transport that is known": {
    ask: (it) => says(it.server, { ...HANDSHAKE, supportedConnectionTypes: ["carrier-pigeon", "long-polling"] }),
  },
  "a handshake for transports that nobody knows": {
    ask: (it) => says(it.server, { ...HANDSHAKE, supportedConnectionTypes: ["carrier-pigeon"] }),
    differs: {
      why: "to shake hands again would be refused again, for ever",
      here: { advice: { reconnect: "none" } },
      there: { advice: AGAIN },
    },
  },
  "a handshake without a version": {
    ask: (it) => says(it.server, { ...HANDSHAKE, version: undefined }),
    differs: {
      why: "there is one version, and clients that forget to name it mean it",
      here: { successful: true, isNamed: true, advice: RETRY },
      there: { successful: false, error: "402", isNamed: false, advice: AGAIN },
    },
  },
  "a handshake without transports": {
    ask: (it) => says(it.server, { ...HANDSHAKE, supportedConnectionTypes: undefined }),
    differs: {
      why: "the client is here by one of them already",
      here: { successful: true, isNamed: true, advice: RETRY },
      there: { successful: false, error: "402", isNamed: false, advice: AGAIN },
    },
  },
  "a handshake beside another message": {
    ask: (it) => says(it.server, [HANDSHAKE, { channel: "/meta/connect", clientId: "gone", connectionType: "long-polling", id: "2" }]),
    differs: {
      why: "Bayeux 1.0, 4.1: any other message in the array of a handshake is ignored",
      whole: true,
      here: json({ channel: "/meta/handshake", successful: true, id: "1", isNamed: true, advice: RETRY }),
      there: json(
        { channel: "/meta/handshake", successful: true, id: "1", isNamed: true, advice: RETRY },
        { channel: "/meta/connect", successful: false, id: "2", error: "401", advice: AGAIN },
      ),
    },
  },
  "a handshake below the path": { ask: (it) => says(it.server, HANDSHAKE, { path: "/faye/handshake" }) },

  "a subscription": { ask: (it) => it.subscribes(it.own) },
  "a subscription to a list": { ask: (it) => it.subscribes([it.own, it.group]) },
  "a subscription again": { ask: (it) => it.subscribes(it.own) },
  "a subscription to nothing": { ask: (it) => it.subscribes(undefined) },
  "a subscription to a meta channel": { ask: (it) => it.subscribes("/meta/connect") },
  "a subscription to a service channel": { ask: (it) => it.subscribes("/service/x") },
  "a subscription to what is no channel": { ask: (it) => it.subscribes("user") },
  "a subscription to a list with what is no channel": { ask: (it) => it.subscribes([it.own, "user 7"]) },
  "a subscription of nobody": {
    ask: (it) => says(it.server, { channel: "/meta/subscribe", subscription: it.own, id: "2", ext: it.ext }),
  },
  "a subscription of somebody who is not known": {
    ask: (it) => says(it.server, { channel: "/meta/subscribe", clientId: "gone", subscription: it.own, id: "2" }),
  },
  ...Object.fromEntries(
    ["/user/*", "/user/**", "/**"].map((glob) => [
      `a subscription to ${glob}`,
      {
        ask: (it) => it.subscribes(glob),
        differs: {
          why: "what is nobody's to hear is not heard by the dozen",
          here: { successful: false, error: "403" },
          there: { successful: true },
        },
      },
    ]),
  ),
  "a subscription to a channel of another kind": {
    ask: (it) => it.subscribes("/elsewhere/7"),
    differs: {
      why: "there are three kinds of channels",
      here: { successful: false, error: "405" },
      there: { successful: true },
    },
  },
  "a subscription without a token": {
    ask: async (it) => says(it.server, { channel: "/meta/subscribe", clientId: await shakesHands(it.server), subscription: it.own, id: "2" }),
    differs: {
      why: "it is the token that says whose channel it is",
      here: { successful: false, error: "403" },
      there: { successful: true },
    },
  },

  "a connect without patience": { ask: (it) => it.connects() },
  "a connect with a number for an id": { ask: (it) => it.connects({ id: 17 }) },
  "a connect without an id": { ask: (it) => it.connects({ id: undefined }) },
  "a connect in an array": { ask: (it) => it.connects({}, (message) => [message]) },
  "a connect of nobody": { ask: (it) => it.connects({ clientId: undefined }) },
  "a connect of somebody who is not known": { ask: (it) => it.connects({ clientId: "gone" }) },
  "a connect below the path": { ask: (it) => it.connects({}, undefined, { path: "/faye/connect" }) },
  "a connect whose id is zero": {
    ask: (it) => it.connects({ id: 0 }),
    differs: { why: "zero is an id like another", here: { id: 0 }, there: {} },
  },
  "a connect whose id is an object": {
    ask: (it) => it.connects({ id: { a: 1 } }),
    differs: { why: "an id is a text or a number", here: {}, there: { id: { a: 1 } } },
  },
  "a connect without a transport": {
    ask: (it) => it.connects({ connectionType: undefined }),
    differs: {
      why: "it is here by one already",
      here: { successful: true, advice: RETRY },
      there: { successful: false, error: "402", advice: AGAIN },
    },
  },
  "a connect by a transport that nobody knows": {
    ask: (it) => it.connects({ connectionType: "carrier-pigeon" }),
    differs: {
      why: "it is here by another one already",
      here: { successful: true, advice: RETRY },
      there: { successful: false, error: "301", advice: AGAIN },
    },
  },
  "a connect after another message of its array": {
    ask: (it) => it.connects({}, (connect) => [{ channel: "/meta/unsubscribe", clientId: it.client, subscription: "/group/1", id: "2" }, connect]),
    differs: {
      why: "old clients look for the answer of a connect in the first place alone",
      whole: true,
      here: json(
        { channel: "/meta/connect", successful: true, id: "3", advice: RETRY },
        { channel: "/meta/unsubscribe", successful: true, id: "2", subscription: "/group/1" },
      ),
      there: json(
        { channel: "/meta/unsubscribe", successful: true, id: "2", subscription: "/group/1" },
        { channel: "/meta/connect", successful: true, id: "3", advice: RETRY },
      ),
    },
  },

  "typing": { ask: (it) => it.publishes(it.group, { type: "typing" }) },
  "a ping on a channel": {
    ask: (it) => it.publishes(it.own, { type: "ping" }),
    differs: {
      why: "the echo of a ping comes with its acknowledgement, not with the next connect",
      whole: true,
      here: json(
        { get channel() { return here.own; }, successful: true, id: "4" },
        { get channel() { return here.own; }, type: "ping" },
      ),
      there: json({ get channel() { return here.own; }, successful: true, id: "4" }),
    },
  },
  "publishing what is no channel": { ask: (it) => it.publishes("user", { type: "ping" }) },
  "publishing on a channel without its first slash": { ask: (it) => it.publishes("user/7", { type: "ping" }) },
  "publishing on a meta channel that is none": { ask: (it) => it.publishes("/meta/nope", { type: "ping" }) },
  "publishing on a glob": {
    ask: (it) => it.publishes("/user/*", { type: "ping" }),
    differs: { why: "nobody may, whatever stands there; 403 says so", here: { error: "403" }, there: { error: "405" } },
  },
  "publishing a line": {
    ask: (it) => it.publishes(it.group, { type: "line.create" }),
    differs: {
      why: "what is written goes through REST, where it is kept",
      here: { successful: false, error: "403" },
      there: { successful: true },
    },
  },
  "publishing nothing": {
    ask: (it) => it.publishes(it.own, undefined),
    differs: {
      why: "some clients answer a ping so",
      here: { successful: true },
      there: { successful: false, error: "402" },
    },
  },
  "publishing by somebody who is not known": {
    ask: (it) => says(it.server, { channel: it.group, clientId: "gone", data: { type: "typing" }, id: "4" }),
    differs: {
      why: "who publishes is somebody",
      here: { successful: false, error: "401" },
      there: { successful: true },
    },
  },
  "publishing by nobody": {
    ask: (it) => says(it.server, { channel: it.group, data: { type: "typing" }, id: "4" }),
    differs: {
      why: "who publishes is somebody",
      here: { successful: false, error: "402" },
      there: { successful: true },
    },
  },

  "leaving a channel": { ask: (it) => it.unsubscribes(it.group) },
  "leaving a list": { ask: (it) => it.unsubscribes([it.group, it.own]) },
  "leaving a channel where nobody was": { ask: (it) => it.unsubscribes("/group/1") },
  "leaving nothing": { ask: (it) => it.unsubscribes(undefined) },
  "leaving by somebody who is not known": {
    ask: (it) => says(it.server, { channel: "/meta/unsubscribe", clientId: "gone", subscription: it.own, id: "5" }),
  },

  "nothing at all": { ask: (it) => says(it.server, []) },
  "no message": { ask: (it) => says(it.server, [7]), differs: { why: "what names no channel has none", here: { channel: "" }, there: {} } },
  "a message without a channel": { ask: (it) => says(it.server, { clientId: it.client, id: "6" }), differs: { why: "what names no channel has none", here: { channel: "" }, there: {} } },
  "no JSON": {
    ask: (it) => asks(it.server, { body: "[" }),
    differs: {
      why: "clients of long-polling take anything but 200 for a broken line",
      whole: true,
      here: json({ channel: "", successful: false, error: "400" }),
      there: NONE,
    },
  },
  "neither a message nor an array": {
    ask: (it) => asks(it.server, { body: "7" }),
    differs: {
      why: "clients of long-polling take anything but 200 for a broken line",
      whole: true,
      here: json({ channel: "", successful: false, error: "400" }),
      there: NONE,
    },
  },

  "a form": { ask: (it) => asks(it.server, { type: "application/x-www-form-urlencoded", body: form(HANDSHAKE) }) },
  "a form with an array": { ask: (it) => asks(it.server, { type: "application/x-www-form-urlencoded", body: form([HANDSHAKE]) }) },
  "a form without a message": {
    ask: (it) => asks(it.server, { type: "application/x-www-form-urlencoded", body: "other=1" }),
    differs: {
      why: "clients of long-polling take anything but 200 for a broken line",
      whole: true,
      here: json({ channel: "", successful: false, error: "400" }),
      there: NONE,
    },
  },
  "JSON that is called something else": {
    ask: (it) => asks(it.server, { type: "text/plain", body: JSON.stringify(HANDSHAKE) }),
    differs: {
      why: "some clients send JSON under whatever name their library gives it",
      whole: true,
      here: json({ channel: "/meta/handshake", successful: true, id: "1", isNamed: true, advice: RETRY }),
      there: NONE,
    },
  },
  "a call-back": { ask: (it) => asks(it.server, { method: "GET", query: `?${form([HANDSHAKE])}&jsonp=jQuery.cb_1` }) },
  "a call-back without a name": { ask: (it) => asks(it.server, { method: "GET", query: `?${form(HANDSHAKE)}` }) },
  "a connect by call-back": {
    ask: async (it) => {
      const connect = it.connect({ connectionType: "callback-polling" });
      return withoutNews(await asks(it.server, { method: "GET", query: `?${form(connect)}&jsonp=cb` }));
    },
  },
  "a call-back that is no name": {
    ask: (it) => asks(it.server, { method: "GET", query: `?${form(HANDSHAKE)}&jsonp=alert(1)` }),
    differs: {
      why: "a script that is no script cannot say what was wrong",
      whole: true,
      here: { status: 200, type: "text/javascript", calls: "jsonpcallback", messages: [{ channel: "", successful: false, error: "400" }] },
      there: NONE,
    },
  },

  "saying goodbye": { ask: (it) => says(it.server, { channel: "/meta/disconnect", clientId: it.client, id: "8" }) },
  "saying goodbye twice": { ask: (it) => says(it.server, { channel: "/meta/disconnect", clientId: it.client, id: "9" }) },
  "saying goodbye by nobody": { ask: (it) => says(it.server, { channel: "/meta/disconnect", id: "9" }) },
  "a connect after goodbye": { ask: (it) => it.connects() },
};

/** Filled before the first request. */
const here = { own: "", group: "" };

/** One client on one server, with what it may say there. */
async function speaker(server, ext) {
  const client = await shakesHands(server);
  const { own, group } = here;
  const connect = (more) => ({
    channel: "/meta/connect", clientId: client, connectionType: "long-polling", id: "3", advice: { timeout: 0 }, ...more,
  });
  return {
    server, ext, client, own, group, connect,
    subscribes: (subscription) => says(server, { channel: "/meta/subscribe", clientId: client, subscription, id: "2", ext }),
    unsubscribes: (subscription) => says(server, { channel: "/meta/unsubscribe", clientId: client, subscription, id: "5" }),
    publishes: (channel, data) => says(server, { channel, clientId: client, data, id: "4", ext }),
    connects: async (more, within = (it) => it, how) => withoutNews(await says(server, within(connect(more)), how)),
  };
}

/** What is expected of one of both where they differ. */
function changed(same, differs, side) {
  if (differs.whole) return differs[side];
  const messages = same.messages.map((message) => {
    const rest = { ...message };
    for (const name of Object.keys({ ...differs.here, ...differs.there })) delete rest[name];
    return { ...rest, ...differs[side] };
  });
  return { ...same, messages };
}

test("every request is answered as by faye's own server, but for what is listed", async (t) => {
  const [coterie, faye] = [await world(t), await original(t)];
  const ana = await person(coterie, "Ana");
  here.own = `/user/${ana.id}`;
  here.group = `/group/${(await group(coterie, ana, "Climbers")).id}`;
  const ext = { access_token: ana.token };
  const [ours, theirs] = [await speaker(coterie, ext), await speaker(faye, ext)];
  for (const [what, { ask, differs }] of Object.entries(SCRIPT)) {
    await t.test(what, async () => {
      const [one, other] = [essences(await ask(ours)), essences(await ask(theirs))];
      if (!differs) return assert.deepEqual(one, other);
      assert.notDeepEqual(one, other, `no difference any more: ${differs.why}`);
      assert.deepEqual(one, changed(one, differs, "here"), "here");
      assert.deepEqual(other, changed(other, differs, "there"), "there");
      if (!differs.whole) assert.deepEqual(changed(one, differs, "there"), other, "nothing else differs");
    });
  }
});

/** A client of each server on a WebSocket, after a handshake by request. */
async function socket(t, server, client, ext) {
  const ws = new FayeWebSocket.Client(`${server.url.replace("http", "ws")}/faye`);
  const heard = new Heard();
  ws.on("message", ({ data }) => heard.takes(JSON.parse(data)));
  t.after(() => ws.close());
  await new Promise((resolve) => ws.on("open", resolve));
  const asks = async (message) => {
    ws.send(JSON.stringify([{ clientId: client, ext, ...message }]));
    return heard.next();
  };
  return { asks, heard };
}

test("on a WebSocket the same client goes on, and hears what another one types", async (t) => {
  const [coterie, faye] = [await world(t), await original(t)];
  const [ana, ben] = [await person(coterie, "Ana"), await person(coterie, "Ben")];
  const climbers = await group(coterie, ana, "Climbers");
  const members = [{ nickname: "Ben", user_id: ben.id }];
  await coterie.call("POST", `/v3/groups/${climbers.id}/members/add`, { token: ana.token, body: { members } });
  [here.own, here.group] = [`/user/${ana.id}`, `/group/${climbers.id}`];
  const shown = [];
  for (const server of [coterie, faye]) {
    const bens = await speaker(server, { access_token: ben.token, secret: "Ben's own" });
    const client = await shakesHands(server);
    const { asks, heard } = await socket(t, server, client, { access_token: ana.token });
    const told = [await asks({ channel: "/meta/subscribe", subscription: here.group, id: 1 })];
    told.push(await asks({ channel: "/meta/connect", connectionType: "websocket", id: 2, advice: { timeout: 0 } }));
    // Whatever comes of its subscription, somebody who types is told to it.
    const published = await bens.publishes(here.group, { type: "typing" });
    const typed = await heard.next();
    told.push(typed, await asks({ channel: "/meta/unsubscribe", subscription: here.group, id: 3 }));
    told.push(await asks({ channel: "/meta/disconnect", id: 4 }));
    const messages = told.map((it) => [it].flat().map(essence));
    shown.push({ messages, published: essences(published), isSecretTold: JSON.stringify(typed).includes("Ben's own") });
  }
  const [ours, theirs] = shown;
  // faye passes on all that a client publishes, tokens and all; here nobody hears them.
  assert.deepEqual([ours.isSecretTold, theirs.isSecretTold], [false, true]);
  assert.deepEqual([ours.messages, ours.published], [theirs.messages, theirs.published]);
});
