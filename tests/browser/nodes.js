/**
 * Several nodes over one log, and the addresses in front of them that people use.
 *
 * Owns the server of the log, the nodes and the balancers, and ends all of them. A balancer
 * passes each connection to the first of its nodes that lives, as one in front of real nodes
 * does: a client of a node that died finds the next one at the same address.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Server } from "./server.js";

const LOG_SERVER = fileURLToPath(new URL("../../target/tools/bin/nats-server", import.meta.url));

export class Nodes {
  /** @type {Server[]} */
  all = [];
  #folder = "";
  #key = "";
  #log = "";

  /** So many of them, each of which serves; they end with the test. */
  static async start(/** @type {import("node:test").TestContext} */ t, /** @type {number} */ count) {
    const nodes = new Nodes();
    nodes.#folder = await mkdtemp(join(tmpdir(), "coterie-log-"));
    t.after(() => rm(nodes.#folder, { recursive: true, force: true }));
    nodes.#key = join(nodes.#folder, "installation.key");
    await writeFile(nodes.#key, randomBytes(32), { mode: 0o600 });
    await nodes.#startsTheLog(t);
    while (nodes.all.length < count) {
      const name = `node-${nodes.all.length + 1}`;
      const options = ["--nats", nodes.#log, "--node", name, "--replicas", "1"];
      // The log's server has a port of its own choice, so nodes cannot know its port for monitoring.
      options.push("--cluster-key-file", nodes.#key, "--allow-unknown-sync");
      const node = await Server.start(options);
      t.after(() => node.end());
      nodes.all.push(node);
    }
    return nodes;
  }

  async #startsTheLog(/** @type {import("node:test").TestContext} */ t) {
    const config = join(this.#folder, "nats.conf");
    const store = join(this.#folder, "log");
    await writeFile(
      config,
      `listen: "127.0.0.1:-1"\nmax_payload: 9MB\njetstream { store_dir: "${store}", sync_interval: always }\n`,
    );
    const started = spawn(LOG_SERVER, ["-c", config], { stdio: ["ignore", "ignore", "pipe"] });
    t.after(async () => {
      const gone = once(started, "exit");
      started.kill("SIGKILL");
      await gone;
    });
    for await (const line of createInterface({ input: started.stderr })) {
      const found = /client connections on (\S+)$/.exec(line);
      if (found) this.#log = `nats://${found[1]}`;
      if (line.includes("Server is ready")) break;
    }
    started.stderr.resume();
  }

  /** An address that leads to the first of these nodes that lives. @returns {Promise<string>} */
  async address(/** @type {import("node:test").TestContext} */ t, /** @type {Server[]} */ ...preferred) {
    const ports = preferred.map((node) => Number(new URL(node.url).port));
    const balancer = createServer((socket) => passOn(socket, ports));
    t.after(() => balancer.close());
    balancer.listen(0, "127.0.0.1");
    await once(balancer, "listening");
    const { port } = /** @type {import("node:net").AddressInfo} */ (balancer.address());
    return `http://127.0.0.1:${port}`;
  }
}

function passOn(/** @type {import("node:net").Socket} */ socket, /** @type {number[]} */ [port, ...others]) {
  if (port === undefined) {
    socket.destroy();
    return;
  }
  const node = connect(port, "127.0.0.1");
  const refused = () => passOn(socket, others);
  node.once("error", refused);
  node.once("connect", () => {
    node.off("error", refused);
    for (const [end, other] of [
      [socket, node],
      [node, socket],
    ]) {
      end.on("error", () => other.destroy());
      end.on("close", () => other.destroy());
    }
    socket.pipe(node).pipe(socket);
  });
}
