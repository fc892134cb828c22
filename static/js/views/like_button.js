/** The heart beside a message: whether the user likes it, how many people do, and who. */

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { inARow } from "../naming.js";
import { t } from "../words.js";
import { control } from "./message_controls.js";

/** @typedef {{ liked: boolean, names: string[] }} Likes */

/** Returns the button's label, for example "Like, 3 likes: You, Ana, Ben". */
export function likeWords(/** @type {string[]} */ names) {
  if (names.length === 0) return t("Like");
  if (names.length === 1) return t("Like, 1 like: {it}", { it: inARow(names) });
  return t("Like, {count} likes: {it}", { count: names.length, it: inARow(names) });
}

export function likeButton(/** @type {Likes} */ { liked, names }, /** @type {() => void} */ onclick) {
  const count = names.length;
  const look = ["like", count > 0 && "like-counted", liked && "like-mine"].filter(Boolean).join(" ");
  return h(
    "button",
    {
      class: look,
      type: "button",
      "aria-pressed": String(liked),
      "aria-label": likeWords(names),
      title: count > 0 ? t("Liked by {it}", { it: inARow(names) }) : t("Like"),
      ...control("like"),
      onclick,
    },
    icon("heart"),
    count > 0 && h("span", { "aria-hidden": "true" }, String(count)),
  );
}
