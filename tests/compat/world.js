/**
 * The real server, people with accounts on it, and the way there for a client that knows
 * only the addresses of another service: its requests reach this server instead, with
 * the Host header that it would have sent. The client itself stays as published.
 */

import assert from "node:assert/strict";
import http from "node:http";
import https from "node:https";
import { Server } from "../browser/server.js";

/** What the client believes to talk to. */
const ELSEWHERE = /^(api|v2)\.groupme\.com$/;

/** One server, and everything that this process asks over https goes there. */
export async function world(t) {
  const server = await Server.start();
  t.after(() => server.end());
  const usual = https.request;
  https.request = (asked, heard) => leadsHere(server, asked, heard);
  t.after(() => {
    https.request = usual;
  });
  return server;
}

/** Someone new, with a token. */
export async function person(server, name) {
  const email = `${name.toLowerCase()}@example.org`;
  const body = { name, email, password: "a rope at six" };
  const { user, access_token } = await server.call("POST", "/auth/register", { body });
  return { id: user.id, token: access_token };
}

function leadsHere(server, asked, heard) {
  assert.match(asked.hostname, ELSEWHERE, "no request leaves this machine");
  const here = new URL(server.url);
  return http.request(
    {
      method: asked.method,
      path: asked.path,
      headers: { ...asked.headers, Host: asked.hostname },
      hostname: here.hostname,
      port: here.port,
    },
    heard,
  );
}
