/** The page of the panel with the polls of a group: to vote, see the votes so far, and end or make a poll. */

import { cardPage } from "../cards/card_page.js";
import { namesIn } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { pictureIn } from "../text/mentioning.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field, lines } from "../ui/field.js";
import { t } from "../words/words.js";
import { pollCalls } from "./poll_calls.js";
import { pollCard } from "./poll_card.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../app/app.js").App} App */

/** The greatest number of options of a poll. */
const OPTIONS_MOST = 10;
const HOUR = 3600;

/** @returns {import("../details/details.js").Page} */
export function pollsPage(
  /** @type {App} */ app,
  /** @type {Conversation & { kind: "group" }} */ conversation,
  /** @type {() => void} Called once a card was made. */ onMade,
) {
  const { group } = conversation;
  const calls = pollCalls(app.api.rest);
  const me = app.state.get().snapshot?.user.id ?? "";
  return cardPage(app, {
    title: t("Polls"),
    events: "poll.",
    none: t("No polls yet."),
    ask: () => calls.polls(group.id),
    idOf: (poll) => poll.data.id,
    card(act) {
      /** @type {import("./poll_card.js").PollAround} */
      const around = {
        place: "panel",
        me,
        names: namesIn(conversation),
        pictureOf: (id) => pictureIn(conversation, id),
        admin: may(group, me, "end_polls"),
        isShut: isReadOnly(group),
        vote: (poll, votes) => act(calls.vote(group.id, poll.data.id, votes)),
        end: (poll) => act(calls.endPoll(group.id, poll.data.id)),
      };
      return (poll) => pollCard(poll, around);
    },
    more: may(group, me, "make_polls") ? t("New poll") : "",
    onMore: () => openNewPoll(app, group.id, onMade),
  });
}

function openNewPoll(/** @type {App} */ app, /** @type {string} */ group, /** @type {() => void} */ done) {
  const subject = field({ label: t("Question"), name: "subject", autocomplete: "off", maxlength: 160 });
  const options = lines({ label: t("Answers, one per line"), name: "options", autocomplete: "off" });
  const kind = choice({
    label: t("Answers per person"),
    options: [
      { value: "single", label: t("One") },
      { value: "multi", label: t("Several") },
    ],
  });
  const visibility = choice({
    label: t("Visibility of votes"),
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
    act: t("Create poll"),
    async onSubmit(close) {
      const asked = subject.input.value.trim();
      const titles = options.input.value
        .split("\n")
        .map((title) => title.trim())
        .filter(Boolean);
      const isFew = titles.length < 2 || titles.length > OPTIONS_MOST;
      const wrong = isFew ? t("A poll has 2 to {OPTIONS_MOST} answers.", { OPTIONS_MOST }) : "";
      const missing = asked ? "" : t("Enter a question.");
      if (
        !allRight([
          [subject, missing],
          [options, wrong],
        ])
      )
        return;
      await pollCalls(app.api.rest).makePoll(group, {
        subject: asked,
        options: titles.map((title) => ({ title })),
        expiration: Math.floor(Date.now() / 1000) + Number(span.input.value),
        type: kind.input.value,
        visibility: visibility.input.value,
      });
      close();
      done();
    },
  });
}
