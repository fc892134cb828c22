/** The page with the archived groups. */

import { h } from "../dom.js";
import { archivedGroups } from "../store.js";
import { t } from "../words/words.js";
import { createApartPage } from "./apart_page.js";

export const createArchivedGroups = () =>
  createApartPage({
    route: "archived",
    label: t("Archived groups"),
    nothing: [
      h("p", {}, t("No archived groups.")),
      h(
        "p",
        { class: "quiet" },
        t("The owner of a group can archive it: it can be read, and nobody writes in it."),
      ),
    ],
    listed: archivedGroups,
  });
