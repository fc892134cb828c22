/**
 * An issuer of OpenID Connect that asks nothing: everybody who comes is logged in at once as the person that
 * the test named.
 */

import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

/** @typedef {{ sub: string, name: string, email: string, email_verified: boolean }} Claims */

const CLIENT = "chat";
export const SECRET = "a secret of both";

export class Issuer {
  #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  /** @type {Map<string, { nonce: string, challenge: string, claims: Claims }>} */
  #codes = new Map();
  #server = createServer((request, response) => this.#answers(request, response));
  /** Who logs in next. @type {Claims} */
  person = { sub: "ana", name: "Ana Example", email: "ana@example.org", email_verified: true };
  url = "";
  /** How many sessions ended here. */
  ended = 0;

  /** Starts an issuer that ends together with the test. */
  static async start(/** @type {import("node:test").TestContext} */ t) {
    const issuer = new Issuer();
    await new Promise((resolve) => issuer.#server.listen(0, "127.0.0.1", () => resolve(null)));
    const address = /** @type {import("node:net").AddressInfo} */ (issuer.#server.address());
    issuer.url = `http://127.0.0.1:${address.port}`;
    t.after(() => {
      issuer.#server.closeAllConnections();
      issuer.#server.close();
    });
    return issuer;
  }

  /** The options of a server whose users log in here. */
  options() {
    return [
      "--oidc-issuer",
      this.url,
      "--oidc-client",
      CLIENT,
      "--oidc-secret",
      SECRET,
      "--oidc-name",
      "Example ID",
    ];
  }

  async #answers(
    /** @type {import("node:http").IncomingMessage} */ request,
    /** @type {import("node:http").ServerResponse} */ response,
  ) {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    if (pathname === "/end") {
      this.ended += 1;
      response.writeHead(302, { Location: searchParams.get("post_logout_redirect_uri") ?? "/" }).end();
      return;
    }
    if (pathname === "/authorize") {
      response.writeHead(302, { Location: this.#admits(searchParams) }).end();
      return;
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = this.#document(pathname, new URLSearchParams(body));
    response
      .writeHead(answer ? 200 : 400, { "Content-Type": "application/json" })
      .end(JSON.stringify(answer));
  }

  /** Where the browser goes back to. */
  #admits(/** @type {URLSearchParams} */ asked) {
    const code = randomUUID();
    const text = (/** @type {string} */ name) => asked.get(name) ?? "";
    this.#codes.set(code, { nonce: text("nonce"), challenge: text("code_challenge"), claims: this.person });
    const back = new URL(text("redirect_uri"));
    back.searchParams.set("code", code);
    back.searchParams.set("state", text("state"));
    return back.href;
  }

  #document(/** @type {string} */ path, /** @type {URLSearchParams} */ form) {
    if (path === "/.well-known/openid-configuration")
      return {
        issuer: this.url,
        authorization_endpoint: `${this.url}/authorize`,
        token_endpoint: `${this.url}/token`,
        jwks_uri: `${this.url}/keys`,
        end_session_endpoint: `${this.url}/end`,
      };
    if (path === "/keys") return { keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "1" }] };
    const given = this.#codes.get(form.get("code") ?? "");
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (given?.challenge !== challenge) return null;
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300, auth_time: now };
    const token = this.#signed({ iss: this.url, aud: CLIENT, nonce: given.nonce, ...times, ...given.claims });
    return { id_token: token, access_token: "unused", token_type: "Bearer" };
  }

  #signed(/** @type {object} */ claims) {
    const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const text = `${part({ alg: "ES256", kid: "1" })}.${part(claims)}`;
    const key = { key: this.#keys.privateKey, dsaEncoding: /** @type {const} */ ("ieee-p1363") };
    return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
  }
}
