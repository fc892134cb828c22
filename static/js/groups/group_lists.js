/**
 * The lists of a section in the panel of the open group: loaded when the panel is opened, and again when they may have
 * changed.
 */

import { convOfGroup } from "../sync/store.js";
import { reasonOf } from "../text/reason.js";
import { h } from "../ui/dom.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/state.js").State} State */

/**
 * The lists of a group, or of one of its topics.
 * @template Lists
 * @typedef {{ place: Group, lists: Lists }} Placed
 */

/**
 * Lists that the open group has itself.
 * @template Lists
 * @param {object} parts
 * @param {import("../app/app.js").App} parts.app
 * @param {Lists} parts.nothing what there is before everything is loaded, and for those who see nothing
 * @param {(group: Group) => Promise<Lists>} parts.load
 * @param {(type: string, lists: Lists) => boolean} parts.mayChange whether an event of this type may change the lists
 * @param {(lists: Lists, group: Group | null, me: string) => void} parts.draw
 * @param {(group: Group, me: string) => boolean} [parts.sees] whether the user may load the lists; everybody, if absent
 */
export function createGroupLists({ draw, nothing, ...parts }) {
  const lists = createPlacedLists({
    ...parts,
    nothing,
    placesOf: (_, group) => [group],
    draw: (placed, group, me) => draw(placed[0]?.lists ?? nothing, group, me),
  });
  return {
    ...lists,
    /** Acts on the shown group, then loads the lists again. */
    async change(/** @type {(groupId: string) => Promise<unknown>} */ run) {
      const group = lists.group();
      if (group) await lists.change(group, run);
    },
  };
}

/**
 * Lists that the open group has itself, and such lists of other places, as its topics. Each place is loaded on its own.
 * @template Lists
 * @param {object} parts
 * @param {import("../app/app.js").App} parts.app
 * @param {Lists} parts.nothing what a place has before its lists are loaded
 * @param {(snapshot: import("../sync/types.js").Snapshot, group: Group) => readonly Group[]} parts.placesOf the group and
 *   the other places, in the order in which they are drawn
 * @param {(place: Group) => Promise<Lists>} parts.load
 * @param {(type: string, lists: Lists) => boolean} parts.mayChange whether an event of this type may change the lists of
 *   its place
 * @param {(placed: readonly Placed<Lists>[], group: Group | null, me: string) => void} parts.draw gets the places that are loaded
 * @param {(group: Group, me: string) => boolean} [parts.sees] whether the user may load the lists; everybody, if absent
 */
export function createPlacedLists({ app, nothing, placesOf, load, mayChange, draw, sees = () => true }) {
  /** @type {Group | null} */
  let shown = null;
  let me = "";
  /** The places of the shown group; none for those who see nothing. @type {readonly Group[]} */
  let places = [];
  /** What is loaded, by the id of the place. @type {Map<string, Lists>} */
  const loaded = new Map();
  /** The number of the newest load of each place: answers to earlier ones come too late. @type {Map<string, number>} */
  const newest = new Map();
  let loads = 0;
  let connection = app.state.get().connection;
  const trouble = h("p", { class: "quiet", role: "alert" });

  const redraw = () =>
    draw(
      places.flatMap((place) => {
        const lists = loaded.get(place.id);
        return lists === undefined ? [] : [{ place, lists }];
      }),
      shown,
      me,
    );

  async function reload(/** @type {Group} */ place) {
    loads += 1;
    const own = loads;
    newest.set(place.id, own);
    const found = await load(place).catch(() => null);
    if (found === null || newest.get(place.id) !== own) return;
    loaded.set(place.id, found);
    redraw();
  }

  /** Forgets what was loaded for places that are not shown any more. */
  function forgetOthers() {
    const ids = new Set(places.map(({ id }) => id));
    for (const id of newest.keys()) {
      if (ids.has(id)) continue;
      newest.delete(id);
      loaded.delete(id);
    }
  }

  const placeOf = (/** @type {string} */ id) => places.find((place) => place.id === id);

  app.onEvent((_, { conv, type }) => {
    const place = places.find(({ id }) => convOfGroup(id) === conv);
    if (place && mayChange(type, loaded.get(place.id) ?? nothing)) reload(place);
  });

  return {
    /** Says why the last act failed. */
    trouble,
    /** The group whose panel is open. */
    group: () => shown,
    /** Loads the lists of a place again, if it is still shown. */
    reload(/** @type {Group} */ { id }) {
      const place = placeOf(id);
      if (place) reload(place);
    },
    /** Acts on a place, then loads its lists again. */
    async change(/** @type {Group} */ place, /** @type {(id: string) => Promise<unknown>} */ run) {
      trouble.textContent = "";
      try {
        await run(place.id);
      } catch (error) {
        trouble.textContent = reasonOf(error);
      }
      this.reload(place);
    },
    /** Shows the lists of a group; null while the panel is closed. */
    show(/** @type {Group | null} */ group, /** @type {State} */ state) {
      const { snapshot } = state;
      const before = { group: shown, places };
      // Events may have been missed while the feed was interrupted.
      const isBack = state.connection === "live" && connection !== "live";
      connection = state.connection;
      shown = group;
      me = snapshot?.user.id ?? "";
      places = group && snapshot && sees(group, me) ? placesOf(snapshot, group) : [];
      if (group?.id !== before.group?.id) trouble.textContent = "";
      forgetOthers();
      if (group !== before.group || !areSame(places, before.places)) redraw();
      for (const place of places) if (isBack || !newest.has(place.id)) reload(place);
    },
  };
}

const areSame = (/** @type {readonly Group[]} */ some, /** @type {readonly Group[]} */ others) =>
  some.length === others.length && some.every((one, at) => one === others[at]);
