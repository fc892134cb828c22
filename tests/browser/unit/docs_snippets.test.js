/** Requests of the guide in other languages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inJavaScript, inPython, stepsOf } from "../../../static/docs/snippets.js";

/** @type {(shell: string) => any} */
const steps = (shell) => stepsOf(shell);

test("a request with a body is a POST in every language", () => {
  const shell = `curl -H "X-Access-Token: $TOKEN" http://host/v3/groups/$GROUP/messages \\
  -H 'Content-Type: application/json' \\
  -d '{"message": {"text": "rope at six", "to": "'$BEN'", "on": true}}'`;
  assert.equal(
    inJavaScript(steps(shell)),
    `await fetch(\`http://host/v3/groups/\${GROUP}/messages\`, {
    method: "POST",
    headers: {
        "X-Access-Token": TOKEN,
        "Content-Type": "application/json",
    },
    body: JSON.stringify({
        message: { text: "rope at six", to: BEN, on: true },
    }),
}).then((answer) => answer.json());`,
  );
  assert.equal(
    inPython(steps(shell)),
    `requests.post(
    f"http://host/v3/groups/{GROUP}/messages",
    headers={"X-Access-Token": TOKEN},
    json={
        "message": {"text": "rope at six", "to": BEN, "on": True},
    },
).json()`,
  );
});

test("a query, a method and a variable are kept", () => {
  const shell = `GROUP=…
curl -G http://host/search --data-urlencode 'q="a rope" ha*' -d conversation_id=$GROUP
curl -X DELETE http://host/groups/$GROUP`;
  assert.equal(
    inJavaScript(steps(shell)),
    `const GROUP = "…"; // from the answer
const query = new URLSearchParams({ q: "\\"a rope\\" ha*", conversation_id: GROUP });
await fetch(\`http://host/search?\${query}\`).then((answer) => answer.json());
await fetch(\`http://host/groups/\${GROUP}\`, {
    method: "DELETE",
}).then((answer) => answer.json());`,
  );
  assert.equal(
    inPython(steps(shell)),
    `GROUP = "…"  # from the answer
requests.get(
    "http://host/search",
    params={"q": "\\"a rope\\" ha*", "conversation_id": GROUP},
).json()
requests.delete(
    f"http://host/groups/{GROUP}",
).json()`,
  );
});

test("lines that do anything else are left in their own language", () => {
  for (const shell of [
    "coterie --data-dir ./data",
    'echo "rope" | curl http://host --data-binary @-',
    "curl -o file http://host",
    "curl http://host -d 'no JSON'",
    "X=$(date)",
    "GROUP=…",
    "curl",
    '{"t": "hello"}',
  ])
    assert.equal(steps(shell), null, shell);
});
