/** The window in which a rule of a group or of the operators is made or changed. The server checks the limits. */

import { openForm } from "../ui/dialog_form.js";
import { h } from "../ui/dom.js";
import { allRight, check, choice, field, lines } from "../ui/field.js";
import { isolated, t } from "../words/words.js";
import { exemptOf, sparedTopics } from "./rule_exemptions.js";

/** @typedef {import("../groups/group_calls.js").Rule} Rule */
/** @typedef {import("./rule_exemptions.js").NamedTopic} NamedTopic */
/** @typedef {{ node: HTMLElement, read: () => object }} Part fields of a kind, and what they say */

/** The kinds of rules, in the order in which they are offered. @type {Record<string, string>} */
export const KINDS = {
  words: t("Words"),
  patterns: t("Patterns"),
  links: t("Links"),
  mentions: t("Many mentions"),
  repeat: t("The same text again"),
  flood: t("Many messages in a short time"),
  newcomers: t("New members"),
  attachments: t("Attachments"),
  profile: t("Words in nicknames"),
};

/** What a rule does. @type {Record<string, string>} */
export const ACTIONS = {
  refuse: t("Refuse the message"),
  hold: t("Hold the message until it is approved"),
  report: t("Post and report the message"),
  timeout: t("Post the message and time its author out"),
};

/** What new members may not do. @type {Record<string, string>} */
const LIMITS = {
  links: t("No links"),
  attachments: t("No attachments"),
  mentions: t("No mentions"),
  posts: t("No messages at all"),
};

/** The types of attachments. @type {Record<string, string>} */
const TYPES = {
  image: t("Pictures"),
  video: t("Videos"),
  audio: t("Recordings"),
  file: t("Files"),
  location: t("Locations"),
  emoji: t("Emoji pictures"),
  split: t("Bills"),
};

/**
 * Makes the window for a rule, or for a new one. One of the operators has a field for the reason; one of a group can
 * spare topics of the group.
 * @param {Rule | undefined} rule
 * @param {(content: object) => Promise<unknown>} save
 * @param {{ reason?: { node: Node, read: () => string | null }, topics?: readonly NamedTopic[] }} parts
 */
export function openRule(rule, save, { reason, topics = [] }) {
  const name = field({ label: t("Name"), name: "name", value: rule?.name ?? "", autocomplete: "off" });
  const kind = choice({ label: t("What it looks for"), options: optionsOf(KINDS), value: rule?.kind });
  const parts = partsOf(rule);
  const action = choice({ label: t("What happens"), options: optionsOf(ACTIONS), value: rule?.action });
  const timeout = choice({
    label: t("Timeout of the author"),
    options: timeouts(rule?.timeout ?? null),
    value: String(rule?.timeout ?? ""),
  });
  const message = field({
    label: t("Text for the author (optional)"),
    name: "message",
    value: rule?.message ?? "",
    autocomplete: "off",
    hint: t("The author of a refused message reads it."),
  });
  const spared = reason
    ? t("Bots of operators are always spared.")
    : t("Bots of the owner and admins are always spared.");
  const bots = check({ label: t("Spare bots"), hint: spared });
  bots.input.checked = rule?.exempt.bots ?? false;
  const places = topicChoices(topics, rule?.exempt.topics ?? []);
  const showKind = () => {
    for (const [of, part] of Object.entries(parts)) part.node.hidden = of !== kind.input.value;
  };
  kind.input.addEventListener("change", showKind);
  showKind();
  openForm({
    title: rule ? t("Edit rule") : t("Add a rule"),
    asks: [
      name.node,
      kind.node,
      ...Object.values(parts).map((part) => part.node),
      action.node,
      timeout.node,
      message.node,
      bots.node,
      topics.length > 0 && places.node,
      ...(reason ? [reason.node] : []),
    ],
    act: t("Save"),
    async onSubmit(close) {
      const called = name.input.value.trim();
      if (!allRight([[name, called === "" && t("Give the rule a name.")]])) return;
      const why = reason?.read();
      if (why === null) return;
      await save({
        name: called,
        enabled: rule?.enabled ?? true,
        kind: kind.input.value,
        ...parts[kind.input.value]?.read(),
        action: action.input.value,
        timeout: timeout.input.value === "" ? null : Number(timeout.input.value),
        message: message.input.value.trim() || null,
        exempt: exemptOf(bots.input.checked, sparedTopics(rule?.exempt.topics, topics, places.chosen())),
        ...(why !== undefined && { reason: why }),
      });
      close();
    },
  });
}

/** The topics of the group, to choose those in which the rule does not run. */
function topicChoices(/** @type {readonly NamedTopic[]} */ topics, /** @type {readonly string[]} */ spared) {
  const checks = topics.map(({ id, name }) => {
    const one = check({ label: isolated(name), hint: "" });
    one.input.checked = spared.includes(id);
    return { id, ...one };
  });
  const legend = h("legend", { class: "label" }, t("Does not run in these topics"));
  return {
    node: h("fieldset", {}, legend, ...checks.map(({ node }) => node)),
    chosen: () => checks.filter(({ input }) => input.checked).map(({ id }) => id),
  };
}

const optionsOf = (/** @type {Record<string, string>} */ labels) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The offered timeouts, with the one that the rule has. */
function timeouts(/** @type {number | null} */ now) {
  const offered = [
    { value: "", label: t("No timeout") },
    { value: "600", label: t("10 minutes") },
    { value: "3600", label: t("1 hour") },
    { value: "86400", label: t("1 day") },
    { value: "604800", label: t("1 week") },
    { value: "2419200", label: t("28 days") },
  ];
  const isOffered = offered.some(({ value }) => value === String(now ?? ""));
  if (isOffered) return offered;
  return [...offered, { value: String(now), label: t("{seconds} seconds", { seconds: Number(now) }) }];
}

