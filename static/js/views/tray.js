/**
 * Pictures that wait beside the draft of a message.
 *
 * Owns what of each conversation waits, sending it to the server at once, and taking it
 * out again. A message can be sent when all of them have arrived.
 */

import { h, reconcile } from "../dom.js";
import { icon } from "../icons.js";
import { formOf, problemOf } from "../pictures.js";

/** As many as one message can carry. */
const MOST = 25;

/**
 * @typedef {object} Waiting
 * @property {string} key
 * @property {string} name
 * @property {"sending" | "ready" | "failed"} state
 * @property {string} url once it is ready
 * @property {string} why a sentence, once it has failed
 */

/**
 * @param {{ upload: (file: File) => Promise<string>, onChange: () => void }} parts
 */
export function createTray({ upload, onChange }) {
  /** @type {Map<string, Waiting[]>} */
  const trays = new Map();
  let conv = "";
  let made = 0;
  const node = h("ul", { class: "tray", "aria-label": "Pictures to send" });

  const waiting = () => trays.get(conv) ?? [];

  function put(/** @type {string} */ of, /** @type {Waiting[]} */ list) {
    trays.set(of, list);
    draw();
    onChange();
  }

  function set(/** @type {string} */ of, /** @type {string} */ key, /** @type {Partial<Waiting>} */ facts) {
    const change = (/** @type {Waiting} */ one) => (one.key === key ? { ...one, ...facts } : one);
    put(of, (trays.get(of) ?? []).map(change));
  }

  function remove(/** @type {string} */ key) {
    put(
      conv,
      waiting().filter((one) => one.key !== key),
    );
  }

  async function send(/** @type {string} */ of, /** @type {string} */ key, /** @type {File} */ file) {
    try {
      const problem = problemOf(file);
      if (problem) throw new Error(problem);
      set(of, key, { state: "ready", url: await upload(file) });
    } catch (error) {
      set(of, key, { state: "failed", why: error instanceof Error ? error.message : String(error) });
    }
  }

  function draw() {
    const row = (/** @type {Waiting} */ one) => ({
      key: one.key,
      sign: JSON.stringify(one),
      build: () => drawWaiting(one, remove),
    });
    reconcile(node, waiting().map(row));
  }

  return {
    node,

    add(/** @type {Iterable<File>} */ files) {
      for (const file of [...files].slice(0, MOST - waiting().length)) {
        made += 1;
        const key = `picture-${made}`;
        const name = file.name || "Picture";
        put(conv, [...waiting(), { key, name, state: "sending", url: "", why: "" }]);
        send(conv, key, file);
      }
    },

    show(/** @type {string} */ now) {
      conv = now;
      draw();
    },

    isEmpty: () => waiting().length === 0,
    isReady: () => waiting().every(({ state }) => state === "ready"),

    /** What waits, as attachments; nothing waits any more. */
    take() {
      const attachments = waiting().map(({ url }) => ({ type: "image", url }));
      put(conv, []);
      return attachments;
    },
  };
}

function drawWaiting(/** @type {Waiting} */ one, /** @type {(key: string) => void} */ remove) {
  const { key, name, state, url, why } = one;
  const label = `Remove ${name}`;
  return h(
    "li",
    { class: `tray-item tray-${state}` },
    state === "ready"
      ? h("img", { class: "tray-picture", src: formOf(url, "avatar"), alt: "", width: 40, height: 40 })
      : h("span", { class: "tray-picture" }, icon(state === "failed" ? "warning" : "clock")),
    h("span", { class: "tray-name" }, name),
    state === "sending" && h("span", { class: "tray-word", role: "status" }, "Uploading…"),
    state === "failed" && h("span", { class: "tray-word", role: "alert" }, why),
    h(
      "button",
      { class: "button-icon", type: "button", "aria-label": label, title: label, onclick: () => remove(key) },
      icon("close"),
    ),
  );
}
