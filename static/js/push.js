/**
 * Push: one durable feed over `GET /v3/push`, for browsers and for Node.
 *
 * Owns the socket: hello, heartbeats, coming back with the cursor, and the promise
 * that every event is delivered once and in order per conversation. It starts from
 * a snapshot that the caller loads, and asks for a new one when the server cannot
 * honour the cursor or a hole stays open; a gap is never passed on in silence.
 *
 * Does not know what events mean, keeps no messages, and writes nothing but the few
 * frames that need no log (`read`, `typing`, `sub`, `ack`). Depends on nothing.
 */

export const SUBPROTOCOL = "coterie.push.v1";

/** Close codes after which reconnecting does not help. */
const FINAL_CODES = new Map([
  [4401, "unauthorized"],
  [4403, "scope"],
  [4426, "version"],
]);

const HELLO_WAIT_MS = 10_000;
const ANSWER_WAIT_MS = 10_000;
const TAIL_GRACE_MS = 2_000;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_MOST_MS = 30_000;
const OPEN = 1;
/** The number of failed connections in a row after which the next kind is tried. */
const FAILURES_BORNE = 2;
/** How long a fallback runs before WebSockets are tried again; doubled after each try that fails. */
const BETTER_FIRST_MS = 60_000;

/**
 * @typedef {{ c: string, conv: string, n?: number, type: string, at?: number, data: any }} PushEvent
 * @typedef {{ conv: string, type: string, data: any }} Ephemeral
 * @typedef {"idle" | "loading" | "connecting" | "replaying" | "live" | "waiting" | "ended"} PushState
 * @typedef {{ after(ms: number, run: () => void): () => void }} Clock `after` returns its cancel function
 * @typedef {new (url: string, protocol: string) => any} Socket
 *
 * @typedef {object} PushOptions
 * @property {string} url `ws://host/v3/push`
 * @property {string} token
 * @property {() => Promise<{ c: string, heads?: Record<string, number>, user?: string }>} load
 *   loads a snapshot (`GET /v3/sync`); a thrown `{ status: 401 }` ends the feed, other errors are retried
 * @property {(event: PushEvent) => void} onEvent
 * @property {(state: PushState, detail: { why?: string, retryMs?: number }) => void} [onState]
 * @property {(ephemeral: Ephemeral) => void} [onEphemeral]
 * @property {() => unknown} [onHeard] called with each frame, of any kind
 * @property {(frame: any) => void} [onError] the server's `err` frames
 * @property {Socket} [WebSocket]
 * @property {Socket[]} [fallbacks] used in this order where WebSockets do not get through
 * @property {Clock} [clock]
 * @property {() => number} [random]
 */

/** Milliseconds before the next try: doubling up to 30 s, with jitter so that clients spread out. */
export function backoff(/** @type {number} */ attempt, /** @type {() => number} */ random = Math.random) {
  const most = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(most * (0.5 + random() / 2));
}

/**
 * Whether the conversation ends for this user with the event. Somebody who was away does not get the events
 * before it, so its number may leave a gap.
 */
function endsFor(/** @type {string} */ user, /** @type {PushEvent} */ { type, data }) {
  if (type === "group.delete") return true;
  const gone = type === "membership.delete" ? (data.memberships ?? []) : [];
  return gone.some((/** @type {{ user_id: string }} */ { user_id }) => user_id === user);
}

