/**
 * Shows the example programs of the guide as they lie beside it, so that what is read is
 * what is tested.
 */

for (const place of document.querySelectorAll("[data-file]")) {
  const answer = await fetch(/** @type {HTMLElement} */ (place).dataset.file ?? "");
  place.textContent = answer.ok ? await answer.text() : "This file cannot be read now.";
}
for (const place of document.querySelectorAll("[data-origin]")) {
  place.textContent = location.origin;
}
