/** Offers a passkey on the page where people log in before they allow an application access. */

import { hasPasskeys, passkeyCalls } from "./security/passkeys.js";

/** Sends a request to the server. @returns {Promise<any>} the `response` of the answer */
async function call(/** @type {string} */ method, /** @type {string} */ path) {
  const answer = await fetch(path, { method });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()).response;
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("by-passkey"));
if (form && hasPasskeys()) {
  const shown = /** @type {HTMLInputElement} */ (form.elements.namedItem("passkey"));
  const problem = /** @type {HTMLElement} */ (form.querySelector(".alert"));
  const passkeys = passkeyCalls(/** @type {any} */ ({ call }), () => ({}));
  form.addEventListener("submit", async (event) => {
    if (shown.value !== "") return;
    event.preventDefault();
    problem.textContent = "";
    try {
      shown.value = JSON.stringify(await passkeys.show());
      form.requestSubmit(event.submitter);
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  form.hidden = false;
}
