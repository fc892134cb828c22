/**
 * The push client against a socket and a clock that the test holds in its hands.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { backoff, Push, SUBPROTOCOL } from "../../../static/js/push.js";

/** A server's end of one connection. */
class FakeSocket {
  readyState = 0;
  /** @type {any[]} */
  sent = [];
  closed = 0;
  /** @type {(() => void) | null} */
  onopen = null;
  /** @type {((event: { data: string }) => void) | null} */
  onmessage = null;
  /** @type {((event: { code: number }) => void) | null} */
  onclose = null;

  constructor(/** @type {string} */ url, /** @type {string} */ protocol) {
    this.url = url;
    this.protocol = protocol;
  }

  send(/** @type {string} */ text) {
    this.sent.push(JSON.parse(text));
  }

  close(/** @type {number} */ code) {
    this.readyState = 3;
    this.closed = code;
  }

  opens() {
    this.readyState = 1;
    this.onopen?.();
  }

  says(/** @type {object[]} */ ...frames) {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }

  ends(/** @type {number} */ code) {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  /** Welcomes, and says that nothing was missed up to this cursor. */
  welcomes(/** @type {string} */ c) {
    this.opens();
    this.says({ t: "welcome", v: 1, hb: 25, c }, { t: "synced", c });
  }
}

/** Time that passes only when told to. */
class FakeClock {
  now = 0;
  /** @type {{ at: number, run: () => void }[]} */
  timers = [];

