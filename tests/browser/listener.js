/**
 * A bot's listener: a small server that takes callbacks and answers as it is told.
 *
 * Owns listening, answering and remembering what came.
 */

import { createServer } from "node:http";

/** @typedef {{ headers: import("node:http").IncomingHttpHeaders, raw: string, body: any }} Heard */

export class Listener {
  /** @type {Heard[]} */
  #heard = [];
  /** @type {((heard: Heard) => void)[]} */
  #waiting = [];
  /** What it answers next; 204 when nothing is left. @type {(number | Promise<number>)[]} */
  #answers = [];
  url = "";

  /** Listens for as long as the test runs. */
  static async start(/** @type {{ after: (end: () => void) => void }} */ t) {
    const listener = new Listener();
    const server = createServer((request, answer) => listener.#takes(request, answer));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
    t.after(() => server.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    listener.url = `http://127.0.0.1:${port}/echo`;
    return listener;
  }

  /** The next answers, in this order; one that is promised is given once it is known. */
  answers(/** @type {(number | Promise<number>)[]} */ ...statuses) {
    this.#answers.push(...statuses);
  }

  async #takes(
    /** @type {import("node:http").IncomingMessage} */ request,
    /** @type {import("node:http").ServerResponse} */ answer,
  ) {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const next = this.#answers.shift() ?? 204;
    const heard = { headers: request.headers, raw: body, body: JSON.parse(body) };
    const waiting = this.#waiting.shift();
    if (waiting) waiting(heard);
    else this.#heard.push(heard);
    const status = await next;
    const words = status >= 400 ? JSON.stringify({ error: `no rope ${status}` }) : "";
    answer.writeHead(status, { "Content-Type": "application/json" }).end(words);
  }

  /** The next callback. @returns {Promise<Heard>} */
  async hears() {
    const heard = this.#heard.shift();
    return heard ?? new Promise((resolve) => this.#waiting.push(resolve));
  }
}
