/**
 * Draws a message's text: with its formatting, links and mentions.
 *
 * `markdown.js` parses the text; every text in its tree is set as text, never as HTML.
 */

import { h } from "../ui/dom.js";
import { splitMentions } from "./addressing.js";
import { parseMarkdown } from "./markdown.js";

/** @typedef {import("./markdown.js").MarkdownNode} MarkdownNode */

/** Returns the content of a message's bubble. Mentions of the user `me` are highlighted. */
export function markdown(
  /** @type {string} */ text,
  /** @type {readonly import("../sync/types.js").Attachment[]} */ attachments,
  /** @type {string} */ me,
) {
  return parseMarkdown(text, splitMentions(text, attachments)).map((node) => draw(node, me));
}

/** @returns {string | HTMLElement} */
function draw(/** @type {MarkdownNode} */ node, /** @type {string} */ me) {
  const inside = (/** @type {MarkdownNode[]} */ children) => children.map((child) => draw(child, me));
  switch (node.kind) {
    case "text":
      return node.text;
    case "link":
      return h(
        "a",
        { href: node.href, rel: "noopener noreferrer", target: "_blank" },
        ...inside(node.children),
      );
    case "mention":
      return mention(node.text, node.users, me);
    case "code":
      return h("code", { class: "words-code", dir: "ltr" }, node.text);
    case "block":
      return h("pre", { class: "words-block", dir: "ltr" }, h("code", {}, node.text));
    case "quote":
      return h("blockquote", { class: "words-quote", dir: "auto" }, ...inside(node.children));
    case "list":
      return h(
        node.isNumbered ? "ol" : "ul",
        { class: "words-list" },
        ...node.items.map(({ number, children }) =>
          h("li", { value: node.isNumbered ? number : null, dir: "auto" }, ...inside(children)),
        ),
      );
    default:
      return h(node.kind, {}, ...inside(node.children));
  }
}

function mention(
  /** @type {string} */ text,
  /** @type {readonly string[]} */ users,
  /** @type {string} */ me,
) {
  const isMe = users.includes(me) || users.includes("all");
  return h("span", { class: isMe ? "mention mention-me" : "mention" }, text);
}