/** @type {Clock} */
const realClock = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export class Push {
  #options;
  #clock;
  #random;
  /** @type {PushState} */
  #state = "idle";
  /** @type {any} */
  #socket = null;
  /** The cursor from which the feed goes on; null loads a snapshot first. @type {string | null} */
  #cursor = null;
  /** The user id to whom the feed belongs. */
  #user = "";
  /** The newest `n` delivered, by conversation. @type {Map<string, number>} */
  #heads = new Map();
  #attempt = 0;
  #run = 0;
  #heard = 0;
  #pings = 0;
  #emptyTails = 0;
  /** The gap for which the feed was last resumed: the conversation and the last `n` before it. */
  #hole = "";
  /** Whether the feed has not been live yet since the last snapshot. */
  #untried = false;
  /** Indices into `#kinds()`: the current kind of connection, and the last one that worked. */
  #kind = 0;
  #working = 0;
  /** Connections in a row that got no `welcome`. */
  #failures = 0;
  #betterMs = BETTER_FIRST_MS;
  /** Milliseconds after which the server's `bye` asked to reconnect. @type {number | null} */
  #retryMs = null;
  /** @type {Set<string>} */
  #subscribed = new Set();
  /** Timers by purpose; a new one of the same purpose replaces the old. @type {Map<string, () => void>} */
  #timers = new Map();

  constructor(/** @type {PushOptions} */ options) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#random = options.random ?? Math.random;
  }

  get state() {
    return this.#state;
  }

  get cursor() {
    return this.#cursor;
  }

  start() {
    if (this.#state === "idle") this.#connect();
  }

  /** Ends the feed for good. */
  stop() {
    this.#end("stopped");
  }

  /** Called when the network may have changed: reconnects at once, or checks that the connection lives. */
  poke() {
    if (this.#state === "waiting") this.#connect();
    else if (this.#state === "live") this.#probe();
  }

  /** Forgets a conversation that the client dropped; its next event may have any number. */
  forget(/** @type {string} */ conv) {
    this.#heads.delete(conv);
  }

  read(/** @type {string} */ conv, /** @type {number} */ n) {
    return this.#send({ t: "read", conv, n });
  }

  typing(/** @type {string} */ conv) {
    return this.#send({ t: "typing", conv });
  }

  /** Subscribes to the ephemeral events of these conversations; kept across reconnects. */
  sub(/** @type {string[]} */ conv) {
    for (const one of conv) this.#subscribed.add(one);
    return this.#send({ t: "sub", conv });
  }

  unsub(/** @type {string[]} */ conv) {
    for (const one of conv) this.#subscribed.delete(one);
    return this.#send({ t: "unsub", conv });
  }

  /* The life of a connection. */

  async #connect() {
    this.#drop();
    const run = ++this.#run;
    if (this.#cursor === null) {
      this.#enter("loading");
      try {
        const snapshot = await this.#options.load();
        if (run !== this.#run) return;
        this.#cursor = snapshot.c;
        this.#untried = true;
        this.#user = snapshot.user ?? this.#user;
        this.#heads = new Map(Object.entries(snapshot.heads ?? {}));
      } catch (error) {
        if (run !== this.#run) return;
        if (/** @type {any} */ (error)?.status === 401) this.#end("unauthorized");
        else this.#wait();
        return;
      }
    }
    this.#enter("connecting");
    this.#open(run);
  }

  #open(/** @type {number} */ run) {
    const kinds = this.#kinds();
    const further = Math.max(0, this.#failures - FAILURES_BORNE + 1);
    this.#kind = (this.#working + further) % kinds.length;
    this.#failures += 1;
    const socket = new kinds[this.#kind](this.#options.url, SUBPROTOCOL);
    this.#socket = socket;
    this.#later("hello", HELLO_WAIT_MS, () => this.#lost());
    socket.onopen = () => {
      this.#send({ t: "hello", v: 1, token: this.#options.token, after: this.#cursor });
    };
    socket.onmessage = (/** @type {{ data: unknown }} */ { data }) => {
      if (run === this.#run) this.#receive(data);
    };
    socket.onclose = (/** @type {{ code: number }} */ { code }) => {
      if (run !== this.#run) return;
      const why = FINAL_CODES.get(code);
      if (why) this.#end(why);
      else this.#lost();
    };
  }

  /** @returns {Socket[]} */
  #kinds() {
    return [this.#options.WebSocket ?? globalThis.WebSocket, ...(this.#options.fallbacks ?? [])];
  }

  /** While a fallback is in use, tries a WebSocket from time to time, and switches to it once one opens. */
  #lookForBetter() {
    this.#later("better", this.#betterMs, () => {
      const tried = new (this.#kinds()[0])(this.#options.url, SUBPROTOCOL);
      const run = this.#run;
      tried.onopen = () => {
        tried.onclose = null;
        tried.close(1000);
        if (run !== this.#run) return;
        this.#working = 0;
        this.#connect();
      };
      tried.onclose = () => {
        this.#betterMs *= 2;
        if (run === this.#run) this.#lookForBetter();
      };
    });
  }

  /** The connection is lost: reconnects after a pause. */
  #lost() {
    this.#drop();
    this.#wait();
  }

  #wait() {
    const retryMs = this.#retryMs ?? backoff(this.#attempt, this.#random);
    this.#retryMs = null;
    this.#attempt += 1;
    this.#run += 1;
    this.#enter("waiting", { retryMs });
    this.#later("retry", retryMs, () => this.#connect());
  }

  #end(/** @type {string} */ why) {
    if (this.#state === "ended") return;
    this.#run += 1;
    this.#drop();
    this.#enter("ended", { why });
  }

  #drop() {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
  }

  /* Frames. */

  #receive(/** @type {unknown} */ data) {
    this.#heard += 1;
    this.#options.onHeard?.();
    const frame = JSON.parse(String(data));
    switch (frame.t) {
      case "welcome":
        this.#timers.get("hello")?.();
        this.#user = frame.user_id ?? this.#user;
        this.#failures = 0;
        this.#working = this.#kind;
        if (this.#kind > 0) this.#lookForBetter();
        this.#enter("replaying");
        this.#beat((frame.hb ?? 25) * 1000);
        if (this.#subscribed.size > 0) this.#send({ t: "sub", conv: [...this.#subscribed] });
        break;
      case "ev":
        this.#event(frame);
        break;
      case "eph":
        this.#options.onEphemeral?.(frame);
        break;
      case "synced":
        this.#cursor = frame.c;
        this.#attempt = 0;
        this.#untried = false;
        this.#enter("live");
        break;
      case "reset":
        this.#reload();
        break;
      case "ping":
        this.#send({ t: "ack", c: this.#cursor });
        this.#compare(frame.c);
        break;
      case "pong":
        this.#compare(frame.c);
        break;
      case "bye":
        this.#retryMs = frame.retry_ms ?? null;
        break;
      case "err":
        this.#options.onError?.(frame);
        break;
      // A newer server may send further frames; they are ignored.
    }
  }

  #event(/** @type {PushEvent} */ event) {
    // What only some members hear has no number.
    const { n = null } = event;
    const head = (n !== null && this.#heads.get(event.conv)) || null;
    if (n !== null && head !== null && n > head + 1 && !endsFor(this.#user, event)) {
      this.#gap(`${event.conv} after ${head}`);
      return;
    }
    // A replay is ordered per conversation only, so the cursors of its events are no place to resume from: an
    // interrupted replay starts over, and repeats are dropped by `n`.
    if (this.#state === "live") this.#cursor = event.c;
    if (n !== null && head !== null && n <= head) return;
    if (n !== null) this.#heads.set(event.conv, n);
    this.#emptyTails = 0;
    this.#options.onEvent(event);
  }

  /** Resumes from the cursor to close the gap; if the replay does not close it, loads a snapshot. */
  #gap(/** @type {string} */ hole) {
    if (this.#hole === hole) {
      this.#hole = "";
      this.#reload();
      return;
    }
    this.#hole = hole;
    this.#connect();
  }

  /** Loads a new snapshot and reconnects with its cursor. */
  #reload() {
    this.#cursor = null;
    this.#heads.clear();
    // The last snapshot never became live: waits first, so as not to load snapshots without a pause.
    if (this.#untried) this.#lost();
    else this.#connect();
  }

  /** Resumes to get missing events if our cursor stays behind the server's newest for 2 s. */
  #compare(/** @type {string | undefined} */ newest) {
    const behind = () => this.#state === "live" && newest !== this.#cursor;
    // After two resumes that brought nothing, the newer cursor belongs to events that are not for us.
    if (!newest || !behind() || this.#emptyTails >= 2) return;
    const before = this.#cursor;
    this.#later("tail", TAIL_GRACE_MS, () => {
      if (!behind() || this.#cursor !== before) return;
      this.#emptyTails += 1;
      this.#connect();
    });
  }

  /* Heartbeats. */

  #beat(/** @type {number} */ ms) {
    this.#later("beat", ms, () => {
      this.#probe();
      this.#beat(ms);
    });
  }

  /** Sends a ping; if nothing arrives within 10 s, the connection is dead, whatever the socket's state is. */
  #probe() {
    const heard = this.#heard;
    this.#pings += 1;
    this.#send({ t: "ping", x: this.#pings });
    this.#later("answer", ANSWER_WAIT_MS, () => {
      if (this.#heard === heard) this.#lost();
    });
  }

  #later(/** @type {string} */ purpose, /** @type {number} */ ms, /** @type {() => void} */ run) {
    this.#timers.get(purpose)?.();
    this.#timers.set(purpose, this.#clock.after(ms, run));
  }

  #send(/** @type {object} */ frame) {
    if (this.#socket?.readyState !== OPEN) return false;
    // A fallback returns false for a frame that it cannot carry.
    return this.#socket.send(JSON.stringify(frame)) !== false;
  }

  #enter(/** @type {PushState} */ state, /** @type {{ why?: string, retryMs?: number }} */ detail = {}) {
    this.#state = state;
    this.#options.onState?.(state, detail);
  }
}
