/**
 * The account page with its three tabs: You (profile, log-ins, notices, look, password, deletion), Bots, and
 * Applications.
 *
 * Owns the tabs and when they load their data from the server: each time a tab is opened. Each section is a
 * view of its own.
 */

import { adminHref } from "../admin/admin_route.js";
import { CLOSES } from "../app/page_history.js";
import { accountHref, applicationsHref, homeHref } from "../app/route.js";
import { createBotList } from "../bots/bot_list_view.js";
import { botsHref } from "../bots/bots_route.js";
import { createNotices } from "../notices/notices.js";
import { createNoticesSection } from "../notices/notices_view.js";
import { createBlockedPeople } from "../people/blocked_people.js";
import { createFactors } from "../security/factors.js";
import { createIdentities } from "../security/identities.js";
import { createPasskeys } from "../security/passkeys_view.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { createSectionNav } from "../ui/section_nav.js";
import { markTab } from "../ui/tabs.js";
import { t } from "../words/words.js";
import { createApplications } from "./applications.js";
import { createLogIns } from "./log_ins.js";
import { createLook } from "./look_view.js";
import { createOwnAudit } from "./own_audit.js";
import { createDeletion, createPassword } from "./password.js";
import { createPrivacy } from "./privacy.js";
import { createProfile } from "./profile.js";

/** The headings of the sections with an address. @type {Record<import("../app/route.js").Section, string>} */
const ADDRESSED = { factors: t("Two-factor log-in"), privacy: t("Privacy") };

export function createAccount(/** @type {import("../app/app.js").App} */ app) {
  const logIns = createLogIns(app);
  const factors = createFactors(app);
  const passkeys = createPasskeys(app);
  const identities = createIdentities(app);
  const ownAudit = createOwnAudit(app.factors);
  const profile = createProfile(app);
  const privacy = createPrivacy(app);
  const blocked = createBlockedPeople(app);
  const notices = createNoticesSection(app, createNotices(app));
  const password = createPassword(app.account, logIns.load);
  const deletion = createDeletion(app.account);
  const applications = createApplications(app.account);
  const bots = createBotList(app);

  const title = h("h2", { class: "head-title", tabindex: "-1" }, t("Account"));
  const subtitle = h("p", { class: "head-subtitle" });
  const you = h("a", { class: "tab", href: accountHref }, t("You"));
  const robots = h("a", { class: "tab", href: botsHref }, t("Bots"));
  const yours = h("a", { class: "tab", href: applicationsHref }, t("Your applications"));
  // Only operators see it.
  const operators = h("a", { class: "tab", href: adminHref, hidden: true }, t("Administration"));
  const pages = {
    you: h(
      "div",
      { class: "account-page" },
      profile.node,
      logIns.node,
      notices.node,
      createLook(),
      privacy.node,
      blocked.node,
      password.node,
      factors.node,
      passkeys.node,
      identities.node,
      ownAudit.node,
      deletion.node,
    ),
    bots: h("div", { class: "account-page" }, bots.node),
    applications: h("div", { class: "account-page" }, applications.node),
  };
  // Holds only the open tab's page: code that looks for fields in the document would find hidden ones too.
  const body = h("div", { class: "account-body" });
  const sections = createSectionNav(pages.you, body);
  const node = h(
    "section",
    { class: "account", "aria-label": t("Account") },
    h(
      "header",
      { class: "head" },
      h(
        "a",
        {
          class: "button-icon head-back",
          href: homeHref,
          "aria-label": t("Back to all conversations"),
          ...CLOSES,
        },
        icon("back"),
      ),
      h("div", { class: "head-words" }, title, subtitle),
      h("nav", { class: "tabs", "aria-label": t("Account") }, you, robots, yours, operators),
    ),
    body,
  );

  let shown = "";
  /** The last address that led to a section, until another one is shown. @type {import("../app/route.js").Route | null} */
  let led = null;
  const goThere = () => {
    if (led?.name === "account" && led.section) sections.goTo(ADDRESSED[led.section]);
  };

  function show(/** @type {import("../sync/state.js").State} */ state) {
    const { route, snapshot } = state;
    const part = route.name === "account" && snapshot ? route.part : "";
    node.hidden = part === "";
    if (snapshot) setText(subtitle, snapshot.user.email ?? "");
    robots.hidden = snapshot?.user.kind === "guest";
    if (part === "bots") bots.show(state, null);
    if (part === "you") blocked.show();
    if (part !== shown) open(part);
    const before = led;
    led = part !== "" && route.name === "account" && route.section ? route : null;
    if (led !== before) goThere();
  }

  /** Shows a tab and loads what is in it; "" closes the page. */
  function open(/** @type {"" | keyof typeof pages} */ part) {
    shown = part;
    body.classList.toggle("account-sectioned", part === "you");
    fillWith(body, part === "you" && sections.node, part && pages[part]);
    markTab(you, part === "you");
    markTab(robots, part === "bots");
    markTab(yours, part === "applications");
    if (part === "you") {
      showOperators();
      profile.load();
      logIns.load();
      factors.load();
      passkeys.load();
      identities.load();
      ownAudit.load();
      notices.load();
      loadPrivacy();
    }
    if (part === "bots") bots.load();
    if (part === "applications") applications.load();
  }

  /** Loads the section for privacy, and goes there if that is where the address leads. */
  async function loadPrivacy() {
    await privacy.load();
    if (led?.name === "account" && led.section === "privacy") goThere();
  }

  async function showOperators() {
    const me = await app.smsMode.look().catch(() => null);
    operators.hidden = !me?.operator;
  }

  return { node, show, focus: () => (led ? goThere() : title.focus()) };
}
