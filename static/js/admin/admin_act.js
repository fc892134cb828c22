/** A button by which an operator acts on a person or a group: its window asks for a reason first. */

import { openForm } from "../ui/dialog_form.js";
import { h } from "../ui/dom.js";
import { reasonField } from "./reason_field.js";

/**
 * @param {object} parts
 * @param {string} parts.label
 * @param {string} parts.words say what will happen
 * @param {(reason: string) => Promise<unknown>} parts.run
 * @param {() => void} parts.done called after it, when the window is closed
 * @param {string} [parts.title] of the window; the label, if absent
 * @param {boolean} [parts.danger]
 */
export function adminAct({ label, words, run, done, title = label, danger = false }) {
  const onclick = () => {
    const reason = reasonField();
    openForm({
      title,
      asks: [h("p", { class: "quiet" }, words), reason.node],
      act: label,
      danger,
      async onSubmit(close) {
        const why = reason.read();
        if (why === null) return;
        await run(why);
        close();
        done();
      },
    });
  };
  return h("button", { class: danger ? "button button-danger" : "button", type: "button", onclick }, label);
}
