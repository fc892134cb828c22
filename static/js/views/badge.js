/**
 * How much is unread, where the page itself is not seen: a dot on the icon of its tab, a
 * number on the icon of the installed client.
 */

const PLAIN = "icon.svg";

/** The icon of the client with a dot in its corner. */
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
    /** So many conversations have something new. */
    show(/** @type {number} */ unread) {
      if (unread === shown) return;
      shown = unread;
      if (link) link.href = unread > 0 ? DOTTED : plain;
      // Not every browser has it, and none promises it.
      const told = unread > 0 ? navigator.setAppBadge?.(unread) : navigator.clearAppBadge?.();
      told?.catch(() => {});
    },
  };
}
