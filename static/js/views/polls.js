/**
 * A window with the polls of a group: voting, what came of them so far, ending and making one.
 *
 * Shows what the server has, and asks it again whenever something happens to a poll.
 */

import { h, reconcile } from "../dom.js";
import { isAdmin } from "../groups.js";
import { inTurn } from "../in_turn.js";
import { t } from "../words.js";
import { signOf } from "./card_sign.js";
import { openDialog } from "./dialog.js";
import { openForm } from "./dialog_form.js";
import { allRight, choice, field } from "./field.js";
import { pollCard } from "./poll_card.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../app.js").App} App */
/** @typedef {import("./poll_card.js").PollAround} PollAround */

/** Options of a poll at most. */
const OPTIONS_MOST = 10;
const HOUR = 3600;

/** Windows that are open: each looks again when something happens. @type {Set<() => void>} */
const open = new Set();

/** The app whose events have them look. @type {App | null} */
let watched = null;

function watch(/** @type {App} */ app) {
  if (watched === app) return;
  watched = app;
  app.onEvent((_before, { type }) => {
    if (type.startsWith("poll.") || type === "message.deleted") for (const look of open) look();
  });
}

export function openPolls(/** @type {App} */ app, /** @type {Group} */ group) {
  watch(app);
  const list = h("ul", { class: "polls" });
  const state = h("p", { class: "quiet", role: "status" }, t("Asking the server…"));
  const me = app.state.get().snapshot?.user.id ?? "";
  const names = new Map((group.members ?? []).map(({ user_id: id, nickname }) => [id, nickname]));

  let failed = 0;

  const look = inTurn(async () => {
    try {
      const polls = await app.polls.polls(group.id);
      state.textContent = polls.length === 0 ? t("Nobody has asked anything yet.") : "";
      const rows = polls.map((poll) => ({
        key: poll.data.id,
        sign: signOf(poll, failed),
        build: () => h("li", {}, pollCard(poll, around)),
      }));
      reconcile(list, rows);
    } catch (error) {
      state.textContent = error instanceof Error ? error.message : String(error);
    }
  });

  const act = async (/** @type {Promise<unknown>} */ acting) => {
    try {
      await acting;
    } catch (error) {
      failed += 1;
      await look();
      state.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    look();
  };
  /** @type {PollAround} */
  const around = {
    place: "window",
    me,
    names,
    admin: isAdmin(group, me),
    vote: (poll, votes) => act(app.polls.vote(group.id, poll.data.id, votes)),
    end: (poll) => act(app.polls.endPoll(group.id, poll.data.id)),
  };
  const make = h(
    "button",
    { class: "button button-primary", type: "button", onclick: () => openNewPoll(app, group.id, look) },
    t("New poll"),
  );
  const dialog = openDialog({
    title: t("Polls"),
    content: () => [h("div", { class: "dialog-form" }, make, state, list)],
  });
  open.add(look);
  dialog.addEventListener("close", () => open.delete(look));
  look();
}

function openNewPoll(/** @type {App} */ app, /** @type {string} */ group, /** @type {() => void} */ look) {
  const subject = field({ label: t("Question"), name: "subject", autocomplete: "off", maxlength: 160 });
  const options = field({
    label: t("Answers, with a comma between them"),
    name: "options",
    autocomplete: "off",
  });
  const kind = choice({
    label: t("How many answers one may choose"),
    options: [
      { value: "single", label: t("One") },
      { value: "multi", label: t("Several") },
    ],
  });
  const visibility = choice({
    label: t("Who sees who voted for what"),
    options: [
      { value: "public", label: t("Everybody in the group") },
      { value: "anonymous", label: t("Nobody") },
    ],
  });
  const span = choice({
    label: t("Open for"),
    options: [
      { value: String(HOUR), label: t("An hour") },
      { value: String(24 * HOUR), label: t("A day") },
      { value: String(7 * 24 * HOUR), label: t("A week") },
    ],
    value: String(24 * HOUR),
  });
  openForm({
    title: t("New poll"),
    asks: [subject.node, options.node, kind.node, visibility.node, span.node],
    act: t("Ask the group"),
    async onSubmit(close) {
      const asked = subject.input.value.trim();
      const titles = options.input.value
        .split(",")
        .map((title) => title.trim())
        .filter(Boolean);
      const isFew = titles.length < 2 || titles.length > OPTIONS_MOST;
      const wrong = isFew ? t("A poll has 2 to {OPTIONS_MOST} answers.", { OPTIONS_MOST }) : "";
      const missing = asked ? "" : t("Ask something.");
      if (
        !allRight([
          [subject, missing],
          [options, wrong],
        ])
      )
        return;
      await app.polls.makePoll(group, {
        subject: asked,
        options: titles.map((title) => ({ title })),
        expiration: Math.floor(Date.now() / 1000) + Number(span.input.value),
        type: kind.input.value,
        visibility: visibility.input.value,
      });
      close();
      look();
    },
  });
}
