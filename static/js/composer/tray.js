/**
 * The pictures and files that are attached to the draft of a message.
 *
 * Owns the attachments of each conversation and their order: uploads them at once, or once there is a
 * connection, shows the progress, and removes them, which cancels the upload. A message can be sent once all are
 * uploaded. Uploaded files are part of the draft; before the page is left, the browser warns of the others. A picture
 * that was cropped or turned is uploaded again and then takes the place of the one before.
 */

import { openPictureEditor } from "../app/windows.js";
import { fileCard } from "../files/file_card.js";
import { isPicture, playedAs } from "../files/files.js";
import { formOf, isEditable, sizeOf } from "../pictures/pictures.js";
import { reasonOf } from "../text/reason.js";
import { h, reconcile, rowOf } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { withMoved } from "../ui/list_order.js";
import { inRow, t } from "../words/words.js";
import { signOf } from "./drafts.js";
import { watchOrder } from "./tray_order.js";

/** The most attachments of a message. */
const MOST = 25;
/** How many of the files that do not fit are named. */
const NAMED = 3;
/** How long an upload that got no answer waits before the next try, unless the browser is online earlier. */
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;

/** @typedef {import("../sync/types.js").Attachment} Attachment */

/**
 * @typedef {object} Waiting
 * @property {string} key
 * @property {string} name
 * @property {"sending" | "waiting" | "ready" | "failed"} state `waiting` for a connection
 * @property {Attachment | null} attachment null until it is uploaded; while a changed picture is uploaded, the one before
 * @property {File | null} file an uploaded picture, if it was chosen or changed on this page
 * @property {string} why a sentence if the state is `failed` or `waiting`, otherwise ""
 */

/**
 * @param {{
 *   upload: (conv: string, file: File, way: import("../files/send_file.js").Way) => Promise<Attachment>,
 *   link: (conv: string, file: string) => Promise<string | null>,
 *   onChange: (conv: string) => void,
 *   onTrouble: (words: string) => void,
 * }} parts
 */
