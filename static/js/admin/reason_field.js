/** The field in which an operator gives the reason for an act; the audit log keeps it. */

import { allRight, field } from "../ui/field.js";
import { t } from "../words/words.js";

/** The maximum length of a reason. */
const REASON = 500;

/** Makes the field. `read` returns the reason; null, and the field says so, if it is missing. */
export function reasonField() {
  const reason = field({
    label: t("Reason"),
    hint: t("It is written to the audit log."),
    name: "reason",
    autocomplete: "off",
    maxlength: REASON,
  });
  const read = () => {
    const why = reason.input.value.trim();
    return allRight([[reason, why === "" && t("Enter a reason.")]]) ? why : null;
  };
  return { ...reason, read };
}
