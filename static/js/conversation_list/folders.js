/**
 * The windows about folders: all of them, to make, rename, order and delete them; and the folders of one conversation.
 */

import { nameOf } from "../conversation/naming.js";
import { reasonOf } from "../text/reason.js";
import { confirm } from "../ui/confirm.js";
import { openDialog } from "../ui/dialog.js";
import { openForm } from "../ui/dialog_form.js";
import { h, reconcile, rowOf, setText } from "../ui/dom.js";
import { allRight, field } from "../ui/field.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import {
  isInFolder,
  listOf,
  nameProblem,
  withFolder,
  withFolderMoved,
  withFolderRenamed,
  withMembership,
  withoutFolder,
} from "./conversation_list.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("./conversation_list.js").Folder} Folder */
/** @typedef {import("./conversation_list.js").ListChange} ListChange */
/** @typedef {ReturnType<typeof import("../ui/field.js").field>} NameField */

const wordsOf = (/** @type {unknown} */ error) => reasonOf(error);

const nameField = (/** @type {string} */ label) => field({ label, name: "name", autocomplete: "off" });

/** How the list is arranged now. */
function current(/** @type {App} */ app) {
  const { snapshot } = app.state.get();
  return snapshot ? listOf(snapshot) : { pinned_conversation_ids: [], folders: [] };
}

/** Sends a change that a name is part of; its problem is shown at the field. Returns whether it is done. */
async function arrangesBy(
  /** @type {App} */ app,
  /** @type {NameField} */ name,
  /** @type {ListChange} */ change,
) {
  try {
    await app.arrange(change);
    return true;
  } catch (error) {
    allRight([[name, wordsOf(error)]]);
    return false;
  }
}

/** Opens the window with all folders. */
export function openFolders(/** @type {App} */ app) {
  const change = (/** @type {ListChange} */ change) => () => tries(change);
  const { dialog, tries, focusAt } = openWindowOf(app, {
    title: t("Folders"),
    lead: t("Folders sort your conversations, the same on all your devices."),
    row(folder, at, { length }, before, after) {
      const { name } = folder;
      const move = (
        /** @type {-1 | 1} */ by,
        /** @type {string} */ label,
        /** @type {Folder | undefined} */ other,
      ) => button(by < 0 ? "before" : "after", label, other && change(withFolderMoved(name, by, other.name)));
      const build = () =>
        h(
          "li",
          { class: "people-row folder-row" },
          h("bdi", { class: "people-name" }, name),
          h(
            "span",
            { class: "folder-acts" },
            length > 1 && move(-1, t("Move {name} up", { name }), before),
            length > 1 && move(1, t("Move {name} down", { name }), after),
            button("compose", t("Rename: {it}", { it: name }), () => openRenaming(app, name)),
            button("end", t("Delete: {name}", { name }), () => askToDelete(folder, at)),
          ),
        );
      return { key: name, sign: JSON.stringify([at, before?.name, after?.name, folder]), build };
    },
    made: withFolder,
  });

  /** Deletes a folder, after a question if there is something in it. */
  function askToDelete(/** @type {Folder} */ { name, conversation_ids: ids }, /** @type {number} */ at) {
    const remove = withoutFolder(name);
    if (ids.length === 0) {
      tries(remove);
      focusAt(at);
      return;
    }
    confirm({
      title: t("Delete {name}?", { name }),
      words: t("The conversations in this folder are not deleted."),
      act: t("Delete"),
      onSure: () => app.arrange(remove),
    });
  }

  return dialog;
}

/** Opens the window in which one conversation is put into folders. */
export function openConversationFolders(/** @type {App} */ app, /** @type {string} */ conv) {
  const conversation = app.state.get().snapshot?.conversations[conv];
  if (!conversation) return null;
  const { dialog, tries } = openWindowOf(app, {
    title: t("Folders"),
    lead: t("Choose the folders for {name}.", { name: nameOf(conversation) }),
    row({ name }) {
      const onchange = (/** @type {Event} */ { target }) =>
        tries(withMembership(name, conv, /** @type {HTMLInputElement} */ (target).checked));
      const build = () =>
        h(
          "li",
          {},
          h(
            "label",
            { class: "people-row" },
            h("bdi", { class: "people-name" }, name),
            h("input", { class: "check-box", type: "checkbox", onchange }),
          ),
        );
      return { key: name, sign: "", build };
    },
    isTicked: (folder) => isInFolder(folder, conv),
    made: (name) => (list) => withMembership(name, conv, true)(withFolder(name)(list)),
    more: (close) =>
      h(
        "button",
        {
          class: "button",
          type: "button",
          onclick() {
            close();
            openFolders(app);
          },
        },
        t("Edit folders"),
      ),
  });
  return dialog;
}

