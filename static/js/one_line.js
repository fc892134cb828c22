/**
 * A message in one line, for lists, quotes and announcements: its words without the signs
 * that give them their looks, what happened, what it carries, or that it was deleted.
 */

import { splitMentions } from "./addressing.js";
import { withoutSigns } from "./markdown.js";
import { saidIn } from "./system_line.js";
import { isolated, t } from "./words.js";

/** @typedef {import("./types.js").Message} Message */

/** One line of a message, for lists and announcements. */
export function oneLine(/** @type {Pick<Message, "text" | "attachments"> & Partial<Message>} */ message) {
  const { attachments, system, deleted_at: deletedAt, deletion_actor: actor } = message;
  if (deletedAt !== undefined) {
    return actor === "admin" ? t("An admin deleted this message") : t("This message was deleted");
  }
  const said = saidIn(message);
  const plain = system ? said : withoutSigns(said, () => splitMentions(said, attachments ?? []));
  const words = plain.replace(/\s+/g, " ").trim();
  if (words) return words;
  const [first] = attachments ?? [];
  if (first?.type === "image") return t("Picture");
  if (first?.type === "location") return first.name ? t("Place: {name}", { name: first.name }) : t("Place");
  if (first?.type === "file") return isolated(first.name ?? t("A file"));
  return first ? t("Attachment") : "";
}
