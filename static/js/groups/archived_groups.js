/** The page with the archived groups. */

import { createApartPage } from "../conversation_list/apart_page.js";
import { archivedGroups } from "../sync/store.js";
import { withTopics } from "../topics/topics.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";

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
    listed: (snapshot) => withTopics(snapshot, archivedGroups(snapshot)),
  });
