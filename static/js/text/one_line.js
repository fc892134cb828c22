/**
 * A message in one line, for lists, quotes and announcements: its text without formatting signs, what
 * happened, its attachment, or that it was deleted.
 */

import { isolated, t } from "../words/words.js";
import { splitMentions } from "./addressing.js";
import { withoutSigns } from "./markdown.js";
import { saidIn } from "./system_line.js";

/** @typedef {import("../sync/types.js").Message} Message */

/** A message in one line; empty if it has neither text nor attachments. */
export function oneLine(/** @type {Pick<Message, "text" | "attachments"> & Partial<Message>} */ message) {
  const { attachments, system, deleted_at: deletedAt, deletion_actor: actor } = message;
  if (deletedAt !== undefined) {
    if (actor === "system") return t("This message was removed");
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
