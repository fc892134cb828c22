/**
 * oidc-provider, a certified OpenID provider, as the issuer with whose accounts people log in here. Its pages
 * are used as a browser without scripts uses them.
 */

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { Provider } from "oidc-provider";
import { Server } from "../browser/server.js";

const ANA = {
  sub: "ana",
  name: "Ana Example",
  email: "ana@example.org",
  email_verified: true,
  groups: ["staff"],
};

/** A browser without scripts: it keeps cookies of each place, and follows redirects until one leads here. */
class Browser {
  #cookies = new Map();

  async #asks(url, init = {}) {
    const jar = this.#cookies.get(url.host) ?? new Map();
    this.#cookies.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...init, headers: { cookie, ...init.headers }, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set);
      jar.set(name, value);
    }
    return answer;
  }

  /** Opens an address and follows redirects. Returns the last address, and its page if there is one. */
  async opens(address, init) {
    let url = new URL(address);
    let answer = await this.#asks(url, init);
    while (answer.status === 302 || answer.status === 303) {
      url = new URL(answer.headers.get("location"), url);
      if (url.hash) return { url, status: answer.status, page: "" };
      answer = await this.#asks(url);
    }
    return { url, status: answer.status, page: await answer.text() };
  }

  /** Sends the form of a page with these fields. */
  async submits({ url, page }, fields) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page)[1].replaceAll("&amp;", "&");
    const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const all = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...fields };
    return await this.opens(new URL(action, url), { method: "POST", body: new URLSearchParams(all) });
  }

  async posts(address, body) {
    const headers = { "Content-Type": "application/json" };
    const answer = await this.#asks(new URL(address), {
      method: "POST",
      body: JSON.stringify(body),
      headers,
    });
    return { status: answer.status, ...(await answer.json()) };
  }
}

/** The provider, and the server whose users log in there. */
async function fixture(t, changes = {}) {
  const listener = http.createServer();
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const issuer = `http://127.0.0.1:${listener.address().port}`;
  const server = await Server.start([
    ...["--oidc-issuer", issuer, "--oidc-client", "chat", "--oidc-secret", "a secret of both"],
    ...["--oidc-scopes", "openid profile email groups", "--oidc-allow-groups", "staff"],
  ]);
  t.after(() => server.end());
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "chat",
        client_secret: "a secret of both",
        redirect_uris: [`${server.url}/auth/oidc/sso/callback`],
        backchannel_logout_uri: `${server.url}/auth/oidc/sso/logout`,
        backchannel_logout_session_required: true,
        ...changes,
      },
    ],
    scopes: ["openid", "profile", "email", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...ANA, sub: id }) }),
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    cookies: { keys: ["one", "two"] },
    // By itself it refuses to send anything to this machine.
    fetch: (url, { dispatcher: _, ...init }) => fetch(url, init),
    pkce: { required: () => true },
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256", "EdDSA"] },
    jwks: { keys: await keys() },
  });
  listener.on("request", provider.callback());
  return { server, issuer, browser: new Browser() };
}

/** Fresh keys, one for each algorithm. */
async function keys() {
  const { subtle } = globalThis.crypto;
  const uses = ["sign", "verify"];
  const rsa = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const made = [
    await subtle.generateKey(rsa, true, uses),
    await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, uses),
    await subtle.generateKey({ name: "Ed25519" }, true, uses),
  ];
  const read = made.map(async ({ privateKey }) => {
    const { key_ops: _, ext: __, alg: ___, ...key } = await subtle.exportKey("jwk", privateKey);
    return { ...key, use: "sig" };
  });
  return await Promise.all(read);
}

/** Logs in at the provider, agrees, and finishes the log-in here. Returns the token. */
async function logsIn({ server, browser }) {
  const asked = await browser.opens(`${server.url}/auth/oidc/sso/start?return=/admin`);
  const agreed = await browser.submits(asked, { prompt: "login", login: "ana", password: "any" });
  const back = await browser.submits(agreed, { prompt: "consent" });
  assert.equal(back.url.pathname, "/admin");
  const code = /^#\/sso\/([\w-]+)$/.exec(back.url.hash)[1];
  const { status, response } = await browser.posts(`${server.url}/auth/oidc/finish`, { code });
  assert.equal(status, 200);
  return response;
}

for (const algorithm of ["RS256", "ES256", "EdDSA"]) {
  test(`user logs in with ${algorithm}, and the provider logs them out`, async (t) => {
    const all = await fixture(t, { id_token_signed_response_alg: algorithm });
    const { server, issuer, browser } = all;
    const { user, access_token: token } = await logsIn(all);
    assert.equal(user.name, "Ana Example");
    assert.equal(user.email, "ana@example.org");
    const [identity] = await server.call("GET", "/auth/identities", { token });
    assert.equal(identity.issuer, issuer);
    const leaving = await browser.opens(`${issuer}/session/end`);
    const left = await browser.submits(leaving, { logout: "yes" });
    assert.equal(left.status, 200);
    const headers = { "X-Access-Token": token };
    const answer = await fetch(`${server.url}/v3/users/me`, { headers });
    assert.equal(answer.status, 401);
  });
}

test("user finds the same account again in another browser", async (t) => {
  const all = await fixture(t);
  const first = await logsIn(all);
  const again = await logsIn({ ...all, browser: new Browser() });
  assert.equal(again.user.id, first.user.id);
});
