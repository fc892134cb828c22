/**
 * An application's callback URL: a small server that receives the redirects.
 *
 * Owns listening and remembering with what people came. Every page it shows is the same.
 */

import { createServer } from "node:http";

const PAGE = "<!doctype html><html lang=en><title>Ropes</title><p>Back at Ropes.</p>";

export class Callback {
  /** @type {((visit: Visit) => void)[]} */
  #waiting = [];
  /** @type {Visit[]} */
  #visits = [];

  /** @typedef {{ query: URLSearchParams, referrer: string | undefined }} Visit */

  /** Listens for as long as the test runs. */
  static async start(/** @type {import("node:test").TestContext} */ t) {
    const callback = new Callback();
    const server = createServer((request, answer) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      if (url.pathname === "/back") {
        callback.#takes({ query: url.searchParams, referrer: request.headers.referer });
      }
      answer.setHeader("Content-Type", "text/html").end(PAGE);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
    t.after(() => server.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    callback.host = `127.0.0.1:${port}`;
    callback.url = `http://${callback.host}/back?from=coterie`;
    return callback;
  }

  host = "";
  url = "";

  #takes(/** @type {Visit} */ visit) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(visit);
    else this.#visits.push(visit);
  }

  /** The next one who comes back. @returns {Promise<Visit>} */
  async visit() {
    const visit = this.#visits.shift();
    return visit ?? new Promise((resolve) => this.#waiting.push(resolve));
  }
}
