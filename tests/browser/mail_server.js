/**
 * A mail server on a port of this machine, which keeps every mail and accepts it unless a test says otherwise
 * (RFC 5321).
 *
 * Owns the conversation and the decoding of texts; a test reads the link of the next mail.
 */

import { createServer } from "node:net";

export class MailServer {
  /** @type {string[]} */
  #mails = [];
  /** @type {((mail: string) => void)[]} */
  #waiting = [];
  /** Replies to the content of the next mails. @type {string[]} */
  #replies = [];
  #server = createServer((socket) => this.#converse(socket));

  /** Starts, and ends together with the test. */
  static async start(/** @type {import("node:test").TestContext} */ t) {
    const mailServer = new MailServer();
    await new Promise((resolve) => mailServer.#server.listen(0, "127.0.0.1", () => resolve(null)));
    t.after(() => mailServer.#server.close());
    return mailServer;
  }

  /** The options with which a server sends its mails here. */
  get options() {
    const { port } = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    return ["--smtp-url", `smtp://127.0.0.1:${port}`, "--mail-from", "Coterie <chat@example.org>"];
  }

  /** Replies so to the content of the next mail, instead of accepting it. */
  refuses(/** @type {string} */ reply) {
    this.#replies.push(reply);
  }

  /** The plain text of the next mail. @returns {Promise<string>} */
  async receives() {
    const mail = this.#mails.shift() ?? (await this.#next());
    const [, rest] = mail.split("Content-Type: text/plain");
    const text = rest.slice(rest.indexOf("\n\n") + 2).split("\n--")[0];
    const bytes = text
      .replaceAll("=\n", "")
      .replace(/=([0-9A-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
    return Buffer.from(bytes, "latin1").toString("utf8");
  }

  /** The link in the next mail that leads to this page. */
  async link(/** @type {string} */ page) {
    for (;;) {
      const found = new RegExp(`(/#/${page}/\\S+)`).exec(await this.receives());
      if (found) return found[1];
    }
  }

  /** @returns {Promise<string>} */
  #next() {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #converse(/** @type {import("node:net").Socket} */ socket) {
    let rest = "";
    let isContent = false;
    socket.setEncoding("latin1");
    socket.on("error", () => {});
    socket.write("220 mail.example.org\r\n");
    socket.on("data", (/** @type {string} */ piece) => {
      rest += piece;
      for (;;) {
        const end = rest.indexOf(isContent ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const line = rest.slice(0, end);
        rest = rest.slice(end + (isContent ? 5 : 2));
        const reply = (isContent && this.#replies.shift()) || "250 ok";
        if (isContent) this.#keep(line.replaceAll("\r\n", "\n"));
        isContent = !isContent && line === "DATA";
        if (line === "QUIT") return socket.end("221 bye\r\n");
        socket.write(isContent ? "354 go ahead\r\n" : `${reply}\r\n`);
      }
    });
  }

  #keep(/** @type {string} */ mail) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(mail);
    else this.#mails.push(mail);
  }
}
