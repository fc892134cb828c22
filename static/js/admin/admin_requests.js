/** The people who ask for an account, and the buttons by which operators decide. */

import { avatar } from "../people/avatar.js";
import { ApiError } from "../sync/api.js";
import { fullTime, isoTime } from "../text/time.js";
import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { createAdminList } from "./admin_list.js";
import { adminPersonHref } from "./admin_route.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").AccountRequest} AccountRequest */
/** @typedef {import("./admin_calls.js").AdminUser} AdminUser */

export function createAdminRequests(/** @type {import("./admin_calls.js").AdminCalls} */ calls) {
  const outcome = h("p", { class: "outcome", role: "status" });
  let decides = false;
  const list = createAdminList({
    label: t("Requests"),
    none: t("Nobody asks for an account."),
    load: async (_, after) => {
      const { requests, more } = await calls.requests(after);
      return { entries: requests, before: more ? (requests.at(-1)?.user.id ?? null) : null };
    },
    row,
  });
  const node = h("div", {}, outcome, list.node);

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {AccountRequest} */ request) {
    const { user, about, created_at: at } = request;
    const build = () =>
      h(
        "li",
        { class: "key" },
        avatar({ id: user.id, name: user.name, imageUrl: user.image_url, size: "small" }),
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name", dir: "auto" }, h("a", { href: adminPersonHref(user.id) }, user.name)),
          h(
            "p",
            { class: "quiet" },
            h("bdi", {}, user.email),
            " · ",
            h("time", { datetime: isoTime(at) }, fullTime(at)),
          ),
          sentence(about),
          decides &&
            h(
              "div",
              { class: "button-row" },
              button(t("Approve"), t("Approve {name}", user), () => approve(user)),
              button(t("Refuse"), t("Refuse {name}", user), () => refuse(user)),
            ),
        ),
      );
    return { key: user.id, sign: JSON.stringify([request, decides]), build };
  }

  const approve = (/** @type {AdminUser} */ user) =>
    ask(user, {
      title: t("Approve {name}", user),
      words: t("{name} can log in from then on.", user),
      act: t("Approve"),
      action: "approve",
      done: t("{name} can log in now.", user),
    });

  const refuse = (/** @type {AdminUser} */ user) =>
    ask(user, {
      title: t("Refuse {name}", user),
      words: t("The account is deleted, and the address may register again."),
      act: t("Refuse"),
      action: "refuse",
      done: t("The request of {name} was refused.", user),
    });

  /**
   * Asks for a reason, decides, and removes the row.
   * @param {AdminUser} user
   * @param {{ title: string, words: string, act: string, action: "approve" | "refuse", done: string }} decision
   */
  function ask(user, { title, words, act, action, done }) {
    const reason = reasonField();
    setText(outcome, "");
    openForm({
      title,
      asks: [h("p", { class: "quiet" }, words), reason.node],
      act,
      danger: action === "refuse",
      async onSubmit(close) {
        const why = reason.read();
        if (why === null) return;
        const isDecided = await calls.decideRequest(user.id, action, why).then(() => true, wasGone);
        close();
        // The window gave the focus back to a button of the row.
        list.remove(user.id);
        setText(outcome, isDecided ? done : t("Somebody else decided about {name} already.", user));
      },
    });
  }

  return {
    node,
    /** Loads the list; `role` decides whether requests can be decided. */
    load(/** @type {import("./admin_calls.js").OperatorRole} */ role) {
      decides = role !== "auditor";
      setText(outcome, "");
      return list.load();
    },
  };
}

/** Returns false if the request no longer waits; other errors are thrown again. */
function wasGone(/** @type {unknown} */ error) {
  if (error instanceof ApiError && error.status === 404) return false;
  throw error;
}

const button = (
  /** @type {string} */ words,
  /** @type {string} */ label,
  /** @type {() => unknown} */ onclick,
) => h("button", { class: "button", type: "button", "aria-label": label, onclick }, words);

/** What somebody wrote about themselves. */
const sentence = (/** @type {string | null} */ about) =>
  about === null
    ? h("p", { class: "quiet" }, t("Came by single sign-on."))
    : h("p", { class: "request-about", dir: "auto" }, about);
