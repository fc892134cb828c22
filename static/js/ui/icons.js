/**
 * The icons of the client, drawn as strokes in the colour of the text around them.
 *
 * Owns the shapes. Icons are decoration: a button that shows one has a label of its own.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Paths on a 24 × 24 grid. */
const PATHS = {
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.5M12 7.6v.1",
  reply: "M9.5 6.5L4 12l5.5 5.5M4 12h9.5a6.5 6.5 0 0 1 6.5 6.5",
  forward: "M14.5 6.5L20 12l-5.5 5.5M20 12h-9.5A6.5 6.5 0 0 0 4 18.5",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  send: "M5 12h13M12 5l7 7-7 7",
  down: "M12 5v14M6 13l6 6 6-6",
  before: "M6 14.5l6-6 6 6",
  after: "M6 9.5l6 6 6-6",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.4-3.6 3-5.5 6.5-5.5s6.1 1.9 6.5 5.5M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.9c2 .7 3.2 2.4 3.5 5.1",
  addPerson:
    "M10 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c.4-3.6 3.2-5.5 7-5.5 1.6 0 3 .3 4.2 1M18 14v6M15 17h6",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20.5c.5-3.8 3.6-6 8-6s7.5 2.2 8 6",
  bot: "M12 4.2V7M5 9a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2zM9.3 12v1M14.7 12v1M2.5 12v3M21.5 12v3",
  copy: "M9 9V4.5h10.5V15H15M4.5 9H15v10.5H4.5z",
  again: "M19.5 5v4.5H15M19 9.5A7.5 7.5 0 1 0 19.5 14",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  turnRight: "M18.5 4v5h-5M18 9a7.5 7.5 0 1 0 1.3 5.5",
  whole: "M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15",
  turnLeft: "M5.5 4v5h5M6 9a7.5 7.5 0 1 1-1.3 5.5",
  aside: "M9 7v10M15 7v10M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  leave: "M14 4H6v16h8M10 12h10M16 8l4 4-4 4",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2",
  check: "M5 12.5l4.5 4.5L19 7.5",
  message: "M4 5.5h16v11h-9.5L6 20.5v-4H4z",
  compose: "M5 19h3.5L19 8.5 15.5 5 5 15.5zM13 7.5l3.5 3.5M13 19h6",
  person: "M12 11.5a3.75 3.75 0 1 0 0-7.5 3.75 3.75 0 0 0 0 7.5zM4.5 20c.5-3.7 3.4-6 7.5-6s7 2.3 7.5 6",
  topic: "M9.5 4.5L7.5 19.5M16.5 4.5l-2 15M4.5 9.5h15.5M4 14.5h15.5",
  poll: "M5 20V10M12 20V4M19 20v-7",
  calendar: "M4.5 6.5h15v13h-15zM4.5 10.5h15M8.5 4v4M15.5 4v4",
  muted: "M6 16.5h12l-1.5-2.2v-4a4.5 4.5 0 0 0-9 0v4zM10 19.5h4M4 4l16 16",
  bell: "M6 16.5h12l-1.5-2.2v-4a4.5 4.5 0 0 0-9 0v4zM10 19.5h4",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1",
  end: "M5 7h14M9.5 7V5h5v2M7 7l.8 12h8.4L17 7",
  warning: "M12 8v5M12 16.5v.5M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  picture: "M4.5 5h15v14h-15zM4.5 16l4.5-4.5 4 4 2.5-2.5 4 4M15 9.2v.1",
  microphone:
    "M12 15a3.2 3.2 0 0 0 3.2-3.2V7a3.2 3.2 0 0 0-6.4 0v4.8A3.2 3.2 0 0 0 12 15zM5.8 11.5a6.2 6.2 0 0 0 12.4 0M12 17.7V21",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  gallery: "M4 5h7v6H4zM14 5h6v6h-6zM4 14h7v5H4zM14 14h6v5h-6z",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14.5c1.6 2.2 5.4 2.2 7 0M9 9.5v.6M15 9.5v.6",
  heart: "M12 20s-7.5-4.6-7.5-10.2A4.3 4.3 0 0 1 12 7.2a4.3 4.3 0 0 1 7.5 2.6C19.5 15.4 12 20 12 20z",
  mention:
    "M12 15.8a3.8 3.8 0 1 0 0-7.6 3.8 3.8 0 0 0 0 7.6zM15.8 8.2v5.2a2.5 2.5 0 0 0 4.9.6 9 9 0 1 0-3.5 5.3",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  pin: "M9 4h6l-.8 6 3.3 3.5v1.5h-11v-1.5L9.8 10zM12 15v5.5",
  file: "M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4M9.5 12.5h5M9.5 16h5",
  folder: "M3.5 6.5h6l2 2.5h9v10.5h-17z",
  format: "M3.5 18L8.5 6l5 12M5.2 14h6.6M20 11.5v6.5M20 14.8a2.6 3.2 0 1 1-5.2 0 2.6 3.2 0 0 1 5.2 0z",
  pause: "M8.5 6v12M15.5 6v12",
  stop: "M7 7h10v10H7z",
  enlarge: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20M7.5 10.5h6M10.5 7.5v6",
  reduce: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20M7.5 10.5h6",
  save: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  original: "M14 4.5h5.5V10M19.5 4.5l-8 8M10 5.5H5.5v13h13V14",
  play: "M8 5.5l10.5 6.5L8 18.5z",
  place:
    "M12 21s-6.5-6-6.5-11a6.5 6.5 0 0 1 13 0c0 5-6.5 11-6.5 11zM12 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z",
};

/** @typedef {keyof typeof PATHS} IconName */

export function icon(/** @type {IconName} */ name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Coterie's logo: a few people, close together. */
export function mark() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  for (const [cx, cy, r] of [
    [16, 9.5, 5.5],
    [9, 20.5, 5.5],
    [23, 20.5, 5.5],
  ]) {
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("cx", String(cx));
    dot.setAttribute("cy", String(cy));
    dot.setAttribute("r", String(r));
    svg.append(dot);
  }
  return svg;
}
