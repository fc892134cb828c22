/**
 * oidc-provider as a program: it writes its address, reads the address of the server, and then serves. Tests in
 * other languages start it.
 */

import http from "node:http";
import { createInterface } from "node:readline";
import { Provider } from "oidc-provider";

const listener = http.createServer();
await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${listener.address().port}`;
console.log(issuer);
for await (const server of createInterface({ input: process.stdin })) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "chat",
        client_secret: "a secret of both",
        redirect_uris: [`${server}/auth/oidc/sso/callback`],
        post_logout_redirect_uris: [`${server}/`],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: id, email: `${id}@example.org`, email_verified: true }),
    }),
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    cookies: { keys: ["one", "two"] },
    pkce: { required: () => true },
  });
  listener.on("request", provider.callback());
  console.log("ready");
}
