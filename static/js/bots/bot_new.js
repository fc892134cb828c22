/**
 * The window that makes a bot.
 *
 * Owns the form. The secret in the response is shown on the bot's page, where it is not lost if a window is
 * closed by accident.
 */

import { KINDS, problemOf } from "../pictures/pictures.js";
import { openForm } from "../ui/dialog_form.js";
import { allRight, choice, field } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { nameField, nameProblem, tellingAt, urlField, urlProblem } from "./bot_field.js";
import { handleOf } from "./bot_list.js";
import { botHref } from "./bots_route.js";

/** @typedef {{ value: string, label: string }} Option */

/**
 * @param {import("./bots.js").BotActs} bots
 * @param {{ groups: Option[], groupId?: string | null }} options the groups to choose from, and the one
 *   that is chosen at first
 */
export function openNewBot(bots, { groups, groupId }) {
  const name = nameField();
  const group = choice({
    label: t("Group"),
    hint: t("It receives the messages of this group and posts there."),
    options: groups,
    value: groupId ?? undefined,
  });
  const url = urlField();
  const picture = field({
    label: t("Picture (optional)"),
    type: "file",
    accept: KINDS,
  });

  openForm({
    title: t("New bot"),
    asks: [name.node, group.node, url.node, picture.node],
    act: t("Create bot"),
    onSubmit: create,
  });

  async function create(/** @type {() => void} */ close) {
    const request = { name: name.input.value.trim(), group_id: group.input.value };
    const callback = url.input.value.trim();
    const file = picture.input.files?.[0];
    const fine = allRight([
      [name, nameProblem(request.name)],
      [url, urlProblem(callback)],
      [picture, file ? problemOf(file) : false],
    ]);
    if (!fine) return;
    const fields = { name, group_id: group, callback_url: url, avatar_url: picture };
    await tellingAt(fields, async () => {
      const bot = await bots.create(callback ? { ...request, callback_url: callback } : request, file);
      close();
      pages.goTo(botHref(handleOf(bot.bot_id)));
    });
  }
}
