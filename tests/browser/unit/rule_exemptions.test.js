/** What rules of groups spare: bots, and topics of the group. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { exemptOf, sparedNames, sparedTopics } from "../../../static/js/moderation/rule_exemptions.js";

const ROPES = { id: "30", name: "Ropes" };
const KNOTS = { id: "31", name: "Knots" };

test("a rule without spared topics names none", () => {
  assert.deepEqual(exemptOf(true, []), { bots: true });
  assert.deepEqual(exemptOf(false, ["30"]), { bots: false, topics: ["30"] });
});

test("chosen topics replace the offered ones that the rule spared", () => {
  assert.deepEqual(sparedTopics(undefined, [ROPES, KNOTS], ["31"]), ["31"]);
  assert.deepEqual(sparedTopics(["30"], [ROPES, KNOTS], ["31"]), ["31"]);
  assert.deepEqual(sparedTopics(["30"], [ROPES, KNOTS], []), []);
});

test("a topic that is not offered stays spared", () => {
  assert.deepEqual(sparedTopics(["29", "30"], [ROPES], []), ["29"]);
  assert.deepEqual(sparedTopics(["29", "30"], [], []), ["29", "30"]);
});

test("spared topics are named as far as they are known", () => {
  assert.deepEqual(sparedNames({ exempt: { bots: false, topics: ["29", "31"] } }, [ROPES, KNOTS]), ["Knots"]);
  assert.deepEqual(sparedNames({ exempt: { bots: false } }, [ROPES, KNOTS]), []);
});