/**
 * Opens a window with a row for each folder and a form that makes one. Follows the changes of other devices.
 *
 * @param {App} app
 * @param {object} parts
 * @param {string} parts.title
 * @param {string} parts.lead
 * @param {(folder: Folder, at: number, all: readonly Folder[], before: Folder | undefined, after: Folder | undefined) =>
 *   import("../ui/dom.js").Row} parts.row
 * @param {(name: string) => ListChange} parts.made the change that makes a folder of this name
 * @param {(close: () => void) => HTMLElement} [parts.more] stands beside the button that makes a folder
 * @param {(folder: Folder) => boolean} [parts.isTicked] whether the box of a row is ticked
 */
function openWindowOf(app, { title, lead, row, made, more, isTicked = () => false }) {
  const rows = h("ul", { class: "people", "aria-label": t("Folders") });
  const none = h("p", { class: "quiet" }, t("No folders yet."));
  const alert = h("p", { class: "alert", role: "alert" });
  const name = nameField(t("New folder"));
  const submit = h("button", { class: "button button-primary", type: "submit" }, t("Create"));
  const acts = h("div", { class: "dialog-actions" }, submit);
  const form = h("form", { class: "dialog-form", novalidate: true }, name.node, acts);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    create();
  });

  /** Makes a folder. The next one can be named meanwhile. */
  async function create() {
    const wanted = name.input.value.trim();
    setText(alert, "");
    if (!allRight([[name, nameProblem(wanted, current(app))]])) return;
    name.input.value = "";
    if (!(await arrangesBy(app, name, made(wanted)))) name.input.value ||= wanted;
  }

  /** Sends a change, and shows in the window why the server did not take it. */
  async function tries(/** @type {ListChange} */ change) {
    setText(alert, "");
    try {
      await app.arrange(change);
    } catch (error) {
      setText(alert, t("Nothing was changed. {it}", { it: wordsOf(error) }));
      show();
    }
  }

  function show() {
    const { folders } = current(app);
    none.hidden = folders.length > 0;
    reconcile(
      rows,
      folders.map((folder, at) => row(folder, at, folders, folders[at - 1], folders[at + 1])),
    );
    for (const folder of folders) {
      const box = rowOf(rows, folder.name)?.querySelector("input");
      // A box that was ticked shows again what holds.
      if (box) box.checked = isTicked(folder);
    }
  }

  /** Focuses a row, or the last one, or the field if there is none. */
  function focusAt(/** @type {number} */ at) {
    show();
    const next = [...rows.children].at(Math.min(at, rows.children.length - 1));
    const control = next?.querySelector("input, button:not([aria-disabled])") ?? name.input;
    /** @type {HTMLElement} */ (control).focus();
  }

  /** The row that was last used. */
  let used = 0;
  rows.addEventListener("click", ({ target }) => {
    used = [...rows.children].findIndex((one) => target instanceof Node && one.contains(target));
  });
  /** The window above has closed: the button that opened it may be gone. */
  function back() {
    if (dialog.open && !dialog.contains(document.activeElement)) focusAt(used);
  }

  show();
  const end = app.state.onChange(show);
  document.addEventListener("close", back, true);
  const dialog = openDialog({
    title,
    content(close) {
      if (more) acts.prepend(more(close));
      return [h("div", { class: "dialog-form" }, h("p", { class: "quiet" }, lead), rows, none, form, alert)];
    },
  });
  dialog.addEventListener("close", () => {
    end();
    document.removeEventListener("close", back, true);
  });
  return { dialog, tries, focusAt };
}

function openRenaming(/** @type {App} */ app, /** @type {string} */ before) {
  const name = nameField(t("Name"));
  name.input.value = before;
  openForm({
    title: t("Rename folder"),
    asks: [name.node],
    act: t("Save"),
    async onSubmit(close) {
      const after = name.input.value.trim();
      if (!allRight([[name, nameProblem(after, current(app), before)]])) return;
      const isChosen = app.folder.get() === before;
      if (!(await arrangesBy(app, name, withFolderRenamed(before, after)))) return;
      if (isChosen) app.folder.choose(after);
      close();
    },
  });
}

/** A button of a row; one without an act stays where it is, so that the others keep their places and the focus. */
function button(
  /** @type {import("../ui/icons.js").IconName} */ sign,
  /** @type {string} */ label,
  /** @type {(() => unknown) | undefined} */ onclick,
) {
  const facts = { class: "button-icon", type: "button", "aria-label": label, title: label };
  return h(
    "button",
    { ...facts, "aria-disabled": !onclick && "true", ...(onclick && { onclick }) },
    icon(sign),
  );
}
