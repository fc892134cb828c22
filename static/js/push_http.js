/**
 * The feed without WebSockets, for networks that let none through: server-sent events, and
 * where even those are held back, one question after another.
 *
 * Both look like a WebSocket to the push client: the same frames come in the same order. Of
 * what goes out, only the hello means something; marks and typing have no way here.
 */

/** As long as the server lets a question wait. */
const WAIT_SECONDS = 30;
/** A line on which nothing came for so long, not even a sign of life, is dead. */
const SILENCE_MS = 70_000;

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** What the push client understands as: this token is no longer good. */
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

  /** Whether it was carried. */
  send(/** @type {string} */ text) {
    /** @type {Frame} */
    const frame = JSON.parse(text);
    if (frame.t === "hello") this.#run(frame.token, frame.after);
    // Whether the line stands is known here: what came last was not long ago.
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

  /** Tells frames until the line ends. @returns {Promise<void>} */
  async follow(/** @type {string} */ _token, /** @type {string} */ _after) {}

  /** @returns {Promise<Response>} */
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

/** Server-sent events. */
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

/** What one server-sent event carries; empty for a comment. */
export function dataOf(/** @type {string} */ block) {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice("data:".length).trimStart()).join("\n");
}

/** One question after another. */
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
