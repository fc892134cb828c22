/**
 * The section about the second factor: setting up one-time codes, recovery codes, trusted devices.
 *
 * Owns what of it is on the page. Loads everything each time the account is opened.
 */

import { ApiError } from "../api.js";
import { fillWith, h, reconcile, setText } from "../dom.js";
import { fullTime, isoTime, shortTime } from "../time.js";
import { t } from "../words.js";
import { copyable } from "./copy.js";
import { openForm } from "./dialog_form.js";
import { allRight, field } from "./field.js";
import { askForProof, passkeyButton } from "./proof.js";
import { drawn } from "./qr_code.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../factor_calls.js").FactorState} FactorState */
/** @typedef {import("../factor_calls.js").TrustedDevice} TrustedDevice */

const codeField = (/** @type {string} */ hint) =>
  field({
    label: t("Code"),
    name: "code",
    autocomplete: "one-time-code",
    spellcheck: "false",
    dir: "ltr",
    hint,
  });

const passwordField = () =>
  field({ label: t("Password"), type: "password", autocomplete: "current-password", name: "password" });

export function createFactors(/** @type {App} */ app) {
  const calls = app.factors;
  const alert = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "hidden", role: "status" });
  const words = h("p", { class: "quiet" });
  const turn = h("button", { class: "button", type: "button" });
  const renew = h(
    "button",
    { class: "button", type: "button", hidden: true, onclick: () => openRenewal(app, changed) },
    t("New recovery codes"),
  );
  const devices = h("ul", { class: "keys" });
  const devicesTitle = h("h4", {}, t("Trusted devices"));
  const node = h(
    "section",
    { "aria-label": t("Two-factor log-in") },
    h("h3", {}, t("Two-factor log-in")),
    words,
    alert,
    h("div", { class: "button-row" }, turn, renew),
    devicesTitle,
    devices,
    status,
  );

  async function load() {
    setText(alert, "");
    try {
      const [state, trusted] = await Promise.all([calls.state(), calls.devices()]);
      fill(state, trusted);
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
    }
  }

  function fill(/** @type {FactorState} */ state, /** @type {TrustedDevice[]} */ trusted) {
    setText(words, stateWords(state));
    setText(turn, state.enabled ? t("Turn off") : t("Set up one-time codes"));
    turn.onclick = () => (state.enabled ? openRemoval(app, changed) : openSetup(app, changed));
    renew.hidden = !state.enabled;
    devicesTitle.hidden = devices.hidden = trusted.length === 0;
    reconcile(devices, trusted.map(row));
  }

  async function changed(/** @type {string} */ said) {
    await load();
    setText(status, said);
  }

  async function forget(/** @type {TrustedDevice} */ device) {
    try {
      await calls.forget(device.id);
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
      return;
    }
    await changed(t("{it}: ended.", { it: device.name }));
  }

  /** @returns {import("../dom.js").Row} */
  function row(/** @type {TrustedDevice} */ device) {
    const until = h(
      "time",
      { datetime: isoTime(device.expires_at), title: fullTime(device.expires_at) },
      shortTime(device.expires_at, Date.now() / 1000),
    );
    const name = device.name || t("Another session");
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, name),
          h("p", { class: "quiet" }, t("No code needed until "), until),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": t("End: {it}", { it: name }),
            onclick: () => forget(device),
          },
          t("End"),
        ),
      );
    return { key: device.id, sign: JSON.stringify(device), build };
  }

  return { node, load };
}

function stateWords(/** @type {FactorState} */ { enabled, recovery_codes: left }) {
  if (!enabled) return t("Log-ins need your password alone. One-time codes from an app protect them better.");
  return left === 0
    ? t("Log-ins need a one-time code from your app. You have no recovery codes left.")
    : t("Log-ins need a one-time code from your app. Recovery codes left: {left}.", { left });
}

/** Opens the window that sets one-time codes up. Asks for the password if the log-in is too old. */
async function openSetup(/** @type {App} */ app, /** @type {(said: string) => Promise<void>} */ changed) {
  const calls = app.factors;
  const place = h("div", { class: "dialog-form" });
  const password = passwordField();
  const code = codeField(t("The six digits that the app shows."));
  /** @type {"password" | "code" | "codes"} */
  let step = "code";

  async function begin() {
    try {
      const { secret, uri } = await calls.begin();
      step = "code";
      fillWith(
        place,
        h("p", { class: "quiet" }, t("Scan this with an authenticator app, or type the key into it.")),
        drawn(uri, t("QR code of the key")),
        copyable({ label: t("key"), text: secret }),
        code.node,
      );
      code.input.focus();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      step = "password";
      const passkey = passkeyButton(app, async (shown) => {
        await calls.prove({ passkey: shown });
        await begin();
      });
      const words = h("p", { class: "quiet" }, t("Please confirm that it is you."));
      fillWith(place, words, password.node, passkey);
      password.input.focus();
    }
  }

  function showCodes(/** @type {string[]} */ codes) {
    step = "codes";
    fillWith(place, ...codeWords(codes));
  }

  openForm({
    title: t("Set up one-time codes"),
    asks: [place],
    act: t("Continue"),
    async onSubmit(close) {
      if (step === "codes") return close();
      if (step === "password") {
        if (!allRight([[password, password.input.value === "" && t("Enter your password.")]])) return;
        await calls.prove({ password: password.input.value });
        return begin();
      }
      if (!allRight([[code, code.input.value.trim() === "" && t("Enter the code.")]])) return;
      const { recovery_codes: codes } = await calls.confirm(code.input.value);
      showCodes(codes);
      changed(t("Two-factor log-in is on."));
    },
  });
  try {
    await begin();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    fillWith(place, h("p", { class: "alert", role: "alert" }, why));
  }
}

/** New recovery codes, and how to keep them. */
function codeWords(/** @type {string[]} */ codes) {
  const text = codes.join("\n");
  const file = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
  return [
    h(
      "p",
      {},
      t("Keep these recovery codes. Each works once in place of a one-time code. They are not shown again."),
    ),
    copyable({ label: t("recovery codes"), text, isLong: true }),
    h("a", { class: "button", href: file, download: "coterie-recovery-codes.txt" }, t("Download")),
  ];
}

/** Opens the window that replaces the recovery codes. */
function openRenewal(/** @type {App} */ app, /** @type {(said: string) => Promise<void>} */ changed) {
  askForProof(app, {
    both: true,
    title: t("New recovery codes"),
    words: t("The former recovery codes end."),
    async act(proof, close) {
      const { recovery_codes: codes } = await app.factors.renew(proof);
      close();
      openForm({
        title: t("New recovery codes"),
        asks: [h("div", { class: "dialog-form" }, ...codeWords(codes))],
        act: t("Continue"),
        onSubmit: async (shut) => shut(),
      });
      await changed(t("Your recovery codes were replaced."));
    },
  });
}

/** Opens the window that turns the second factor off. */
function openRemoval(/** @type {App} */ app, /** @type {(said: string) => Promise<void>} */ changed) {
  askForProof(app, {
    both: true,
    title: t("Turn off two-factor log-in?"),
    words: t("Recovery codes and trusted devices end too."),
    label: t("Turn off"),
    danger: true,
    async act(proof) {
      await app.factors.remove(proof);
      await changed(t("Two-factor log-in is off."));
    },
  });
}
