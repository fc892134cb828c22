/**
 * Loads the example programs of the guide from the files beside it, so that the programs shown are those that
 * are tested.
 */

for (const place of document.querySelectorAll("[data-file]")) {
  const answer = await fetch(/** @type {HTMLElement} */ (place).dataset.file ?? "");
  place.textContent = answer.ok ? await answer.text() : "This file cannot be read now.";
}
for (const place of document.querySelectorAll("[data-origin]")) {
  place.textContent = location.origin;
}
