/** The window that asks for a picture of the user, of a group or of a bot. */

import { openForm } from "../ui/dialog_form.js";
import { allRight, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { KINDS, problemOf } from "./pictures.js";

/**
 * @param {{ title: string, onSave: (file: File) => Promise<unknown> }} options
 */
export function openPictureDialog({ title, onSave }) {
  const picture = field({
    label: t("Picture"),
    hint: t("JPEG, PNG, GIF or WebP, at most 10 MB. Place and time of the picture are removed."),
    type: "file",
    accept: KINDS,
  });

  openForm({
    title,
    asks: [picture.node],
    act: t("Save picture"),
    async onSubmit(close) {
      const file = picture.input.files?.[0];
      const problem = file ? problemOf(file) : t("Choose a picture.");
      if (!allRight([[picture, problem]]) || !file) return;
      await onSave(file);
      close();
    },
  });
}