/** The fields of every kind. @returns {Record<string, Part>} */
function partsOf(/** @type {Rule | undefined} */ rule) {
  const of = (/** @type {string} */ kind) => (rule?.kind === kind ? rule : undefined);
  return {
    words: wordsPart(of("words")),
    patterns: patternsPart(of("patterns")),
    links: linksPart(of("links")),
    mentions: numbersPart([["limit", t("People whom a message may mention"), of("mentions")?.limit ?? 5]]),
    repeat: pacePart(of("repeat"), { count: 3, seconds: 60 }),
    flood: pacePart(of("flood"), { count: 10, seconds: 10 }),
    newcomers: newcomersPart(of("newcomers")),
    attachments: checksPart("types", TYPES, of("attachments")?.types ?? []),
    profile: wordsPart(of("profile")),
  };
}

const entries = (/** @type {string} */ text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** @returns {Part} */
function wordsPart(/** @type {Rule | undefined} */ rule) {
  const words = lines({
    label: t("Words, one on each line"),
    value: (rule?.words ?? []).join("\n"),
    hint: t("* at the beginning or the end stands for any letters."),
  });
  const allow = lines({
    label: t("Allowed words (optional)"),
    value: (rule?.allow ?? []).join("\n"),
    hint: t("The rule finds nothing inside these words."),
  });
  const read = () => ({ words: entries(words.input.value), allow: entries(allow.input.value) });
  return { node: h("div", { class: "dialog-form" }, words.node, allow.node), read };
}

/** @returns {Part} */
function patternsPart(/** @type {Rule | undefined} */ rule) {
  const patterns = lines({
    label: t("Regular expressions, one on each line"),
    value: (rule?.patterns ?? []).join("\n"),
    dir: "ltr",
  });
  return { node: patterns.node, read: () => ({ patterns: entries(patterns.input.value) }) };
}

/** @returns {Part} */
function linksPart(/** @type {Rule | undefined} */ rule) {
  const which = choice({
    label: t("Which links"),
    options: [
      { value: "all", label: t("All links") },
      { value: "except", label: t("All but links to these hosts") },
      { value: "only", label: t("Links to these hosts") },
      { value: "", label: t("Only invitations") },
    ],
    value: rule ? (rule.links ?? "") : "all",
  });
  const hosts = lines({
    label: t("Hosts, one on each line"),
    value: (rule?.hosts ?? []).join("\n"),
    dir: "ltr",
    hint: t("A host stands for its subdomains too."),
  });
  const invites = check({
    label: t("Invitations to groups"),
    hint: t("Share links of groups match whatever is chosen above."),
  });
  invites.input.checked = rule?.invites ?? false;
  const hasHosts = () => which.input.value === "except" || which.input.value === "only";
  const showHosts = () => {
    hosts.node.hidden = !hasHosts();
  };
  which.input.addEventListener("change", showHosts);
  showHosts();
  const read = () => ({
    links: which.input.value || null,
    ...(hasHosts() && { hosts: entries(hosts.input.value) }),
    invites: invites.input.checked || which.input.value === "",
  });
  return { node: h("div", { class: "dialog-form" }, which.node, hosts.node, invites.node), read };
}

/** Fields for numbers: the name of each, its label and its value. @returns {Part} */
function numbersPart(/** @type {[string, string, number][]} */ numbers) {
  const fields = numbers.map(([name, label, value]) => ({
    name,
    ...field({ label, name, type: "number", min: 0, inputmode: "numeric", value: String(value) }),
  }));
  const read = () => Object.fromEntries(fields.map(({ name, input }) => [name, Number(input.value)]));
  return { node: h("div", { class: "dialog-form" }, ...fields.map(({ node }) => node)), read };
}

/** @returns {Part} */
const pacePart = (
  /** @type {Rule | undefined} */ rule,
  /** @type {{ count: number, seconds: number }} */ usual,
) =>
  numbersPart([
    ["count", t("Messages"), rule?.count ?? usual.count],
    ["seconds", t("Within so many seconds"), rule?.seconds ?? usual.seconds],
  ]);

/** @returns {Part} */
function newcomersPart(/** @type {Rule | undefined} */ rule) {
  const unit = choice({
    label: t("Members are new"),
    options: [
      { value: "hours", label: t("For so many hours") },
      { value: "messages", label: t("Until they sent so many messages") },
    ],
    value: rule?.messages === undefined ? "hours" : "messages",
  });
  const span = numbersPart([["span", t("How many"), rule?.messages ?? rule?.hours ?? 24]]);
  const without = checksPart("without", LIMITS, rule?.without ?? ["links"]);
  const read = () => ({
    [unit.input.value]: Object.values(span.read())[0],
    ...without.read(),
  });
  return { node: h("div", { class: "dialog-form" }, unit.node, span.node, without.node), read };
}

/** A checkbox for each value of a list. @returns {Part} */
function checksPart(
  /** @type {string} */ name,
  /** @type {Record<string, string>} */ labels,
  /** @type {string[]} */ chosen,
) {
  const checks = Object.entries(labels).map(([value, label]) => {
    const one = check({ label, hint: "" });
    one.input.checked = chosen.includes(value);
    return { value, ...one };
  });
  const read = () => ({ [name]: checks.filter(({ input }) => input.checked).map(({ value }) => value) });
  return { node: h("div", {}, ...checks.map(({ node }) => node)), read };
}
