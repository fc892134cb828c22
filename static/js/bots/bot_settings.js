/**
 * The settings tab of a bot: its form, how it takes part, its picture, a new secret, keeping a bot that an
 * application made, and deletion.
 */

import { avatar } from "../people/avatar.js";
import { openPictureDialog } from "../pictures/picture_dialog.js";
import { reasonOf } from "../text/reason.js";
import { confirm } from "../ui/confirm.js";
import { h, setText } from "../ui/dom.js";
import { busyForm } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { createBotForm } from "./bot_form.js";
import { createBotHabits } from "./bot_habits.js";
import { createFreshSecret } from "./bot_secret.js";
import { botsOf } from "./bots.js";
import { botsHref } from "./bots_route.js";

/** @typedef {import("./bot_list.js").Bot} Bot */
/** @typedef {import("./bots.js").BotActs} BotActs */

export function createBotSettings(/** @type {import("../app/app.js").App} */ app, /** @type {string} */ id) {
  const bots = botsOf(app);
  const form = createBotForm(bots, id);
  const habits = createBotHabits(bots, id);
  const picture = createPicture(bots, id);
  const secret = createSecret(bots, id);
  const keep = createKeep(bots, id);
  const end = createEnd(bots, id);
  return {
    node: h(
      "div",
      { class: "bots-page" },
      form.node,
      habits.node,
      picture.node,
      secret.node,
      keep.node,
      end.node,
    ),
    show(/** @type {Bot} */ bot) {
      form.show(bot);
      picture.show(bot);
      secret.show();
      keep.show(bot);
      end.show(bot);
    },
    async open() {
      const whole = await form.load();
      if (whole) habits.show(whole);
    },
  };
}

function createPicture(/** @type {BotActs} */ bots, /** @type {string} */ id) {
  const place = h("span", { class: "bot-picture" });
  const alert = h("p", { class: "alert", role: "alert" });
  const onSave = (/** @type {File} */ file) => bots.setPicture(id, file);
  const choose = () => openPictureDialog({ title: t("Picture of the bot"), onSave });
  const change = h("button", { class: "button", type: "button", onclick: choose }, t("Choose a picture"));
  const remove = h("button", { class: "button", type: "button", onclick: take }, t("Remove the picture"));
  const node = h(
    "section",
    { "aria-label": t("Name and picture") },
    h("h3", {}, t("Picture")),
    h("div", { class: "bot-picture-row" }, place, change, remove),
    alert,
  );
  let shown = "";

  async function take() {
    setText(alert, "");
    try {
      await bots.change(id, { avatar_url: "" });
      change.focus();
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  function show(/** @type {Bot} */ { name, avatar_url: imageUrl }) {
    const sign = JSON.stringify([name, imageUrl]);
    if (sign === shown) return;
    shown = sign;
    place.replaceChildren(avatar({ id, name, imageUrl }));
    remove.hidden = !imageUrl;
  }

  return { node, show };
}

function createSecret(/** @type {BotActs} */ bots, /** @type {string} */ id) {
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button", type: "submit" }, t("Create a new secret"));
  const fresh = createFreshSecret(bots, id, () => submit.focus());
  const form = h(
    "form",
    { class: "bots-form" },
    h(
      "p",
      { class: "quiet" },
      t("The current secret stays valid for 24 hours, so the bot can switch without missing anything."),
    ),
    alert,
    submit,
  );
  const rotate = async () => {
    await bots.rotate(id);
    fresh.show();
    fresh.focus();
  };
  form.addEventListener("submit", busyForm(submit, alert, rotate));
  const node = h(
    "section",
    { "aria-label": t("New secret") },
    h("h3", {}, t("New secret")),
    form,
    fresh.node,
  );
  return { node, show: fresh.show };
}

/**
 * Makes the section for a bot that an application made: the bot ends with the application's access, unless
 * its creator keeps it.
 */
function createKeep(/** @type {BotActs} */ bots, /** @type {string} */ id) {
  const alert = h("p", { class: "alert", role: "alert" });
  const done = h("p", { class: "quiet", role: "status" });
  const submit = h("button", { class: "button", type: "submit" }, t("Keep this bot"));
  const form = h(
    "form",
    { class: "bots-form" },
    h(
      "p",
      { class: "quiet" },
      t(
        "An application created this bot. It is deleted when you end the application's access. If you keep it, it stays, and the application can no longer see or change it.",
      ),
    ),
    alert,
    submit,
  );
  const keep = async () => {
    await bots.change(id, { keep: true });
    setText(done, t("This bot is yours now."));
  };
  form.addEventListener("submit", busyForm(submit, alert, keep));
  const node = h("section", { "aria-label": t("Keep"), hidden: true }, h("h3", {}, t("Keep")), form, done);
  return {
    node,
    show(/** @type {Bot} */ { client_id: client }) {
      form.hidden = !client;
      node.hidden = !client && done.textContent === "";
    },
  };
}

function createEnd(/** @type {BotActs} */ bots, /** @type {string} */ id) {
  let name = "";
  const ask = () =>
    confirm({
      title: t("Delete {name}?", { name }),
      words: t(
        "It can no longer post, its id and secret stop working, and its delivery log is deleted. Its messages stay. This cannot be undone.",
      ),
      act: t("Delete bot"),
      async onSure() {
        await bots.destroy(id);
        pages.replace(botsHref);
      },
    });
  const button = h(
    "button",
    { class: "button button-danger", type: "button", onclick: ask },
    t("Delete this bot…"),
  );
  return {
    node: h("section", { "aria-label": t("Delete") }, h("h3", {}, t("Delete")), h("div", {}, button)),
    show: (/** @type {Bot} */ bot) => {
      name = bot.name;
    },
  };
}
