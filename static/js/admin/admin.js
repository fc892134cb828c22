/**
 * The pages for operators: Overview, People, Requests, Invitations, Groups, Reports, Rules, Mail, Audit, Directory,
 * Settings.
 *
 * Owns the tabs, and what they load: each time a tab is opened. Everybody who is no operator sees that the page
 * does not exist.
 */

import { CLOSES } from "../app/page_history.js";
import { factorsHref, homeHref } from "../app/route.js";
import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { markTab } from "../ui/tabs.js";
import { t } from "../words/words.js";
import { createAdminAudit } from "./admin_audit.js";
import { adminCalls } from "./admin_calls.js";
import { createAdminDirectory } from "./admin_directory.js";
import { createAdminGroup, createAdminGroups } from "./admin_groups.js";
import { createAdminInvitations } from "./admin_invitations.js";
import { createAdminMail } from "./admin_mail.js";
import { createAdminPeople, createAdminPerson, ROLES } from "./admin_people.js";
import { createAdminReports } from "./admin_reports.js";
import { createAdminRequests } from "./admin_requests.js";
import { adminPartHref } from "./admin_route.js";
import { createAdminRules } from "./admin_rules.js";
import { createAdminSettings } from "./admin_settings.js";

/** @type {Record<import("./admin_route.js").AdminPart, string>} */
const TABS = {
  overview: t("Overview"),
  people: t("People"),
  requests: t("Requests"),
  invitations: t("Invitations"),
  groups: t("Groups"),
  reports: t("Reports"),
  rules: t("Rules"),
  mail: t("Mail"),
  audit: t("Audit log"),
  directory: t("Directory (SCIM)"),
  settings: t("Settings"),
};

export function createAdmin(/** @type {import("../app/app.js").App} */ app) {
  const calls = adminCalls(app.api.rest);
  const people = createAdminPeople(calls);
  const person = createAdminPerson(calls);
  const requests = createAdminRequests(calls);
  const invitations = createAdminInvitations(calls);
  const groups = createAdminGroups(calls);
  const group = createAdminGroup(calls);
  const reports = createAdminReports(calls);
  const rules = createAdminRules(calls);
  const mail = createAdminMail(calls);
  const audit = createAdminAudit(calls);
  const directory = createAdminDirectory(app, calls);
  const settings = createAdminSettings(calls);
  const views = { people, requests, invitations, groups, reports, rules, mail, audit, directory, settings };
  const overview = h("section", { "aria-label": t("Overview") });
  const trouble = h("p", { class: "alert", role: "alert" });
  /** What operators see who lack the second factor that these pages need. */
  const missing = h(
    "div",
    { class: "account-form" },
    h(
      "p",
      { role: "status" },
      t("This server asks operators for a second factor. These pages open once you have one."),
    ),
    h("a", { class: "button button-primary", href: factorsHref }, t("Set up one-time codes")),
  );

  const title = h("h2", { class: "head-title", tabindex: "-1" }, t("Administration"));
  const subtitle = h("p", { class: "head-subtitle" });
  const tabs = Object.entries(TABS).map(([part, label]) => ({
    part,
    link: h("a", { class: "tab", href: adminPartHref(/** @type {any} */ (part)) }, label),
  }));
  const back = h(
    "a",
    {
      class: "button-icon head-back",
      href: homeHref,
      "aria-label": t("Back to all conversations"),
      ...CLOSES,
    },
    icon("back"),
  );
  const page = h("div", { class: "account-page" });
  const node = h(
    "section",
    { class: "account", "aria-label": t("Administration") },
    h(
      "header",
      { class: "head" },
      back,
      h("div", { class: "head-words" }, title, subtitle),
      h("nav", { class: "tabs", "aria-label": t("Administration") }, ...tabs.map(({ link }) => link)),
    ),
    h("div", { class: "account-body" }, page),
  );
  /** @type {import("../app/route.js").Route | null} */
  let shown = null;

  async function open(/** @type {import("./admin_route.js").AdminRoute} */ route) {
    fillWith(page, trouble);
    setText(trouble, "");
    for (const { part, link } of tabs) markTab(link, part === route.part);
    const server = await calls.version().catch((error) => {
      const isMissing = error instanceof ApiError && error.needs === "second_factor";
      if (isMissing && shown === route) fillWith(page, missing);
      else setText(trouble, explain(error));
      return null;
    });
    if (!server || shown !== route) return;
    setText(subtitle, t("Your role: {role}", { role: ROLES[server.role] }));
    const { part, id } = route;
    if (id) {
      const one = part === "groups" ? group : person;
      fillWith(page, one.node);
      one.open(id, server.role);
    } else if (part === "overview") {
      fillWith(overview, h("h3", {}, t("Server")), h("p", {}, t("Coterie {version}", server)));
      fillWith(page, overview, h("h3", {}, t("Audit log")), audit.node);
      audit.load();
    } else {
      const view = views[part];
      fillWith(page, view.node);
      view.load(server.role);
    }
  }

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { route, snapshot }) {
      const isOpen = route.name === "admin" && snapshot !== null;
      node.hidden = !isOpen;
      if (!isOpen) shown = null;
      if (!isOpen || route === shown || route.name !== "admin") return;
      shown = route;
      open(route);
    },
    focus: () => title.focus(),
  };
}

function explain(/** @type {unknown} */ error) {
  if (error instanceof ApiError && error.status === 404)
    return t("This does not exist, or you have no access to it.");
  return reasonOf(error);
}
