/** The first days with the client, told three ways: by keyboard, by touch, and from right to left, partly off-line. */

import { test } from "node:test";
import { Fingers, Keys } from "../hands.js";
import { arabic, begins, tell, tellPartlyOffline } from "../story.js";

test("the keyboard alone does everything", async (t) => {
  await tell(await begins(t, { Hand: Keys }));
});

test("fingers do everything on a phone", async (t) => {
  await tell(await begins(t, { Hand: Fingers, phone: true }));
});

test("everything is done from right to left, and partly without a connection", async (t) => {
  await tellPartlyOffline(await begins(t, { say: arabic, locale: "ar-EG" }));
});
