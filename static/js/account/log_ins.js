/**
 * Who has access to the account: the user's sessions, the tokens that they made, and the applications that
 * they let in.
 *
 * Owns the lists, what each token may do, and ending an entry.
 */

import { logOut } from "../sign_in/log_out.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime, shortTime } from "../text/time.js";
import { confirm } from "../ui/confirm.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { openNewToken } from "./new_token.js";
import { scopeWords } from "./scopes.js";

/** @typedef {import("../sync/types.js").Token} Token */

export function createLogIns(/** @type {import("../app/app.js").App} */ app) {
  const { account } = app;
  const alert = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "hidden", role: "status" });
  const logIns = h("ul", { class: "keys" });
  const guests = h("ul", { class: "keys" });
  const made = h("ul", { class: "keys" });
  const make = h("button", { class: "button", type: "button", onclick: makeToken }, t("Make a token"));
  const everywhere = h(
    "button",
    { class: "button", type: "button", hidden: true, onclick: () => askToEndOthers() },
    t("Log out everywhere else"),
  );
  const nobody = h("p", { class: "quiet" }, t("None. You have authorized no applications."));
  const node = h(
    "div",
    { class: "account-sections" },
    h("section", { "aria-label": t("Sessions") }, h("h3", {}, t("Sessions")), alert, logIns, everywhere),
    h(
      "section",
      { "aria-label": t("Authorized applications") },
      h("h3", {}, t("Authorized applications")),
      nobody,
      guests,
    ),
    h(
      "section",
      { "aria-label": t("Your tokens") },
      h("h3", {}, t("Your tokens")),
      h(
        "p",
        { class: "quiet" },
        t("With a token, a script does what you allow it. "),
        h("a", { href: "/docs#scopes" }, t("Documentation")),
      ),
      made,
      make,
    ),
    status,
  );

  /** @type {Token[]} */
  let others = [];

  async function load() {
    setText(alert, "");
    try {
      fill(await account.tokens());
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  function fill(/** @type {Token[]} */ tokens) {
    const isGuest = (/** @type {Token} */ { kind }) => kind === "application";
    const isLogIn = (/** @type {Token} */ { kind }) => kind === "log-in";
    // This device first, then what was used last.
    const sorted = [...tokens].sort(
      (a, b) => Number(b.current) - Number(a.current) || lastSeen(b) - lastSeen(a),
    );
    reconcile(logIns, sorted.filter(isLogIn).map(row));
    reconcile(made, sorted.filter(({ kind }) => kind === "own").map(row));
    reconcile(guests, sorted.filter(isGuest).map(row));
    nobody.hidden = tokens.some(isGuest);
    others = tokens.filter((token) => isLogIn(token) && !token.current);
    everywhere.hidden = others.length === 0;
  }

  async function makeToken() {
    try {
      const { operator } = await app.api.me();
      openNewToken(app, { isOperator: operator !== undefined, changed: load });
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  function askToEndOthers() {
    confirm({
      title: t("Log out everywhere else?"),
      words: t("Every other session ends at once. Applications keep their access."),
      act: t("Log out everywhere else"),
      async onSure() {
        for (const token of others) await account.endToken(token);
        await load();
        setText(status, t("All other sessions were logged out."));
        // The button is gone with the sessions.
        requestAnimationFrame(() => logIns.querySelector("button")?.focus({ preventScroll: true }));
      },
    });
  }

  async function end(/** @type {Token} */ token) {
    try {
      await account.endToken(token);
    } catch (error) {
      setText(alert, reasonOf(error));
      return;
    }
    setText(status, t("{it}: ended.", { it: nameOf(token) }));
    await load();
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Token} */ token) {
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, nameOf(token)),
          times(token),
          token.kind !== "log-in" && abilities(token),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": token.current
              ? t("Log out: {it}", { it: nameOf(token) })
              : t("End: {it}", { it: nameOf(token) }),
            onclick: () => (token.current ? logOut(app) : end(token)),
          },
          token.current ? t("Log out") : t("End"),
        ),
      );
    return { key: token.id, sign: JSON.stringify(token), build };
  }

  return { node, load };
}

const lastSeen = (/** @type {Token} */ token) => token.last_used_at ?? token.created_at;

function nameOf(/** @type {Token} */ { kind, application, device, current }) {
  if (kind !== "log-in" && application !== null) return application;
  return current ? t("This browser") : (device ?? t("Another session"));
}

/** What the token may do, to be opened. */
function abilities(/** @type {Token} */ { scopes }) {
  return h(
    "details",
    { class: "quiet" },
    h("summary", {}, t("May do {count} things", { count: scopes.length })),
    h("ul", { class: "scope-list" }, ...scopeWords(scopes).map((words) => h("li", {}, words))),
  );
}

function times(/** @type {Token} */ token) {
  const now = Date.now() / 1000;
  const time = (/** @type {number} */ at) =>
    h("time", { datetime: isoTime(at), title: fullTime(at) }, shortTime(at, now));
  const used = token.last_used_at;
  return h(
    "p",
    { class: "quiet" },
    token.current && token.device ? `${token.device} · ` : "",
    t("Since "),
    time(token.created_at),
    ...(used ? [t(", last used "), time(used)] : [t(", not used recently")]),
    ...(token.kind === "own" && token.expires_at ? [t(", until "), time(token.expires_at)] : []),
  );
}
