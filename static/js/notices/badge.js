/**
 * The unread badge where the page itself is not visible: a dot on the tab's icon, a number on the icon of the
 * installed client.
 */

const PLAIN = "icon.svg";

/** The client's icon with a dot in its corner, as a data URL. */
const DOTTED = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0f766e"/>' +
    '<g fill="#fff"><circle cx="16" cy="11" r="4.3"/><circle cx="10.5" cy="20" r="4.3" opacity=".85"/>' +
    '<circle cx="21.5" cy="20" r="4.3" opacity=".7"/></g>' +
    '<circle cx="25" cy="7" r="7" fill="#e5484d" stroke="#fff" stroke-width="1.5"/></svg>',
)}`;

export function createBadge() {
  /** @type {HTMLLinkElement | null} */
  const link = document.querySelector(`link[rel="icon"][href$="${PLAIN}"]`);
  const plain = link?.href ?? "";
  let shown = 0;

  return {
    /** Shows that `unread` conversations have something new; 0 removes the badge. */
    show(/** @type {number} */ unread) {
      if (unread === shown) return;
      shown = unread;
      if (link) link.href = unread > 0 ? DOTTED : plain;
      // Not every browser has the badge API, and its promise may reject.
      const told = unread > 0 ? navigator.setAppBadge?.(unread) : navigator.clearAppBadge?.();
      told?.catch(() => {});
    },
  };
}
