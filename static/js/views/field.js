/**
 * One labelled field of a form, with its hint and what is wrong with it.
 *
 * Owns the wiring that screen readers need (label, description, invalid). What counts
 * as wrong is the form's business.
 */

import { h, setText } from "../dom.js";

let made = 0;

/**
 * @param {{ label: string, hint?: string } & Record<string, unknown>} options
 *   everything but `label` and `hint` becomes an attribute of the input
 */
export function field({ label, hint, ...attributes }) {
  made += 1;
  const id = `field-${made}`;
  const input = h("input", { id, class: "input", ...attributes });
  const problem = h("p", { class: "problem", id: `${id}-problem` });
  const described = [`${id}-problem`];
  const labelNode = h("label", { class: "label", for: id }, label);
  const node = h("div", { class: "field" }, labelNode, input);
  if (hint) {
    node.append(h("p", { class: "hint", id: `${id}-hint` }, hint));
    described.push(`${id}-hint`);
  }
  node.append(problem);
  input.setAttribute("aria-describedby", described.join(" "));
  input.addEventListener("input", () => complain(""));

  function complain(/** @type {string} */ text) {
    setText(problem, text);
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  return { node, input, complain, rename: (/** @type {string} */ to) => setText(labelNode, to) };
}

/** @typedef {ReturnType<typeof field>} Field */

/**
 * Shows each field's problem and puts the focus on the first of them.
 * @param {[Field, string | false][]} checks a field and what is wrong with it, if anything
 */
export function allRight(checks) {
  const wrong = checks.filter(([, problem]) => problem);
  for (const [one, problem] of checks) one.complain(problem || "");
  wrong[0]?.[0].input.focus();
  return wrong.length === 0;
}

/** A form whose button waits for the answer and whose alert says what went wrong. */
export function busyForm(
  /** @type {HTMLButtonElement} */ button,
  /** @type {HTMLElement} */ alert,
  /** @type {() => Promise<unknown>} */ run,
) {
  return async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    setText(alert, "");
    try {
      await run();
    } catch (error) {
      setText(alert, error instanceof Error ? error.message : String(error));
    } finally {
      button.removeAttribute("aria-disabled");
    }
  };
}
