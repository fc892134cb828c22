/** The first days with the client in Firefox, told by the same hands as in Chromium. */

import { test } from "node:test";
import {
  FirefoxFingers,
  FirefoxKeys,
  FirefoxMouse,
  startByTouchInFirefox,
  startInFirefox,
} from "../firefox.js";
import { arabic, begins, tell, tellPartlyOffline } from "../story.js";

test("the keyboard alone does everything in Firefox", async (t) => {
  await tell(await begins(t, { Hand: FirefoxKeys, start: startInFirefox }));
});

test("fingers do everything on a phone in Firefox", async (t) => {
  await tell(await begins(t, { Hand: FirefoxFingers, phone: true, start: startByTouchInFirefox }));
});

test("everything is done from right to left, and partly without a connection in Firefox", async (t) => {
  await tellPartlyOffline(
    await begins(t, { Hand: FirefoxMouse, start: startInFirefox, say: arabic, locale: "ar-EG" }),
  );
});