  after = (/** @type {number} */ ms, /** @type {() => void} */ run) => {
    const timer = { at: this.now + ms, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };

  passes(/** @type {number} */ ms) {
    const until = this.now + ms;
    for (;;) {
      const [next] = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.at;
      next.run();
    }
    this.now = until;
  }
}

const event = (/** @type {string} */ conv, /** @type {number} */ n, c = `c-${conv}-${n}`) => ({
  t: "ev",
  c,
  conv,
  n,
  type: "line.create",
  data: {},
});

/** Lets promises that are due go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A feed with everything around it; `load` answers snapshots in turn, the last one again and again. */
async function feed(/** @type {any} */ ...snapshots) {
  const clock = new FakeClock();
  /** @type {FakeSocket[]} */
  const sockets = [];
  /** @type {string[]} */
  const heard = [];
  /** @type {string[]} */
  const states = [];
  let loads = 0;
  const answers = snapshots.length > 0 ? snapshots : [{ c: "c0", heads: {} }];
  const push = new Push({
    url: "ws://here/v3/push",
    token: "secret",
    async load() {
      const answer = answers[Math.min(loads, answers.length - 1)];
      loads += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onEvent: ({ conv, n }) => heard.push(`${conv}#${n}`),
    onState: (state, { why }) => states.push(why ? `${state}: ${why}` : state),
    clock,
    random: () => 1,
    WebSocket: class extends FakeSocket {
      constructor(/** @type {string} */ url, /** @type {string} */ protocol) {
        super(url, protocol);
        sockets.push(this);
      }
    },
  });
  push.start();
  await turn();
  return {
    push,
    clock,
    sockets,
    heard,
    states,
    loads: () => loads,
    socket: () => sockets[sockets.length - 1],
  };
}

test("it says hello with the token and the snapshot's cursor", async () => {
  const { socket, states, push } = await feed({ c: "c7", heads: { "g:1": 3 } });
  assert.equal(socket().url, "ws://here/v3/push");
  assert.equal(socket().protocol, SUBPROTOCOL);
  socket().welcomes("c7");
  assert.deepEqual(socket().sent[0], { t: "hello", v: 1, token: "secret", after: "c7" });
  assert.deepEqual(states, ["loading", "connecting", "replaying", "live"]);
  assert.equal(push.state, "live");
});

test("each event is delivered once, in order", async () => {
  const { socket, heard } = await feed({ c: "c0", heads: { "g:1": 3 } });
  socket().welcomes("c0");
  socket().says(event("g:1", 3), event("g:1", 4), event("g:1", 4), event("g:2", 9), event("g:1", 5));
  assert.deepEqual(heard, ["g:1#4", "g:2#9", "g:1#5"]);
});

test("after a lost line it comes back with the newest cursor", async () => {
  const { socket, sockets, clock, states } = await feed();
  socket().welcomes("c0");
  socket().says(event("g:1", 1, "c1"), event("g:1", 2, "c2"));
  socket().ends(1006);
  assert.equal(states.at(-1), "waiting");
  clock.passes(1_000);
  assert.equal(sockets.length, 2);
  socket().opens();
  assert.equal(socket().sent[0].after, "c2");
});

test("a replay that was cut is asked for again from its beginning", async () => {
  const { socket, clock, heard } = await feed();
  socket().opens();
  socket().says({ t: "welcome", hb: 25 }, event("g:1", 1, "c9"));
  socket().ends(1006);
  clock.passes(1_000);
  socket().opens();
  assert.equal(socket().sent[0].after, "c0");
  socket().says({ t: "welcome", hb: 25 }, event("g:1", 1, "c9"), event("g:2", 1, "c5"), {
    t: "synced",
    c: "c9",
  });
  assert.deepEqual(heard, ["g:1#1", "g:2#1"]);
});

test("a hole is asked for, not passed on", async () => {
  const { socket, sockets, heard, loads } = await feed({ c: "c0", heads: { "g:1": 1 } });
  socket().welcomes("c0");
  socket().says(event("g:1", 2, "c2"), event("g:1", 4, "c4"));
  await turn();
  assert.equal(sockets.length, 2, "it asks at once");
  socket().opens();
  assert.equal(socket().sent[0].after, "c2");
  socket().says({ t: "welcome", hb: 25 }, event("g:1", 3, "c3"), event("g:1", 4, "c4"), {
    t: "synced",
    c: "c4",
  });
  assert.deepEqual(heard, ["g:1#2", "g:1#3", "g:1#4"]);
  assert.equal(loads(), 1);
});

test("a hole that stays open leads to a new snapshot", async () => {
  const { socket, heard, loads } = await feed(
    { c: "c0", heads: { "g:1": 1 } },
    { c: "c5", heads: { "g:1": 5 } },
  );
  socket().welcomes("c0");
  socket().says(event("g:1", 3));
  await turn();
  socket().opens();
  socket().says({ t: "welcome", hb: 25 }, event("g:1", 3));
  await turn();
  assert.equal(loads(), 2);
  socket().welcomes("c5");
  assert.equal(socket().sent[0].after, "c5");
  socket().says(event("g:1", 6));
  assert.deepEqual(heard, ["g:1#6"]);
});

test("being out of a conversation is no hole, whatever its number", async () => {
  const { socket, sockets, heard } = await feed({ c: "c0", heads: { "g:1": 1, "g:2": 1 } });
  socket().opens();
  socket().says(
    { t: "welcome", hb: 25, user_id: "7" },
    { ...event("g:1", 9), type: "membership.delete", data: { memberships: [{ user_id: "7" }] } },
    { ...event("g:2", 9), type: "group.delete", data: { group_id: "2" } },
    { t: "synced", c: "c9" },
  );
  await turn();
  assert.deepEqual([heard, sockets.length], [["g:1#9", "g:2#9"], 1]);
});

test("events without a number are neither holes nor repeats", async () => {
  const { socket, sockets, heard } = await feed({ c: "c0", heads: { "g:1": 1 } });
  socket().welcomes("c0");
  const confidential = (/** @type {string} */ c) => ({
    t: "ev",
    c,
    conv: "m:1",
    type: "report.create",
    data: {},
  });
  socket().says(confidential("c2"), confidential("c3"), event("g:1", 2, "c4"));
  await turn();
  assert.deepEqual([heard, sockets.length], [["m:1#undefined", "m:1#undefined", "g:1#2"], 1]);
});

test("a reset leads to a new snapshot and a live feed", async () => {
  const { socket, loads, push } = await feed({ c: "old" }, { c: "new" });
  socket().opens();
  socket().says({ t: "welcome", hb: 25 }, { t: "reset", c: "cx", why: "too_far" });
  // The snapshot that was just loaded was refused, so there is a pause before the next.
  assert.equal(push.state, "waiting");
  push.poke();
  await turn();
  assert.equal(loads(), 2);
  socket().opens();
  assert.equal(socket().sent[0].after, "new");
});

test("a reset of a feed that was live is answered at once", async () => {
  const { socket, loads, clock } = await feed({ c: "old" }, { c: "new" });
  socket().welcomes("old");
  socket().ends(1001);
  clock.passes(1_000);
  socket().opens();
  socket().says({ t: "welcome", hb: 25 }, { t: "reset", c: "cx", why: "unknown" });
  await turn();
  assert.equal(loads(), 2);
});

for (const [code, why] of /** @type {[number, string][]} */ ([
  [4401, "unauthorized"],
  [4403, "scope"],
  [4426, "version"],
])) {
  test(`close code ${code} ends the feed`, async () => {
    const { socket, sockets, clock, states } = await feed();
    socket().opens();
    socket().ends(code);
    clock.passes(3_600_000);
    assert.equal(sockets.length, 1);
    assert.equal(states.at(-1), `ended: ${why}`);
  });
}

test("a snapshot that the token may not load ends the feed", async () => {
  const { sockets, states } = await feed(Object.assign(new Error("no"), { status: 401 }));
  assert.equal(sockets.length, 0);
  assert.equal(states.at(-1), "ended: unauthorized");
});

test("a snapshot that fails otherwise is tried again", async () => {
  const { sockets, clock, states } = await feed(new Error("offline"), { c: "c0" });
  assert.equal(states.at(-1), "waiting");
  clock.passes(1_000);
  await turn();
  assert.equal(sockets.length, 1);
});

test("the wait doubles, has a limit, and is never the same for all", () => {
  assert.equal(
    backoff(0, () => 1),
    500,
  );
  assert.equal(
    backoff(3, () => 1),
    4_000,
  );
  assert.equal(
    backoff(3, () => 0),
    2_000,
  );
  assert.equal(
    backoff(400, () => 1),
    30_000,
  );
});

test("retry_ms of bye decides the reconnect time", async () => {
  const { socket, sockets, clock } = await feed();
  socket().welcomes("c0");
  socket().says({ t: "bye", code: 4003, retry_ms: 7_000 });
  socket().ends(4003);
  clock.passes(6_999);
  assert.equal(sockets.length, 1);
  clock.passes(1);
  assert.equal(sockets.length, 2);
});

test("it keeps the line alive, and answers the server's ping with an ack", async () => {
  const { socket, clock } = await feed();
  socket().welcomes("c3");
  clock.passes(25_000);
  assert.deepEqual(socket().sent.at(-1), { t: "ping", x: 1 });
  socket().says({ t: "pong", x: 1, c: "c3" }, { t: "ping", c: "c3" });
  assert.deepEqual(socket().sent.at(-1), { t: "ack", c: "c3" });
});

test("a silent line counts as lost", async () => {
  const { socket, clock, states } = await feed();
  socket().welcomes("c0");
  clock.passes(35_000);
  assert.equal(states.at(-1), "waiting");
});

test("no welcome counts as lost", async () => {
  const { socket, clock, states } = await feed();
  socket().opens();
  clock.passes(10_000);
  assert.equal(states.at(-1), "waiting");
});

test("when the server knows of more, it asks for the tail", async () => {
  const { socket, sockets, clock } = await feed();
  socket().welcomes("c1");
  socket().says({ t: "ping", c: "c2" });
  clock.passes(2_000);
  assert.equal(sockets.length, 2);
  socket().opens();
  assert.equal(socket().sent[0].after, "c1");
});

test("when the tail was only on its way, nothing happens", async () => {
  const { socket, sockets, clock } = await feed();
  socket().welcomes("c1");
  socket().says({ t: "ping", c: "c2" }, event("g:1", 5, "c2"));
  clock.passes(2_000);
  assert.equal(sockets.length, 1);
});

test("a difference that a reload does not repair is ignored", async () => {
  const { socket, sockets, clock } = await feed();
  for (let round = 0; round < 4; round += 1) {
    socket().welcomes("c1");
    socket().says({ t: "ping", c: "c2" });
    clock.passes(2_000);
  }
  assert.equal(sockets.length, 3);
});

test("news of the network makes a waiting feed try at once", async () => {
  const { socket, sockets, push } = await feed();
  socket().welcomes("c0");
  socket().ends(1006);
  push.poke();
  assert.equal(sockets.length, 2);
});

test("frames of an old connection are ignored", async () => {
  const { sockets, socket, heard, push } = await feed();
  socket().welcomes("c0");
  const stale = sockets[0].onmessage;
  push.stop();
  stale?.({ data: JSON.stringify(event("g:1", 1)) });
  assert.deepEqual(heard, []);
  assert.equal(push.state, "ended");
});

test("a forgotten conversation may start anywhere", async () => {
  const { socket, heard, push } = await feed({ c: "c0", heads: { "g:1": 3 } });
  socket().welcomes("c0");
  push.forget("g:1");
  socket().says(event("g:1", 40));
  assert.deepEqual(heard, ["g:1#40"]);
});

test("ephemeral frames are sent, and sub again after a reconnect", async () => {
  const { socket, push, clock } = await feed();
  assert.equal(push.read("g:1", 4), false, "nobody to say it to yet");
  socket().welcomes("c0");
  assert.equal(push.read("g:1", 4), true);
  push.typing("g:1");
  push.sub(["g:1"]);
  assert.deepEqual(socket().sent.slice(1), [
    { t: "read", conv: "g:1", n: 4 },
    { t: "typing", conv: "g:1" },
    { t: "sub", conv: ["g:1"] },
  ]);
  socket().ends(1006);
  clock.passes(1_000);
  socket().welcomes("c0");
  assert.deepEqual(socket().sent.at(-1), { t: "sub", conv: ["g:1"] });
});

test("an unknown frame is nothing to worry about", async () => {
  const { socket, push } = await feed();
  socket().welcomes("c0");
  socket().says({ t: "confetti" });
  assert.equal(push.state, "live");
});

test("blocked WebSockets fall back to the next transport", async () => {
  /** @type {(FakeSocket & { kind: string })[]} */
  const sockets = [];
  const clock = new FakeClock();
  const kind = (/** @type {string} */ name) =>
    class extends FakeSocket {
      kind = name;
      send(/** @type {string} */ text) {
        super.send(text);
        if (JSON.parse(text).t === "ping") this.says({ t: "pong" });
      }
      constructor(/** @type {string} */ url, /** @type {string} */ protocol) {
        super(url, protocol);
        sockets.push(this);
      }
    };
  const push = new Push({
    url: "ws://here/v3/push",
    token: "secret",
    load: async () => ({ c: "c0" }),
    onEvent: () => {},
    clock,
    random: () => 1,
    WebSocket: kind("socket"),
    fallbacks: [kind("stream"), kind("polls")],
  });
  const kinds = () => sockets.map((socket) => socket.kind);
  const fails = () => {
    sockets[sockets.length - 1].ends(1006);
    clock.passes(4_000);
  };
  push.start();
  await turn();
  fails();
  assert.deepEqual(kinds(), ["socket", "socket"], "one failure is no sign");
  fails();
  fails();
  assert.deepEqual(kinds(), ["socket", "socket", "stream", "polls"]);
  sockets[3].welcomes("c0");
  assert.equal(push.state, "live");
  fails();
  assert.equal(kinds().at(-1), "polls", "what worked is tried again first");
  sockets[4].welcomes("c0");
  clock.passes(60_000);
  assert.equal(kinds().at(-1), "socket", "it is seen whether they get through again");
  sockets[5].ends(1006);
  assert.equal(push.state, "live");
  clock.passes(120_000);
  sockets[6].opens();
  assert.deepEqual(kinds().slice(5), ["socket", "socket", "socket"]);
  sockets[7].welcomes("c0");
  assert.equal(push.state, "live");
  push.stop();
});
