/**
 * Passkeys: the calls, and the browser's part of their ceremonies (WebAuthn).
 *
 * The server writes options in JSON; the browser takes and gives bytes.
 */

import { t } from "../words/words.js";

/**
 * @typedef {{ id: string, name: string, host: string, synced: boolean, created_at: number,
 *   used_at: number | null }} Passkey
 */
/** @typedef {{ state: string, options: any }} Ceremony */
/** @typedef {{ state: string, credential: object }} ShownPasskey */

/** Whether this browser has passkeys, which it keeps for names with TLS and for `localhost`. */
export const hasPasskeys = () =>
  globalThis.isSecureContext &&
  typeof PublicKeyCredential === "function" &&
  !/^[\d.]+$|^\[/.test(location.hostname);

const bytesOf = (/** @type {string} */ text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

const textOf = (/** @type {ArrayBuffer} */ bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** Asks the browser for a credential. @returns {Promise<any>} */
async function ask(/** @type {() => Promise<Credential | null>} */ ceremony) {
  try {
    return await ceremony();
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "InvalidStateError")
      throw new Error(t("This device has a passkey of this account already."));
    throw new Error(t("No passkey was used. Try again."));
  }
}

/** Makes a passkey. @returns {Promise<ShownPasskey>} */
async function made(/** @type {Ceremony} */ { state, options }) {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((/** @type {any} */ known) => ({
      ...known,
      id: bytesOf(known.id),
    })),
  };
  const { id, rawId, type, response } = await ask(() => navigator.credentials.create({ publicKey }));
  const credential = {
    id,
    rawId: textOf(rawId),
    type,
    clientExtensionResults: {},
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: [],
    },
  };
  return { state, credential };
}

/** Uses a passkey. @returns {Promise<ShownPasskey>} */
async function used(/** @type {Ceremony} */ { state, options }) {
  const publicKey = { ...options, challenge: bytesOf(options.challenge) };
  const { id, rawId, type, response } = await ask(() => navigator.credentials.get({ publicKey }));
  const credential = {
    id,
    rawId: textOf(rawId),
    type,
    clientExtensionResults: {},
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle ? textOf(response.userHandle) : null,
    },
  };
  return { state, credential };
}

export function passkeyCalls(
  /** @type {import("../sync/api.js").Api["rest"]} */ { call },
  /** @type {() => Record<string, string>} */ headers,
) {
  const at = (/** @type {string} */ id) => `/auth/passkeys/${encodeURIComponent(id)}`;
  return {
    /** @returns {Promise<Passkey[]>} */
    list: () => call("GET", "/auth/passkeys", {}),
    /** Makes a passkey and adds it. `proof` shows who I am. */
    async add(/** @type {object} */ proof, /** @type {string} */ name) {
      const begun = await call("POST", "/auth/passkeys/register/start", { body: proof });
      const body = { ...(await made(begun)), name };
      await call("POST", "/auth/passkeys/register/finish", { body, headers: headers() });
    },
    rename: (/** @type {string} */ id, /** @type {string} */ name) =>
      call("PATCH", at(id), { body: { name } }),
    remove: (/** @type {string} */ id, /** @type {object} */ proof) =>
      call("DELETE", at(id), { body: proof, headers: headers() }),
    /** Asks for a passkey, as a proof of who I am. */
    show: async () => used(await call("POST", "/auth/passkeys/login/start", { as: null })),
    /** Logs in. @returns {Promise<{ user: import("../sync/types.js").User, access_token: string }>} */
    async logIn() {
      const body = await this.show();
      return call("POST", "/auth/passkeys/login/finish", { body, as: null });
    },
  };
}

/** @typedef {ReturnType<typeof passkeyCalls>} PasskeyCalls */
