/**
 * oauth4webapi as an independent tester of the authorization server: it finds its way by
 * the server's metadata, and checks with its own code what RFC 6749, 7009, 7636, 8414 and
 * 9207 ask for. What a person does on the page, the test does as a browser without scripts.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { Server } from "../browser/server.js";

/** The server under test listens on loopback. */
const INSECURE = { [oauth.allowInsecureRequests]: true };
const CALLBACK = "https://ropes.example/back";
const ANA = { email: "ana@example.org", password: "a rope at six" };

/** A server, somebody with an account, and an application. */
async function fixture(t) {
  const server = await Server.start();
  t.after(() => server.end());
  const body = { name: "Ana", ...ANA };
  const { user, access_token: token } = await server.call("POST", "/auth/register", { body });
  const application = { name: "Ropes", callback_url: CALLBACK };
  const made = await server.call("POST", "/oauth/applications", { token, body: application });
  const issuer = new URL(server.url);
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  return { server, user, as, client: { client_id: made.client_id } };
}

/** What the page's form sends by itself. */
const csrfTokenOf = (page) => /name="seal" value="([^"]+)"/.exec(page)[1];

/** Logs in and decides on the page; where it leads. */
async function decides(url, act) {
  const shown = await fetch(url);
  const sends = (fields, cookie) =>
    fetch(url, { method: "POST", body: new URLSearchParams(fields), headers: { cookie }, redirect: "manual" });
  const cookieOf = (answer) => answer.headers.get("set-cookie").split(";")[0];
  const csrfToken = csrfTokenOf(await shown.text());
  const inside = await sends({ ...ANA, seal: csrfToken, act: "log-in" }, cookieOf(shown));
  assert.equal(inside.status, 303);
  const cookie = cookieOf(inside);
  const question = await fetch(url, { headers: { cookie } });
  const decided = await sends({ seal: csrfTokenOf(await question.text()), act }, cookie);
  assert.equal(decided.status, 302);
  return new URL(decided.headers.get("location"));
}

/** One try to get a token: what the application knows about it. */
async function begins({ as, client }) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint);
  const asked = {
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return { url, verifier, state };
}

/** Spends a code, with this verifier. */
async function spends({ as, client }, params, verifier) {
  const none = oauth.None();
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    none,
    params,
    CALLBACK,
    verifier,
    INSECURE,
  );
  return await oauth.processAuthorizationCodeResponse(as, client, answer);
}

test("it gets a token by a code and uses it", async (t) => {
  const world = await fixture(t);
  const { url, verifier, state } = await begins(world);
  const params = oauth.validateAuthResponse(world.as, world.client, await decides(url, "allow"), state);
  const { access_token: token, token_type: type } = await spends(world, params, verifier);
  assert.equal(type, "bearer");
  const me = new URL("/v3/users/me", world.server.url);
  const answer = await oauth.protectedResourceRequest(token, "GET", me, undefined, undefined, INSECURE);
  assert.equal((await answer.json()).response.id, world.user.id);
});

test("it is told that somebody refused", async (t) => {
  const world = await fixture(t);
  const { url, state } = await begins(world);
  const back = await decides(url, "deny");
  assert.throws(
    () => oauth.validateAuthResponse(world.as, world.client, back, state),
    (error) => error instanceof oauth.AuthorizationResponseError && error.error === "access_denied",
  );
});

test("it is refused a token for the verifier of another try, and for a code spent twice", async (t) => {
  const world = await fixture(t);
  const { url, verifier, state } = await begins(world);
  const params = oauth.validateAuthResponse(world.as, world.client, await decides(url, "allow"), state);
  const refused = (error) => error instanceof oauth.ResponseBodyError && error.error === "invalid_grant";
  await assert.rejects(spends(world, params, oauth.generateRandomCodeVerifier()), refused);
  const { access_token: token } = await spends(world, params, verifier);
  await assert.rejects(spends(world, params, verifier), refused);
  await assert.rejects(world.server.call("GET", "/v3/users/me", { token }), { status: 401 });
});

test("it ends its own token", async (t) => {
  const world = await fixture(t);
  const { url, verifier, state } = await begins(world);
  const params = oauth.validateAuthResponse(world.as, world.client, await decides(url, "allow"), state);
  const { access_token: token } = await spends(world, params, verifier);
  for (const sent of [token, token, "no token"]) {
    const none = oauth.None();
    const answer = await oauth.revocationRequest(world.as, world.client, none, sent, INSECURE);
    await oauth.processRevocationResponse(answer);
  }
  await assert.rejects(world.server.call("GET", "/v3/users/me", { token }), { status: 401 });
});
