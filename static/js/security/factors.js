/**
 * The section about the second factor: setting up one-time codes, recovery codes, trusted devices.
 *
 * Owns what of it is on the page. Loads everything each time the account is opened.
 */

import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { openForm } from "../ui/dialog_form.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { createFactorSetup, recoveryCodes } from "./factor_setup.js";
import { askForProof } from "./proof.js";
import { requiredWords } from "./required_factor.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("./factor_calls.js").FactorState} FactorState */
/** @typedef {import("./factor_calls.js").TrustedDevice} TrustedDevice */

export function createFactors(/** @type {App} */ app) {
  const calls = app.factors;
  const alert = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "hidden", role: "status" });
  const words = h("p", { class: "quiet" });
  const required = h("p", { hidden: true });
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
    required,
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
      app.factorIs(state);
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  function fill(/** @type {FactorState} */ state, /** @type {TrustedDevice[]} */ trusted) {
    setText(words, stateWords(state));
    const until = state.required_until ?? null;
    required.hidden = until === null;
    setText(required, until === null ? "" : requiredWords(until, Date.now() / 1000));
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
      setText(alert, reasonOf(error));
      return;
    }
    await changed(t("{it}: ended.", { it: device.name }));
  }

  /** @returns {import("../ui/dom.js").Row} */
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

/** Opens the window that sets one-time codes up. */
async function openSetup(/** @type {App} */ app, /** @type {(said: string) => Promise<void>} */ changed) {
  const setup = createFactorSetup(app, () => changed(t("Two-factor log-in is on.")));
  openForm({
    title: t("Set up one-time codes"),
    asks: [setup.node],
    act: t("Continue"),
    async onSubmit(close) {
      if (await setup.next()) close();
    },
  });
  await setup.begin();
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
        asks: [h("div", { class: "dialog-form" }, ...recoveryCodes(codes))],
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
    more: [
      h(
        "p",
        { class: "quiet" },
        t("A server that asks for a second factor will ask you to set one up again."),
      ),
    ],
    async act(proof) {
      await app.factors.remove(proof);
      await changed(t("Two-factor log-in is off."));
    },
  });
}
