/** The page with the message requests about which the user has not decided. */

import { privacyHref } from "../app/route.js";
import { createApartPage } from "../conversation_list/apart_page.js";
import { openRequests } from "../sync/store.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";

export const createMessageRequests = () =>
  createApartPage({
    route: "requests",
    label: t("Message requests"),
    nothing: [
      h("p", {}, t("No message requests.")),
      h(
        "p",
        { class: "quiet" },
        t("People who share no group with you can send you requests, if you allow it."),
      ),
      h("a", { class: "button", href: privacyHref }, t("Choose who can write to you")),
    ],
    listed: openRequests,
  });
