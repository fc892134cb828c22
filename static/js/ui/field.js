/**
 * A labelled field of a form, with its hint and its problem.
 *
 * Owns the attributes that screen readers need (label, description, invalid). The form decides what counts as
 * a problem.
 */

import { reasonOf } from "../text/reason.js";
import { t } from "../words/words.js";
import { h, setText } from "./dom.js";
import { composes } from "./input_method.js";

let made = 0;

/**
 * Wraps a control with its label, its hint and a place for its problem.
 * @param {HTMLElement} control
 * @param {{ label: string, hint?: string }} words
 */
export function labelled(control, { label, hint }) {
  made += 1;
  const id = `field-${made}`;
  control.id = id;
  const problem = h("p", { class: "problem", id: `${id}-problem` });
  const described = [`${id}-problem`];
  const labelNode = h("label", { class: "label", for: id }, label);
  const node = h("div", { class: "field" }, labelNode, control);
  if (hint) {
    node.append(h("p", { class: "hint", id: `${id}-hint` }, hint));
    described.push(`${id}-hint`);
  }
  node.append(problem);
  control.setAttribute("aria-describedby", described.join(" "));
  control.addEventListener("input", () => complain(""));

  function complain(/** @type {string} */ text) {
    setText(problem, text);
    if (text) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }

  return { node, complain, rename: (/** @type {string} */ to) => setText(labelNode, to) };
}

/**
 * @param {{ label: string, hint?: string } & Record<string, unknown>} options
 *   everything but `label` and `hint` becomes an attribute of the input
 */
export function field({ label, hint, ...attributes }) {
  const input = h("input", { class: "input", dir: "auto", ...attributes });
  return { ...labelled(input, { label, hint }), input };
}

/** Makes the field for the password that the user has. */
export const passwordField = () =>
  field({
    label: t("Password"),
    type: "password",
    autocomplete: "current-password",
    name: "password",
  });

/** Makes the field for a code of the second factor; `hint` says which ones count. */
export const codeField = (/** @type {string} */ hint) =>
  field({
    label: t("Code"),
    name: "code",
    autocomplete: "one-time-code",
    spellcheck: "false",
    dir: "ltr",
    hint,
  });

/** Makes the field for the user's phone number, by which friends find them. */
export const phoneField = () =>
  field({
    label: t("Phone number (optional)"),
    type: "tel",
    autocomplete: "tel",
    name: "phone",
    hint: t("People who know it can add you to their groups."),
  });

/**
 * Makes a text area that grows with its text, in which Enter starts a new line.
 * @param {{ label: string, hint?: string, value?: string } & Record<string, unknown>} options
 */
export function lines({ label, hint, value = "", ...attributes }) {
  const input = h("textarea", { class: "input input-area", dir: "auto", rows: 2, ...attributes });
  input.value = value;
  const grow = () => {
    input.style.height = "auto";
    input.style.height = `${input.scrollHeight + input.offsetHeight - input.clientHeight}px`;
  };
  input.addEventListener("input", grow);
  // The height cannot be measured before the field is on the page.
  new ResizeObserver(grow).observe(input);
  return { ...labelled(input, { label, hint }), input };
}

/**
 * Makes a text area that grows with its text. Enter submits the form; Shift+Enter starts a new line.
 * @param {{ label: string, hint?: string, value: string } & Record<string, unknown>} options
 */
export function area(options) {
  const whole = lines(options);
  const { input } = whole;
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || composes(event)) return;
    event.preventDefault();
    input.form?.requestSubmit();
  });
  return whole;
}

/**
 * Makes a select field.
 * @param {{ label: string, hint?: string, options: { value: string, label: string }[], value?: string }} options
 */
export function choice({ label, hint, options, value }) {
  const input = h(
    "select",
    { class: "input" },
    ...options.map((one) => h("option", { value: one.value, selected: one.value === value }, one.label)),
  );
  return { ...labelled(input, { label, hint }), input };
}

/**
 * Makes a checkbox.
 * @param {{ label: string, hint: string }} options
 */
export function check({ label, hint }) {
  made += 1;
  const id = `field-${made}`;
  const input = h("input", { id, class: "check-box", type: "checkbox", "aria-describedby": `${id}-hint` });
  const node = h(
    "div",
    { class: "check" },
    input,
    h("label", { class: "check-label", for: id }, label),
    h("p", { class: "hint", id: `${id}-hint` }, hint),
  );
  return { node, input };
}

/** @typedef {ReturnType<typeof field>} Field */
/** @typedef {Pick<Field, "complain"> & { input: HTMLElement }} AnyField */

/**
 * Shows each field's problem and focuses the first field that has one. Returns whether there is none.
 * @param {[AnyField, string | false][]} checks a field and its problem, if any
 */
export function allRight(checks) {
  const wrong = checks.filter(([, problem]) => problem);
  for (const [one, problem] of checks) one.complain(problem || "");
  wrong[0]?.[0].input.focus();
  return wrong.length === 0;
}

/**
 * Makes a submit listener that runs once at a time, disables the button meanwhile and shows the error in
 * `alert`.
 */
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
      setText(alert, reasonOf(error));
    } finally {
      button.removeAttribute("aria-disabled");
    }
  };
}
