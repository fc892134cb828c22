/** The words for a second factor that the server asks for. Pure, except for the reader's language and time zone. */

import { shortTime } from "../text/time.js";
import { t } from "../words/words.js";

/** Until when it has to be set up; both are in seconds. */
export const requiredWords = (/** @type {number} */ until, /** @type {number} */ now) =>
  now < until
    ? t("This server asks for a second factor. Set it up by {date}.", { date: shortTime(until, now) })
    : t("This server asks for a second factor. Set it up now.");
