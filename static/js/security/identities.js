/**
 * The section about accounts at providers with which I log in.
 *
 * Owns the list, and linking and unlinking. It is hidden where the server has no provider.
 */

import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { confirm } from "../ui/confirm.js";
import { fillWith, h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { askForProof } from "./proof.js";

/** @typedef {import("./identity_calls.js").Identity} Identity */
/** @typedef {import("./identity_calls.js").Provider} Provider */

export function createIdentities(/** @type {import("../app/app.js").App} */ app) {
  const { identities: calls } = app;
  const alert = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "hidden", role: "status" });
  const list = h("ul", { class: "keys" });
  const ways = h("div", { class: "ways" });
  const title = t("Single sign-on");
  const node = h(
    "section",
    { "aria-label": title, hidden: true },
    h("h3", {}, title),
    h("p", { class: "quiet" }, t("Accounts elsewhere with which you log in here.")),
    alert,
    list,
    ways,
    status,
  );
  /** The providers with which I may prove who I am. @type {Provider[]} */
  let provers = [];

  async function load() {
    setText(alert, "");
    try {
      const [{ providers = [] }, identities] = await Promise.all([app.options(), calls.list()]);
      fill(providers, identities);
    } catch (error) {
      setText(alert, wordsOf(error));
    }
  }

  function fill(/** @type {Provider[]} */ providers, /** @type {Identity[]} */ identities) {
    const isLinked = (/** @type {Provider} */ { name }) => identities.some((one) => one.provider === name);
    provers = providers.filter(isLinked);
    node.hidden = providers.length === 0 && identities.length === 0;
    reconcile(list, identities.map(row));
    fillWith(ways, ...providers.filter((one) => !isLinked(one)).map(linkButton));
  }

  const linkButton = (/** @type {Provider} */ provider) =>
    h(
      "button",
      { class: "button", type: "button", onclick: () => run(async () => leave(await calls.link(provider))) },
      t("Link an account at {provider}", { provider: provider.name }),
    );

  /** Runs an act, after a fresh proof if it needs one. */
  async function run(/** @type {() => Promise<unknown>} */ act) {
    setText(alert, "");
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) return setText(alert, wordsOf(error));
      prove(act);
    }
  }

  function prove(/** @type {() => Promise<unknown>} */ act) {
    const others = provers.map((provider) =>
      h(
        "button",
        {
          class: "button",
          type: "button",
          onclick: async () => leave(await calls.prove(provider)),
        },
        t("Confirm at {provider}", { provider: provider.name }),
      ),
    );
    askForProof(app, { act, more: others });
  }

  function askToUnlink(/** @type {Identity} */ identity) {
    const name = nameOf(identity);
    confirm({
      title: t("Unlink {it}?", { it: name }),
      words: t("You can no longer log in with this account. Your other sessions that began with it end."),
      act: t("Unlink"),
      async onSure() {
        try {
          await calls.unlink(identity.id);
        } catch (error) {
          const status = error instanceof ApiError ? error.status : 0;
          if (status === 400) throw new Error(t("This is the only way to log in. Set a password first."));
          if (status !== 403) throw error;
          prove(() => unlinked(identity));
          return;
        }
        await load();
        setText(status, t("{it}: ended.", { it: name }));
      },
    });
  }

  async function unlinked(/** @type {Identity} */ identity) {
    await calls.unlink(identity.id);
    await load();
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Identity} */ identity) {
    const since = h(
      "time",
      { datetime: isoTime(identity.created_at), title: fullTime(identity.created_at) },
      shortTime(identity.created_at, Date.now() / 1000),
    );
    const name = nameOf(identity);
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, name),
          h("p", { class: "quiet" }, identity.email ? `${identity.email} · ` : "", t("Since "), since),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": t("Unlink: {it}", { it: name }),
            onclick: () => askToUnlink(identity),
          },
          t("Unlink"),
        ),
      );
    return { key: identity.id, sign: JSON.stringify(identity), build };
  }

  return { node, load };
}

const nameOf = (/** @type {Identity} */ { provider, issuer }) => provider ?? issuer;

const wordsOf = (/** @type {unknown} */ error) => reasonOf(error);

const leave = (/** @type {{ url: string }} */ { url }) => location.assign(url);