export function createTray({ upload, link, onChange, onTrouble }) {
  /** @type {Map<string, Waiting[]>} */
  const trays = new Map();
  /** What cancels the running uploads, by key. @type {Map<string, AbortController>} */
  const underWay = new Map();
  let conv = "";
  let made = 0;
  const node = h("ul", { class: "tray", "aria-label": t("Files to send") });

  const waiting = (of = conv) => trays.get(of) ?? [];

  watchOrder(node, (from, to) => put(conv, withMoved(waiting(), from, to)));

  function put(/** @type {string} */ of, /** @type {Waiting[]} */ list) {
    trays.set(of, list);
    warn();
    draw();
    onChange(of);
  }

  /** Has the browser ask before the page is left, as long as there are files that leaving it would lose. */
  function warn() {
    const isLoss = [...trays.values()].some((list) => list.some(({ state }) => state !== "ready"));
    if (isLoss) addEventListener("beforeunload", refuse);
    else removeEventListener("beforeunload", refuse);
  }

  function set(/** @type {string} */ of, /** @type {string} */ key, /** @type {Partial<Waiting>} */ facts) {
    const change = (/** @type {Waiting} */ one) => (one.key === key ? { ...one, ...facts } : one);
    put(of, waiting(of).map(change));
  }

  function remove(/** @type {string} */ key) {
    underWay.get(key)?.abort();
    put(
      conv,
      waiting().filter((one) => one.key !== key),
    );
  }

  async function send(
    /** @type {string} */ of,
    /** @type {string} */ key,
    /** @type {File} */ file,
    /** @type {Partial<Attachment>} */ facts,
  ) {
    const stop = new AbortController();
    underWay.set(key, stop);
    const onProgress = (/** @type {number} */ part) => {
      const bar = rowOf(node, key)?.querySelector("progress");
      if (bar) bar.value = part;
    };
    const way = { onProgress, signal: stop.signal };
    for (let ms = RETRY_FIRST_MS; !stop.signal.aborted; ms = Math.min(2 * ms, RETRY_MOST_MS)) {
      try {
        const attachment = { ...(await upload(of, file, way)), ...facts };
        set(of, key, { state: "ready", attachment, file: isPicture(file) ? file : null, why: "" });
        break;
      } catch (error) {
        const why = reasonOf(error);
        const isPassing = /** @type {any} */ (error)?.passing === true;
        if (!isPassing) {
          fail(of, key, why);
          break;
        }
        set(of, key, { state: "waiting", why });
        await online(ms, stop.signal);
        set(of, key, { state: "sending", why: "" });
      }
    }
    underWay.delete(key);
  }

  /** Says why an upload failed. Of a picture that was changed, the one before stays. */
  function fail(/** @type {string} */ of, /** @type {string} */ key, /** @type {string} */ why) {
    const isChange = waiting(of).some((one) => one.key === key && one.attachment !== null);
    set(of, key, isChange ? { state: "ready", why: "" } : { state: "failed", why });
    if (isChange) onTrouble(why);
  }

  /** Opens the window that crops and turns an uploaded picture. */
  function edit(/** @type {string} */ key) {
    const of = conv;
    const { name, state, attachment, file } = waiting().find((one) => one.key === key) ?? {};
    const url = attachment?.url;
    const size = url && sizeOf(url);
    if (!url || !size || !name || state !== "ready") return;
    const load = async () => file ?? stored(url);
    const onDone = (/** @type {File} */ changed) => {
      if (!waiting(of).some((one) => one.key === key)) return;
      const { url: _before, ...facts } = attachment;
      set(of, key, { state: "sending" });
      send(of, key, changed, facts);
    };
    openPictureEditor({ name, size, load, onDone });
  }

  /** @returns {Waiting} */
  function arrived(/** @type {Attachment} */ attachment) {
    made += 1;
    const name = attachment.name ?? (attachment.type === "image" ? t("Picture") : t("A file"));
    return { key: `file-${made}`, name, state: "ready", attachment, file: null, why: "" };
  }

  /** Returns the uploaded files of a conversation, as attachments. */
  const ready = (/** @type {string} */ of) => waiting(of).flatMap(({ attachment }) => attachment ?? []);

  function draw() {
    const count = waiting().length;
    const row = (/** @type {Waiting} */ one, /** @type {number} */ at) => {
      const acts = { remove, edit, link: (/** @type {string} */ file) => link(conv, file) };
      return {
        key: one.key,
        sign: JSON.stringify([one, at, count]),
        build: () => drawWaiting(one, { at, count }, acts),
      };
    };
    reconcile(node, waiting().map(row));
  }

  return {
    node,

    /** Uploads files; `facts` are what only this device knows of them. */
    add(/** @type {Iterable<File>} */ files, of = conv, facts = {}) {
      const all = [...files];
      const places = Math.max(0, MOST - waiting(of).length);
      if (all.length > places) onTrouble(leftOut(all.slice(places).map(called)));
      for (const file of all.slice(0, places)) {
        made += 1;
        const key = `file-${made}`;
        const name = called(file);
        put(of, [...waiting(of), { key, name, state: "sending", attachment: null, file: null, why: "" }]);
        send(of, key, file, facts);
      }
    },

    show(/** @type {string} */ now) {
      conv = now;
      draw();
    },

    /**
     * Replaces the uploaded files of a conversation, since another device may have sent some; others stay.
     */
    keep(/** @type {string} */ of, /** @type {Attachment[]} */ attachments) {
      const before = waiting(of);
      const known = (/** @type {Attachment} */ attachment) =>
        before.find((one) => one.attachment && signOf(one.attachment) === signOf(attachment));
      const all = attachments.map((attachment) => known(attachment) ?? arrived(attachment));
      trays.set(of, [...all, ...before.filter(({ attachment }) => attachment === null)]);
      warn();
      draw();
    },

    /** Whether these, in this order, are the uploaded files of a conversation. */
    has(/** @type {string} */ of, /** @type {Attachment[]} */ attachments) {
      const all = ready(of);
      return (
        all.length === attachments.length && all.every((it, at) => signOf(it) === signOf(attachments[at]))
      );
    },

    ready,

    /** Whether the message will have pictures, so that its words are their caption. */
    hasPictures: () => waiting().some(({ attachment }) => attachment?.type === "image"),
    isEmpty: (of = conv) => waiting(of).length === 0,
    isReady: (of = conv) => waiting(of).every(({ state }) => state === "ready"),
    /** Whether some uploads are running and none has failed. */
    isUnderWay: (of = conv) =>
      waiting(of).every(({ state }) => state !== "failed") &&
      waiting(of).some(({ state }) => state === "sending" || state === "waiting"),

    /** Returns the uploaded files as attachments and empties the tray. */
    take(of = conv) {
      const attachments = ready(of);
      trays.set(of, []);
      warn();
      draw();
      return attachments;
    },
  };
}

