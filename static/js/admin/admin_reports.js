/** What people reported to the operators: the list, and the window that shows and resolves one report. */

import { REASONS } from "../moderation/report_form.js";
import { oneLine } from "../text/one_line.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime } from "../text/time.js";
import { openDialog } from "../ui/dialog.js";
import { openForm } from "../ui/dialog_form.js";
import { h } from "../ui/dom.js";
import { allRight, choice } from "../ui/field.js";
import { t } from "../words/words.js";
import { createAdminList } from "./admin_list.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").AdminCalls} AdminCalls */
/** @typedef {import("./admin_calls.js").ListedReport} ListedReport */
/** @typedef {import("./admin_calls.js").OperatorReport} OperatorReport */

/** @type {Record<string, string>} */
const ACTIONS = {
  dismiss: t("No action needed"),
  note: t("Handled in another way"),
  delete: t("Message deleted"),
  disable: t("Account disabled"),
};

export function createAdminReports(/** @type {AdminCalls} */ calls) {
  const state = choice({
    label: t("State of the reports"),
    options: [
      { value: "open", label: t("Open") },
      { value: "resolved", label: t("Resolved") },
    ],
  });
  let reads = false;
  const list = createAdminList({
    label: t("Reports"),
    none: t("There are no such reports."),
    load: async (_, before) => {
      const { reports, before: next } = await calls.reports(state.input.value, before);
      return { entries: reports, before: next };
    },
    row,
  });
  const trouble = h("p", { class: "alert", role: "alert" });
  state.input.addEventListener("change", () => list.load());
  const node = h("div", {}, state.node, trouble, list.node);

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {ListedReport} */ report) {
    const { id, reasons, created_at: at, resolution, conversation_id: place } = report;
    const name = nameOf(report);
    const why = Object.entries(reasons).map(([reason, count]) => {
      const words = REASONS[reason] ?? reason;
      return count > 1 ? t("{reason}: {count}", { reason: words, count }) : words;
    });
    const label = t("Read the report about {name}", { name });
    const onclick = () => open(id);
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name", dir: "auto" }, titleOf(report)),
          h("p", {}, why.join(" · ")),
          h(
            "p",
            { class: "quiet" },
            h("time", { datetime: isoTime(at) }, fullTime(at)),
            place && " · ",
            place && h("bdi", {}, place),
          ),
          resolution &&
            h(
              "p",
              { class: "quiet" },
              [
                ACTIONS[resolution.action] ?? resolution.action,
                resolution.by.name ?? resolution.by.user_id,
                resolution.reason,
              ].join(" · "),
            ),
        ),
        reads &&
          h("button", { class: "button", type: "button", "aria-label": label, onclick }, t("Read report…")),
      );
    return { key: id, sign: JSON.stringify([report, reads]), build };
  }

  async function open(/** @type {string} */ id) {
    trouble.textContent = "";
    try {
      show(await calls.report(id));
    } catch (error) {
      trouble.textContent = reasonOf(error);
    }
  }

  function show(/** @type {OperatorReport} */ report) {
    const title = titleOf(report);
    const shown = contentOf(report);
    if (report.state === "resolved") return openDialog({ title, content: () => [shown] });
    const name = nameOf(report);
    const action = choice({
      label: t("What to do"),
      options: [
        { value: "dismiss", label: t("Nothing: there is no problem") },
        { value: "note", label: t("Nothing here: I handled it in another way") },
        ...(report.message ? [{ value: "delete", label: t("Delete the message") }] : []),
        ...(report.about ? [{ value: "disable", label: t("Disable the account of {name}", { name }) }] : []),
      ],
    });
    const reason = reasonField();
    return openForm({
      title,
      asks: [shown, action.node, reason.node],
      act: t("Resolve"),
      async onSubmit(close) {
        const why = reason.input.value.trim();
        if (!allRight([[reason, why === "" && t("Enter a reason.")]])) return;
        await calls.resolveReport(report.id, action.input.value, why);
        close();
        list.load();
      },
    });
  }

  return {
    node,
    /** Loads the list; `role` decides whether reports can be read. */
    load(/** @type {import("./admin_calls.js").OperatorRole} */ role) {
      reads = role !== "auditor";
      trouble.textContent = "";
      return list.load();
    },
  };
}

const nameOf = (/** @type {ListedReport} */ { about }) => about?.name ?? about?.user_id ?? t("a bot");

function titleOf(/** @type {ListedReport} */ report) {
  const name = nameOf(report);
  if (report.subject === "message") return t("Message of {name}", { name });
  return report.subject === "user" ? t("Account of {name}", { name }) : t("Group of {name}", { name });
}

/** What was reported, and what those who reported it say. */
function contentOf(/** @type {OperatorReport} */ { message, earlier_texts: earlier, filings }) {
  return h(
    "div",
    { class: "report-content" },
    message && h("blockquote", { dir: "auto" }, oneLine(message)),
    ...earlier.map((text) =>
      h("p", { class: "quiet", dir: "auto" }, t("Before it was edited: {text}", { text })),
    ),
    h(
      "ul",
      { class: "keys" },
      ...filings.map(({ by, rule, reason, text }) =>
        h(
          "li",
          { class: "key" },
          h(
            "div",
            { class: "key-words" },
            h(
              "p",
              { class: "key-name", dir: "auto" },
              by ? (by.name ?? by.user_id) : t("Reported by the rule {rule}", { rule: rule ?? "" }),
            ),
            h("p", {}, REASONS[reason] ?? reason),
            text !== null && h("q", { dir: "auto" }, text),
          ),
        ),
      ),
    ),
  );
}
