/**
 * Says so when the client does not come up: a file that did not arrive, or a browser that
 * does not understand it. An ordinary script, so that it works where modules do not; it
 * stands before them and needs nothing of them.
 */

addEventListener("error", sayThatItFailed, true);

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