/** The pixels of a picture as the server stored them: upright, and by this address of the server. */
async function stored(/** @type {string} */ url) {
  const response = await fetch(new URL(url, location.href).pathname);
  if (!response.ok) throw new Error(response.statusText);
  return response.blob();
}

/** The answer to an event that can be refused. */
const refuse = (/** @type {Event} */ event) => event.preventDefault();

/** Resolves once the browser is online again, or after some time, or once the upload is cancelled. */
function online(/** @type {number} */ ms, /** @type {AbortSignal} */ signal) {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      clearTimeout(timer);
      resolve(undefined);
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end, { signal: ended.signal });
    signal.addEventListener("abort", end, { signal: ended.signal });
  });
}

const called = (/** @type {File} */ { name }) => name || t("Picture");

/** Says that a message does not take more files, and which are not added to it. */
function leftOut(/** @type {string[]} */ names) {
  const it = inRow(names.slice(0, NAMED));
  const count = names.length - NAMED;
  return count > 0
    ? t("A message can have up to 25 files. Not added: {it} and {count} more.", { it, count })
    : t("A message can have up to 25 files. Not added: {it}.", { it });
}

function drawWaiting(
  /** @type {Waiting} */ one,
  /** @type {{ at: number, count: number }} */ place,
  /** @type {{ remove: (key: string) => void, edit: (key: string) => void, link: (file: string) => Promise<string | null> }} */ {
    remove,
    edit,
    link,
  },
) {
  const { key, name, state, attachment, why } = one;
  const url = attachment?.type === "image" ? attachment.url : undefined;
  const sign = state === "failed" ? "warning" : state === "ready" ? "file" : "clock";
  const label = t("Remove {name}", { name });
  const isSound = attachment?.type === "file" && playedAs(String(attachment.mime_type ?? "")) === "audio";
  if (attachment && isSound) {
    // What was recorded can be listened to before it is sent.
    const card = fileCard(attachment, link, () => ({}));
    return h(
      "li",
      { class: "tray-item tray-ready tray-sound" },
      card,
      remover(label, () => remove(key)),
    );
  }
  return h(
    "li",
    { class: `tray-item tray-${state}${url ? " tray-shown" : ""}` },
    url && isEditable(url) && editor(t("Edit {name}", { name }), state !== "ready", () => edit(key)),
    url ? thumbnail(url, name, place) : h("span", { class: "tray-picture" }, icon(sign)),
    h("span", { class: "tray-name", dir: "auto" }, name),
    state === "sending" && h("span", { class: "hidden", role: "status" }, t("Uploading…")),
    state === "sending" &&
      h("progress", {
        class: "tray-progress",
        max: 1,
        value: 0,
        "aria-label": t("Uploading {name}", { name }),
      }),
    state === "failed" && h("span", { class: "tray-word", role: "alert" }, why),
    state === "waiting" && h("span", { class: "tray-word", role: "status" }, why),
    remover(label, () => remove(key)),
  );
}

/** A picture, which is moved among the others by dragging it or by the arrow keys. */
function thumbnail(
  /** @type {string} */ url,
  /** @type {string} */ name,
  /** @type {{ at: number, count: number }} */ { at, count },
) {
  const label = t("{name}, {at} of {count}. The arrow keys move it.", { name, at: at + 1, count });
  const picture = h("img", {
    src: formOf(url, "preview"),
    alt: "",
    draggable: "false",
    width: 72,
    height: 72,
  });
  return h("button", { class: "tray-handle", type: "button", "aria-label": label, title: name }, picture);
}

/** The button that opens the editor; it keeps the focus while the changed picture is uploaded. */
const editor = (
  /** @type {string} */ label,
  /** @type {boolean} */ isOff,
  /** @type {() => void} */ onclick,
) =>
  h(
    "button",
    {
      class: "button-icon tray-edit",
      type: "button",
      "aria-label": label,
      title: label,
      "aria-disabled": isOff && "true",
      onclick,
    },
    icon("compose"),
  );

const remover = (/** @type {string} */ label, /** @type {() => void} */ onclick) =>
  h(
    "button",
    { class: "button-icon", type: "button", "aria-label": label, title: label, onclick },
    icon("close"),
  );
