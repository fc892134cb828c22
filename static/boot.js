/**
 * What must run before the client: applying the look, requesting the snapshot, reloading for a newer version,
 * and an error message if the client does not load.
 *
 * Applies this device's colours, contrast and spacing to the page (`js/account/look.js` keeps the choices), so that
 * nothing flashes. Shows an error if the client does not start: a file could not be loaded, or the browser
 * does not understand it. A classic script, so that it runs where modules do not; it comes before them and
 * needs nothing of them.
 */

const isDark = matchMedia("(prefers-color-scheme: dark)");
const wantsContrast = matchMedia("(prefers-contrast: more)");
for (const query of [isDark, wantsContrast]) query.addEventListener("change", putLook);
addEventListener("storage", putLook);
addEventListener("coterie-look", putLook);
putLook();

function putLook() {
  const { dataset } = document.documentElement;
  const { theme = "", accent = "", contrast = "", density = "" } = keptLook();
  dataset.scheme = theme || (isDark.matches ? "dark" : "light");
  dataset.accent = accent;
  dataset.contrast = contrast || (wantsContrast.matches ? "more" : "");
  dataset.density = density;
}

function keptLook() {
  try {
    return JSON.parse(localStorage.getItem("coterie.look") ?? "{}");
  } catch {
    return {};
  }
}

addEventListener("error", sayThatItFailed, true);
askForTheSnapshot();
navigator.serviceWorker?.addEventListener("message", ({ data }) => data === "coterie-newer" && loadNewer());
navigator.serviceWorker?.startMessages();

/**
 * Reloads this page, which the device kept, since the server has a newer one (`sw.js`). Nobody is
 * interrupted: somebody who has used the page already gets the newer one on the next visit. Reloads once a
 * minute at most, in case servers of two versions answer in turn.
 */
function loadNewer() {
  if (navigator.userActivation?.hasBeenActive) return;
  const isRecent = Date.now() - Number(sessionStorage.getItem("coterie.loaded_newer")) < 60_000;
  if (isRecent) return;
  sessionStorage.setItem("coterie.loaded_newer", String(Date.now()));
  location.reload();
}

/** Requests the snapshot while the client is still loading; `js/sign_in/session.js` hands the answer over. */
function askForTheSnapshot() {
  /** @type {string | null} */
  let token = null;
  try {
    token = localStorage.getItem("coterie.token");
  } catch {
    // Storage is refused, so nobody is signed in yet.
  }
  if (!token) return;
  const open = /^#\/(?:groups|g|chats|c)\/(\d+(?:\+\d+)?)/.exec(location.hash)?.[1];
  const wanted = open ? `?open=${encodeURIComponent(open)}` : "";
  const answer = fetch(`/v3/sync${wanted}`, { headers: { "X-Access-Token": token }, cache: "no-store" });
  // The caller that takes the answer handles its failure; this avoids a report of an unhandled rejection.
  answer.catch(() => {});
  Object.assign(globalThis, { coterieSync: { token, answer } });
}

function sayThatItFailed(/** @type {Event} */ event) {
  const root = document.getElementById("app");
  const isScript = event instanceof ErrorEvent || event.target instanceof HTMLScriptElement;
  // Once anything is shown, the client itself reports errors.
  if (!isScript || !root || root.childElementCount > 0) return;
  const words = document.createElement("p");
  words.textContent = "Coterie could not be loaded. Check your connection and try again.";
  const again = document.createElement("button");
  again.className = "button button-primary";
  again.textContent = "Reload the page";
  again.onclick = () => location.reload();
  const box = document.createElement("div");
  box.className = "not-loaded";
  box.setAttribute("role", "alert");
  box.append(words, again);
  root.append(box);
}
