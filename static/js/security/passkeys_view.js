/**
 * The section about passkeys: the list, adding, renaming and removing.
 *
 * Loads everything each time the account is opened. Hidden where the server has no passkeys.
 */

import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { confirm } from "../ui/confirm.js";
import { openForm } from "../ui/dialog_form.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { allRight, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { hasPasskeys } from "./passkeys.js";
import { askForProof } from "./proof.js";

/** @typedef {import("./passkeys.js").Passkey} Passkey */

const LONGEST_NAME = 60;

export function createPasskeys(/** @type {import("../app/app.js").App} */ app) {
  const { passkeys: calls } = app;
  const title = t("Passkeys");
  const alert = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "hidden", role: "status" });
  const list = h("ul", { class: "keys" });
  const add = h("button", { class: "button", type: "button", onclick: openAddition }, t("Add a passkey"));
  const elsewhere = h(
    "p",
    { class: "quiet", hidden: true },
    t("This browser has no passkeys at this address. They need https and a name."),
  );
  const node = h(
    "section",
    { "aria-label": title, hidden: true },
    h("h3", {}, title),
    h(
      "p",
      { class: "quiet" },
      t("With a passkey you log in by fingerprint, face or PIN of your device, without a password."),
    ),
    alert,
    list,
    add,
    elsewhere,
    status,
  );
  /** Whether a change of the factors needs both of them. */
  let hasTwo = false;

  async function load() {
    setText(alert, "");
    try {
      const [options, passkeys, { enabled }] = await Promise.all([
        app.options(),
        calls.list(),
        app.factors.state(),
      ]);
      hasTwo = enabled;
      node.hidden = !options.passkeys && passkeys.length === 0;
      add.hidden = !options.passkeys || !hasPasskeys();
      elsewhere.hidden = !add.hidden;
      reconcile(list, passkeys.map(row));
    } catch (error) {
      setText(alert, wordsOf(error));
    }
  }

  async function changed(/** @type {string} */ said) {
    await load();
    setText(status, said);
  }

  /** Runs an act with the proof that it needs. */
  async function prove(/** @type {(proof: object) => Promise<unknown>} */ act) {
    if (hasTwo) return askForProof(app, { both: true, act });
    try {
      await act({});
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      askForProof(app, { act });
    }
  }

  function openAddition() {
    const name = nameField(t("So that you recognize it: the device, or where the passkey is stored."));
    openForm({
      title: t("Add a passkey"),
      asks: [name.node],
      act: t("Continue"),
      async onSubmit(close) {
        if (!isNamed(name)) return;
        await prove(async (proof) => {
          await calls.add(proof, name.input.value.trim());
          await changed(t("The passkey was added."));
        });
        close();
      },
    });
  }

  function openRenaming(/** @type {Passkey} */ passkey) {
    const name = nameField();
    name.input.value = passkey.name;
    openForm({
      title: t("Rename the passkey"),
      asks: [name.node],
      act: t("Save"),
      async onSubmit(close) {
        if (!isNamed(name)) return;
        await calls.rename(passkey.id, name.input.value.trim());
        close();
        await load();
      },
    });
  }

  function askToRemove(/** @type {Passkey} */ passkey) {
    const act = async (/** @type {object} */ proof) => {
      await calls.remove(passkey.id, proof).catch((error) => {
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
        throw new Error(t("This is the only way to log in. Set a password first."));
      });
      await changed(t("{it}: ended.", { it: passkey.name }));
    };
    const look = {
      title: t("Remove {it}?", { it: passkey.name }),
      words: t("You can no longer log in with this passkey. Remove it from your device too."),
    };
    if (hasTwo) return askForProof(app, { ...look, both: true, label: t("Remove"), danger: true, act });
    confirm({ ...look, act: t("Remove"), onSure: () => prove(act) });
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Passkey} */ passkey) {
    const { name } = passkey;
    const build = () =>
      h(
        "li",
        { class: "key key-wide" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, name),
          h(
            "p",
            { class: "quiet" },
            t("Since "),
            time(passkey.created_at),
            ...(passkey.used_at ? [t(", last used "), time(passkey.used_at)] : []),
          ),
          passkey.host !== location.hostname &&
            h("p", { class: "quiet" }, t("Works only at {host}.", { host: passkey.host })),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": t("Rename: {it}", { it: name }),
            onclick: () => openRenaming(passkey),
          },
          t("Rename"),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": t("Remove: {it}", { it: name }),
            onclick: () => askToRemove(passkey),
          },
          t("Remove"),
        ),
      );
    return { key: passkey.id, sign: JSON.stringify(passkey), build };
  }

  return { node, load };
}

const nameField = (/** @type {string} */ hint = "") =>
  field({
    label: t("Name"),
    name: "name",
    autocomplete: "off",
    maxlength: LONGEST_NAME,
    ...(hint && { hint }),
  });

const isNamed = (/** @type {ReturnType<typeof field>} */ name) =>
  allRight([[name, name.input.value.trim() === "" && t("Enter a name.")]]);

const time = (/** @type {number} */ at) =>
  h("time", { datetime: isoTime(at), title: fullTime(at) }, shortTime(at, Date.now() / 1000));

const wordsOf = (/** @type {unknown} */ error) => reasonOf(error);
