/** A look at the layout of a page: words and buttons that do not fit, and texts of people without a direction. */

/** @typedef {import("./person.js").Person} Person */

/** Words of buttons, links and titles that do not fit, and whatever makes the page wider than the screen. */
export const cutOff = (/** @type {Person} */ person) =>
  person.page.evaluate(() => {
    const shown = [...document.querySelectorAll("button, a.tab, h2, h3, label, .button")].filter(
      (node) => node.getClientRects().length > 0,
    );
    const cut = shown.filter((node) => {
      const box = node.getBoundingClientRect();
      const isOutside = box.width > 1 && (box.left < -1 || box.right > innerWidth + 1);
      // A name that ends in an ellipsis is still a name.
      const isName = node.clientWidth > 80 && getComputedStyle(node).textOverflow === "ellipsis";
      return isOutside || (!isName && node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1);
    });
    const page = document.documentElement;
    return [
      ...cut.map((node) => `${node.tagName}.${node.className}: ${node.textContent}`),
      ...(page.scrollWidth > innerWidth ? [`the page: ${page.scrollWidth}`] : []),
    ];
  });

/** How much of a long name or text stays visible before its ellipsis, in pixels. */
const READABLE_PX = 40;

/** Names and texts of which next to nothing is visible, and those that leave the box around them. */
export const squeezed = (/** @type {Person} */ person) =>
  person.page.evaluate((readable) => {
    /** Each text and the box that it has to stay in. */
    const BOXES = [
      [".head-title .ends", ".head"],
      [".quote-name", ".bubble"],
      [".quote-text", ".bubble"],
      [".group-name .ends", ".group"],
      [".group-from", "li"],
      [".palette-said .ends", "li"],
    ];
    const found = [];
    for (const [text, around] of BOXES)
      for (const node of document.querySelectorAll(text)) {
        const box = node.getBoundingClientRect();
        const outer = node.closest(around)?.getBoundingClientRect();
        if (!outer || node.getClientRects().length === 0) continue;
        const isInside = box.left >= outer.left - 1 && box.right <= outer.right + 1;
        // The title of the conversation is the page's: it needs room for a word or two.
        const least = text.startsWith(".head") ? 3 * readable : readable;
        if (isInside && box.width >= Math.min(least, node.scrollWidth) - 1) continue;
        found.push(`${text}: ${Math.round(box.width)} of ${node.scrollWidth}: ${node.textContent}`);
      }
    return found;
  }, READABLE_PX);

/** Buttons and links in bars that something covers or the edge of the page cuts. */
export const covered = (/** @type {Person} */ person, bars = ".head, .composer, .dialog-head") =>
  person.page.evaluate((bars) => {
    const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    return [...top.querySelectorAll(bars)]
      .flatMap((bar) => [...bar.querySelectorAll("button, a")])
      .filter((node) => node.getClientRects().length > 0)
      .filter((node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return !hit || !(node.contains(hit) || hit.contains(node)) || left < 0 || right > innerWidth;
      })
      .map((node) => `${node.className}: ${node.getAttribute("aria-label")}`);
  }, bars);

/** Texts of people, of the other direction than the page, that have no direction of their own. */
export const undirected = (/** @type {Person} */ person, /** @type {string[]} */ texts) =>
  person.page.evaluate((texts) => {
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = all.nextNode(); node; node = all.nextNode()) {
      const said = node.textContent ?? "";
      const parent = node.parentElement;
      if (!parent || !texts.some((text) => said.includes(text)) || parent.closest(".hidden")) continue;
      const own = parent.closest("bdi, [dir=auto]");
      // A sentence of the page isolates a name by this character.
      const isAlone = own && texts.some((text) => own.textContent?.trim().startsWith(text));
      if (!isAlone && !said.includes("\u2068")) found.push(`${parent.className}: ${said}`);
    }
    return found;
  }, texts);
