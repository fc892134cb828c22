/**
 * The lists of a section in the panel of the open group: loaded when the panel is opened, and again when they may have
 * changed.
 */

import { convOfGroup } from "../sync/store.js";
import { h } from "../ui/dom.js";

/** @typedef {import("../sync/types.js").Group} Group */

/**
 * @template Lists
 * @param {object} parts
 * @param {import("../app/app.js").App} parts.app
 * @param {Lists} parts.nothing what there is before everything is loaded, and for those who see nothing
 * @param {(group: Group) => Promise<Lists>} parts.load
 * @param {(type: string, lists: Lists) => boolean} parts.mayChange whether an event of this type may change the lists
 * @param {(lists: Lists, group: Group | null, me: string) => void} parts.draw
 * @param {(group: Group, me: string) => boolean} [parts.sees] whether the user may load the lists; everybody, if absent
 */
export function createGroupLists({ app, nothing, load, mayChange, draw, sees = () => true }) {
  /** @type {Group | null} */
  let shown = null;
  let me = "";
  let lists = nothing;
  let isSeen = false;
  /** The number of the newest load: answers to earlier ones come too late. */
  let newest = 0;
  let connection = app.state.get().connection;
  const trouble = h("p", { class: "quiet", role: "alert" });

  async function reload(/** @type {Group} */ group) {
    newest += 1;
    const own = newest;
    const found = isSeen ? await load(group).catch(() => null) : nothing;
    if (!found || own !== newest) return;
    lists = found;
    draw(lists, shown, me);
  }

  app.onEvent((_, { conv, type }) => {
    if (shown && conv === convOfGroup(shown.id) && mayChange(type, lists)) reload(shown);
  });

  return {
    /** Says why the last act failed. */
    trouble,
    /** The group whose panel is open. */
    group: () => shown,
    /** Loads the lists of a group again, if it is still shown. */
    reload(/** @type {Group} */ { id }) {
      if (shown?.id === id) reload(shown);
    },
    /** Acts on the shown group, then loads the lists again. */
    async change(/** @type {(groupId: string) => Promise<unknown>} */ run) {
      const group = shown;
      if (!group) return;
      trouble.textContent = "";
      try {
        await run(group.id);
      } catch (error) {
        trouble.textContent = error instanceof Error ? error.message : "";
      }
      this.reload(group);
    },
    /** Shows the lists of a group; null while the panel is closed. */
    show(/** @type {Group | null} */ group, /** @type {import("../sync/state.js").State} */ state) {
      const isOther = group?.id !== shown?.id;
      const isSame = group === shown;
      // Events may have been missed while the feed was interrupted.
      const isBack = state.connection === "live" && connection !== "live";
      const wasSeen = isSeen;
      connection = state.connection;
      shown = group;
      me = state.snapshot?.user.id ?? "";
      isSeen = group !== null && sees(group, me);
      if (isOther) {
        newest += 1;
        lists = nothing;
        trouble.textContent = "";
      }
      if (!isSame) draw(lists, shown, me);
      if (group && (isOther || isBack || isSeen !== wasSeen)) reload(group);
    },
  };
}
