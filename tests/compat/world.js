/**
 * The real server, people with accounts on it, and the way there for a client that knows
 * only the addresses of another service: its requests reach this server instead, with
 * the Host header that it would have sent. The client itself stays as published.
 */

import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { Server } from "../browser/server.js";

/** What the client believes to talk to. */
const ELSEWHERE = /^(api|v2|push)\.groupme\.com$/;

/** What clients do before their server ends. */
const leaving = new Map();

/** Does this before the server ends. */
export function leaves(server, leave) {
  leaving.set(server, [...(leaving.get(server) ?? []), leave]);
}

/** One server, and everything that this process asks over https goes there. */
export async function world(t) {
  const server = await Server.start();
  t.after(async () => {
    // Who still has a server to say goodbye to does not try for ever.
    for (const leave of leaving.get(server) ?? []) await leave();
    await server.end();
  });
  const usual = { request: https.request, connect: tls.connect };
  https.request = (asked, heard) => leadsHere(server, asked, heard);
  tls.connect = (asked, heard) => socketHere(server, asked, heard);
  t.after(() => {
    https.request = usual.request;
    tls.connect = usual.connect;
  });
  return server;
}

/** What a program heard, one thing after another. */
export class Heard {
  #things = [];
  #wake = () => {};

  takes = (thing) => {
    this.#things.push(thing);
    this.#wake();
  };

  /** The next thing, which comes within a while. */
  async next() {
    const late = AbortSignal.timeout(120_000);
    while (this.#things.length === 0) {
      await new Promise((resolve, reject) => {
        this.#wake = resolve;
        late.onabort = () => reject(new Error("nothing came"));
      });
    }
    return this.#things.shift();
  }

  /** Reads until this comes; repeats before it are allowed, other things are not. */
  async until(wanted, repeats = []) {
    for (;;) {
      const thing = await this.next();
      if (thing === wanted) return;
      assert.ok(repeats.includes(thing), `${thing} came before ${wanted}`);
    }
  }
}

/** A group with a name. */
export async function group(server, who, name) {
  return await server.call("POST", "/v3/groups", { token: who.token, body: { name } });
}

/** Somebody says something in a group. */
export async function says(server, who, { id }, text) {
  const body = { message: { source_guid: `${text} ${Math.random()}`, text } };
  const path = `/v3/groups/${id}/messages`;
  return (await server.call("POST", path, { token: who.token, body })).message;
}

function socketHere(server, asked, heard) {
  assert.match(asked.host, ELSEWHERE, "no connection leaves this machine");
  const here = new URL(server.url);
  return net.connect({ host: here.hostname, port: Number(here.port) }, heard);
}

/** Someone new, with a token. */
export async function person(server, name) {
  const email = `${name.toLowerCase()}@example.org`;
  const body = { name, email, password: "a rope at six" };
  const { user, access_token } = await server.call("POST", "/auth/register", { body });
  return { id: user.id, token: access_token };
}

function leadsHere(server, asked, heard) {
  const host = asked.hostname ?? asked.host;
  assert.match(host, ELSEWHERE, "no request leaves this machine");
  const here = new URL(server.url);
  return http.request(
    {
      method: asked.method,
      path: asked.path,
      headers: { ...asked.headers, Host: host },
      hostname: here.hostname,
      port: here.port,
    },
    heard,
  );
}
