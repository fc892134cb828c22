/**
 * The examples of the guide: a button that copies each, and buttons that show its requests in another language. The
 * language that was chosen last is shown everywhere, and on the next visit.
 */

import { h, setText } from "../js/ui/dom.js";
import { inJavaScript, inPython, stepsOf } from "./snippets.js";

/** Where this browser keeps the language. */
const KEPT = "coterie.docs.language";
const LANGUAGES = /** @type {const} */ (["curl", "JavaScript", "Python"]);
/** How long a button says that it copied, in milliseconds. */
const SAID_MS = 2_000;

/** @typedef {typeof LANGUAGES[number]} Language */

/** Sets the language of all examples. @type {Set<(language: Language) => void>} */
const examples = new Set();

/** Puts the buttons above the examples of the page. */
export function dressExamples(/** @type {HTMLElement} */ guide) {
  for (const block of /** @type {NodeListOf<HTMLElement>} */ (guide.querySelectorAll("pre"))) dress(block);
  const kept = LANGUAGES.find((language) => language === localStorage.getItem(KEPT));
  if (kept) choose(kept);
}

function choose(/** @type {Language} */ language) {
  localStorage.setItem(KEPT, language);
  for (const set of examples) set(language);
}

function dress(/** @type {HTMLElement} */ block) {
  const code = block.querySelector("code");
  const shell = code?.textContent ?? "";
  if (!code) return;
  const original = [...code.childNodes];
  const steps = stepsOf(shell);
  const said = h("span", { class: "hidden", role: "status" });
  const copy = h("button", { class: "example-button", type: "button", onclick: copies }, "Copy");
  const bar = h("div", { class: "example-bar" });

  async function copies() {
    await navigator.clipboard.writeText(code?.textContent ?? "");
    setText(copy, "Copied");
    setText(said, "Copied");
    setTimeout(() => {
      setText(copy, "Copy");
      setText(said, "");
    }, SAID_MS);
  }

  if (steps) {
    const buttons = LANGUAGES.map((language) =>
      h("button", { class: "example-button", type: "button", onclick: () => choose(language) }, language),
    );
    const show = (/** @type {Language} */ language) => {
      if (language === "curl") code.replaceChildren(...original);
      else code.textContent = language === "Python" ? inPython(steps) : inJavaScript(steps);
      buttons.forEach((button, at) => {
        button.setAttribute("aria-pressed", String(LANGUAGES[at] === language));
      });
    };
    examples.add(show);
    show("curl");
    bar.append(h("div", { class: "example-languages", role: "group", "aria-label": "Language" }, ...buttons));
  }
  bar.append(copy, said);
  const example = h("div", { class: "example" });
  block.replaceWith(example);
  example.append(bar, block);
}
