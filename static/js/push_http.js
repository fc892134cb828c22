/**
 * The feed without WebSockets, for networks that block them: server-sent events, and long polling where even
 * those are held back.
 *
 * Both look like a WebSocket to the push client: they deliver the same frames in the same order. Outgoing,
 * only `hello` and `ping` are understood; read marks and typing cannot be sent here.
 */

/** How long the server holds a request open, at most. */
const WAIT_SECONDS = 30;
/** A connection on which nothing arrived for this long, not even a heartbeat, is dead. */
const SILENCE_MS = 70_000;

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** The close code that the push client understands as an invalid token. */
const UNAUTHORIZED = 4401;
const LOST = 1006;

/** @typedef {{ t: string, [name: string]: any }} Frame */

class HttpFeed {
  readyState = CONNECTING;
  /** @type {(() => void) | null} */
  onopen = null;
  /** @type {((event: { data: string }) => void) | null} */
  onmessage = null;
  /** @type {((event: { code: number }) => void) | null} */
  onclose = null;
  #ended = new AbortController();
  #base;
  #heardAt = Date.now();

  constructor(/** @type {string} */ url) {
    this.#base = url.replace(/^ws/, "http").replace(/\/push$/, "");
    queueMicrotask(() => {
      if (this.readyState !== CONNECTING) return;
      this.readyState = OPEN;
      this.onopen?.();
    });
  }

  /** Returns whether the frame was carried. */
  send(/** @type {string} */ text) {
    /** @type {Frame} */
    const frame = JSON.parse(text);
    if (frame.t === "hello") this.#run(frame.token, frame.after);
    // Pings are answered here: the connection counts as alive if something arrived within `SILENCE_MS`.
    if (frame.t === "ping" && Date.now() - this.#heardAt < SILENCE_MS) this.tell({ t: "pong", x: frame.x });
    return frame.t === "hello" || frame.t === "ping";
  }

  close() {
    this.readyState = CLOSED;
    this.#ended.abort();
  }

  async #run(/** @type {string} */ token, /** @type {string} */ after) {
    let code = LOST;
    try {
      await this.follow(token, after);
    } catch (error) {
      if (/** @type {any} */ (error)?.status === 401) code = UNAUTHORIZED;
    }
    if (this.readyState === CLOSED) return;
    this.close();
    this.onclose?.({ code });
  }

  /** Delivers frames until the connection ends. @returns {Promise<void>} */
  async follow(/** @type {string} */ _token, /** @type {string} */ _after) {}

  /**
   * Requests a path of the API; throws with the status if the answer is no success.
   * @returns {Promise<Response>}
   */
  async ask(/** @type {string} */ path, /** @type {string} */ token) {
    const headers = { "X-Access-Token": token };
    const answer = await fetch(this.#base + path, {
      headers,
      cache: "no-store",
      signal: this.#ended.signal,
    });
    if (!answer.ok)
      throw Object.assign(new Error(`the feed was refused: ${answer.status}`), { status: answer.status });
    return answer;
  }

  heard() {
    this.#heardAt = Date.now();
  }

  tell(/** @type {Frame} */ frame) {
    if (this.readyState === OPEN) this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

/** The feed over server-sent events. */
export class StreamFeed extends HttpFeed {
  async follow(/** @type {string} */ token, /** @type {string} */ after) {
    const answer = await this.ask(`/events/stream?after=${encodeURIComponent(after)}`, token);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      this.heard();
      const blocks = (rest + part.value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = dataOf(block);
        if (data && this.readyState === OPEN) this.onmessage?.({ data });
      }
    }
  }
}

/** The data of one server-sent event; empty for a comment. */
export function dataOf(/** @type {string} */ block) {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice("data:".length).trimStart()).join("\n");
}

/** The feed over long polling, one request after another. */
export class PollFeed extends HttpFeed {
  async follow(/** @type {string} */ token, /** @type {string} */ after) {
    let cursor = after;
    let isLive = false;
    while (this.readyState === OPEN) {
      const wait = isLive ? WAIT_SECONDS : 0;
      const path = `/events?after=${encodeURIComponent(cursor)}&wait=${wait}`;
      const page = (await (await this.ask(path, token)).json()).response;
      this.heard();
      if (!isLive && cursor === after) this.tell({ t: "welcome", v: 1 });
      if (page.reset) return this.tell({ t: "reset", c: page.c });
      for (const event of page.events) this.tell(event);
      cursor = page.c;
      if (isLive || page.more) continue;
      isLive = true;
      this.tell({ t: "synced", c: cursor });
    }
  }
}
