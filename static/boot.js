/**
 * What has to be there before the client: how the page looks, the question for the snapshot,
 * the change to a newer version, and a word if the client does not come.
 *
 * Puts the colours, the contrast and the spacing of this device onto the page (`js/look.js`
 * keeps what was chosen), so that nothing flashes. Says so when the client does not come up:
 * a file that did not arrive, or a browser that does not understand it. An ordinary script,
 * so that it works where modules do not; it stands before them and needs nothing of them.
 */

const isDark = matchMedia("(prefers-color-scheme: dark)");
const wantsContrast = matchMedia("(prefers-contrast: more)");
for (const query of [isDark, wantsContrast]) query.addEventListener("change", putLook);
addEventListener("storage", putLook);
addEventListener("coterie-look", putLook);
putLook();

function putLook() {
  const { dataset } = document.documentElement;
  const { theme = "", contrast = "", density = "" } = keptLook();
  dataset.scheme = theme || (isDark.matches ? "dark" : "light");
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
 * This page was kept by the device, and the server has a newer one now (`sw.js`). Nobody is
 * interrupted by it: whoever has begun to do something here gets it with their next visit. Once a
 * minute at most, where servers of two versions answer in turn.
 */
function loadNewer() {
  if (navigator.userActivation?.hasBeenActive) return;
  const isRecent = Date.now() - Number(sessionStorage.getItem("coterie.loaded_newer")) < 60_000;
  if (isRecent) return;
  sessionStorage.setItem("coterie.loaded_newer", String(Date.now()));
  location.reload();
}

/** What the client needs first is on its way while the client is; `js/session.js` hands it over. */
function askForTheSnapshot() {
  /** @type {string | null} */
  let token = null;
  try {
    token = localStorage.getItem("coterie.token");
  } catch {
    // Not allowed to keep anything: nobody is signed in yet.
  }
  if (!token) return;
  const open = /^#\/(?:groups|g|chats|c)\/(\d+(?:\+\d+)?)/.exec(location.hash)?.[1];
  const wanted = open ? `?open=${encodeURIComponent(open)}` : "";
  const answer = fetch(`/v3/sync${wanted}`, { headers: { "X-Access-Token": token }, cache: "no-store" });
  // Whoever takes it hears of it.
  answer.catch(() => {});
  Object.assign(globalThis, { coterieSync: { token, answer } });
}

function sayThatItFailed(/** @type {Event} */ event) {
  const root = document.getElementById("app");
  const isScript = event instanceof ErrorEvent || event.target instanceof HTMLScriptElement;
  // Once anything is shown, the client itself says what is wrong.
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
