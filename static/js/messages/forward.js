/** The window that asks where to forward one message or several. */

import { isReadOnly } from "../groups/standstill.js";
import { ranked } from "../search/finding.js";
import { createGoalList, placesOf } from "../search/goal_list.js";
import { oneLine } from "../text/one_line.js";
import { openForm } from "../ui/dialog_form.js";
import { h, setText } from "../ui/dom.js";
import { inRow, t } from "../words/words.js";
import { broughtAlong } from "./forwarding.js";

/** How many conversations and people are listed at most. */
const MOST = 40;

/** @typedef {import("../sync/types.js").Attachment} Attachment */
/** @typedef {ReturnType<typeof placesOf>[number]} Place */

export function openForward(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {string} */ conv,
  /** @type {{ text: string, attachments: Attachment[] }[]} */ contents,
  /** @type {() => void} Called once they were sent. */ onDone = () => {},
) {
  if (!app.state.get().snapshot) return;
  const stop = new AbortController();
  let isUploading = false;
  /** Where files could not be brought, of which the user was told: there it goes without them. */
  let told = "";
  /** The files that were brought already, by place and file. @type {Map<string, Attachment>} */
  const brought = new Map();

  /** @type {ReturnType<typeof createGoalList<Place>>} */
  const list = createGoalList({
    id: "forward",
    onPick(place) {
      list.choose(input, place);
      input.focus();
    },
  });
  const input = h("input", {
    ...list.facts,
    "aria-label": t("Forward to"),
    placeholder: t("A conversation or a person"),
    oninput: () => show(),
    onkeydown: (/** @type {KeyboardEvent} */ event) => list.pressed(input, event),
  });
  const nothing = h("p", { class: "quiet palette-nothing", role: "status" });

  /** Where it can go now: groups and people come while the window is open. */
  function places() {
    const { snapshot } = app.state.get();
    if (!snapshot) return [];
    const { blocked, conversations } = snapshot;
    const isBlocked = (/** @type {Place} */ { key }) => blocked.includes(conversations[key]?.other?.id ?? "");
    const isShut = (/** @type {Place} */ { key }) => isReadOnly(conversations[key]?.group);
    return placesOf(snapshot).filter((place) => place.key !== conv && !isBlocked(place) && !isShut(place));
  }

  function show(isSame = false) {
    const found = ranked(places(), input.value, ({ name }) => name).slice(0, MOST);
    list.show(input, found, isSame);
    setText(nothing, isUploading ? t("Uploading…") : found.length === 0 ? t("Nothing was found.") : "");
  }

  async function bring(/** @type {Attachment} */ file, /** @type {string} */ to) {
    const key = `${to} ${file.file_id}`;
    const one = brought.get(key) ?? (await app.bringFile(conv, to, file, { signal: stop.signal }));
    brought.set(key, one);
    return one;
  }

  async function forward(/** @type {() => void} */ close) {
    const place = list.chosen();
    if (!place) throw new Error(t("Choose where to forward it."));
    const parcels = [];
    isUploading = contents.some(({ attachments }) => attachments.some(({ type }) => type === "file"));
    show(true);
    for (const content of contents) {
      const { attachments, lost } = await broughtAlong(content, (file) => bring(file, place.key));
      parcels.push({ text: content.text, attachments, lost });
    }
    isUploading = false;
    if (stop.signal.aborted) return;
    show(true);
    const sent = parcels.filter(({ text, attachments }) => text !== "" || attachments.length > 0);
    const lost = parcels.flatMap((parcel) => parcel.lost);
    if (lost.length > 0 && (told !== place.key || sent.length === 0)) {
      told = place.key;
      throw new Error(lossWords(lost, sent.length > 0));
    }
    if (place.person) app.people.meet(place.person);
    for (const { text, attachments } of sent) app.send(place.key, text, attachments);
    app.tell(t("Forwarded to {name}.", { name: place.name }));
    close();
    onDone();
  }

  const { length } = contents;
  const dialog = openForm({
    title: length === 1 ? t("Forward message") : t("Forward {count} messages", { count: length }),
    asks: [
      h(
        "p",
        { class: "quote forward-what", dir: "auto" },
        h("span", { class: "quote-text" }, contents.map(oneLine).join(" · ")),
      ),
      input,
      nothing,
      list.node,
    ],
    act: t("Forward"),
    onSubmit: forward,
  });
  dialog.classList.add("forward");
  const forget = app.state.onChange(() => show(true));
  dialog.addEventListener("close", () => {
    forget();
    stop.abort();
  });
  show();
}

/** Says which files cannot go along and why, and whether the rest can. */
function lossWords(
  /** @type {{ file: Attachment, why: string }[]} */ lost,
  /** @type {boolean} */ isSomething,
) {
  const names = inRow(lost.map(({ file }) => file.name ?? t("A file")));
  const why = lost[0].why;
  return isSomething
    ? t("Cannot be forwarded: {names}. {why} Forward again to send the rest.", { names, why })
    : t("Cannot be forwarded: {names}. {why}", { names, why });
}
