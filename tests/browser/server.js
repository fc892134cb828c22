/**
 * The real server as a process with a data directory of its own.
 *
 * Owns starting, killing and starting again on the same port. The binary is named by
 * COTERIE_BIN; without it, the debug build of this repository is used.
 */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BINARY =
  process.env.COTERIE_BIN ?? fileURLToPath(new URL("../../target/debug/coterie", import.meta.url));

/** Settings of this shell are not settings of the server under test. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("COTERIE_")),
);

export class Server {
  /** @type {import("node:child_process").ChildProcess | null} */
  #process = null;
  #dataDir;
  /** Where it listens; the port stays the same after a restart. */
  url = "";

  #options;

  constructor(/** @type {string} */ dataDir, /** @type {string[]} */ options) {
    this.#dataDir = dataDir;
    this.#options = options;
  }

  /** Options are those of the command line. */
  static async start(/** @type {string[]} */ options = []) {
    const server = new Server(await mkdtemp(join(tmpdir(), "coterie-browser-")), options);
    try {
      await server.starts();
    } catch (error) {
      await server.end();
      throw error;
    }
    return server;
  }

  /** Resolves once the server says that it listens. */
  async starts() {
    const address = this.url ? new URL(this.url).host : "127.0.0.1:0";
    const fixed = ["--listen", address, "--data-dir", this.#dataDir];
    const started = spawn(BINARY, [...fixed, ...this.#options], {
      stdio: ["ignore", "pipe", "pipe"],
      env: ENVIRONMENT,
    });
    this.#process = started;
    let log = "";
    started.stderr.on("data", (chunk) => {
      log = (log + chunk).slice(-20_000);
    });
    this.url = await new Promise((resolve, reject) => {
      createInterface({ input: started.stdout }).on("line", (line) => {
        const found = /^coterie listening on (\S+)$/.exec(line);
        if (found) resolve(found[1]);
      });
      started.on("error", reject);
      started.on("exit", (code) =>
        reject(new Error(`the server ended with ${code} before it listened\n${log}`)),
      );
    });
  }

  /** No goodbye: as when the power goes. */
  async isKilled() {
    const process = this.#process;
    this.#process = null;
    if (!process || process.exitCode !== null) return;
    const gone = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGKILL");
    await gone;
  }

  async end() {
    await this.isKilled();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** One REST call, as another program would make it. @returns {Promise<any>} the `response` */
  async call(
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {{ token?: string, body?: object }} */ { token, body } = {},
  ) {
    /** @type {Record<string, string>} */
    const headers = { "Content-Type": "application/json" };
    if (token) headers["X-Access-Token"] = token;
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const envelope = await answer.json().catch(() => null);
    if (!answer.ok) {
      throw Object.assign(
        new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(envelope?.meta)}`),
        {
          status: answer.status,
        },
      );
    }
    return envelope?.response;
  }
}
