/**
 * The window that asks for a picture: one's own, or that of a group.
 */

import { h } from "../dom.js";
import { KINDS, problemOf } from "../pictures.js";
import { openDialog } from "./dialog.js";
import { allRight, busyForm, field } from "./field.js";

/**
 * @param {{ title: string, onSave: (file: File) => Promise<unknown> }} options
 */
export function openPictureDialog({ title, onSave }) {
  const picture = field({
    label: "Picture",
    hint: "JPEG, PNG, GIF or WebP, at most 10 MB. Where and when it was taken is not kept.",
    type: "file",
    accept: KINDS,
  });
  const alert = h("p", { class: "alert", role: "alert" });
  const submit = h("button", { class: "button button-primary", type: "submit" }, "Save picture");

  openDialog({
    title,
    content(close) {
      const form = h(
        "form",
        { class: "dialog-form", novalidate: true },
        picture.node,
        alert,
        h(
          "div",
          { class: "dialog-actions" },
          h("button", { class: "button", type: "button", onclick: close }, "Cancel"),
          submit,
        ),
      );
      form.addEventListener(
        "submit",
        busyForm(submit, alert, async () => {
          const file = picture.input.files?.[0];
          const problem = file ? problemOf(file) : "Choose a picture.";
          if (!allRight([[picture, problem]]) || !file) return;
          await onSave(file);
          close();
        }),
      );
      return [form];
    },
  });
}
