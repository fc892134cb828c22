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

test("a form, a text from a pipe, a file and a text that is shown", () => {
  const shell = `curl http://host/token -d grant_type=authorization_code \\
  -d code=$CODE
echo "rope" | curl http://host/files --data-binary @-
printf "rope" |
  curl -X PATCH http://host/files --data-binary @-
curl -o climb.ics http://host/climb.ics
echo "http://host/authorize?client_id=$CLIENT"`;
  assert.equal(
    inJavaScript(steps(shell)),
    `await fetch("http://host/token", {
    method: "POST",
    body: new URLSearchParams({ grant_type: "authorization_code", code: CODE }),
}).then((answer) => answer.json());
await fetch("http://host/files", {
    method: "POST",
    body: "rope\\n",
}).then((answer) => answer.json());
await fetch("http://host/files", {
    method: "PATCH",
    body: "rope",
}).then((answer) => answer.json());
await fetch("http://host/climb.ics").then((answer) => answer.blob()); // climb.ics
console.log(\`http://host/authorize?client_id=\${CLIENT}\`);`,
  );
  assert.equal(
    inPython(steps(shell)),
    `requests.post(
    "http://host/token",
    data={"grant_type": "authorization_code", "code": CODE},
).json()
requests.post(
    "http://host/files",
    data="rope\\n",
).json()
requests.patch(
    "http://host/files",
    data="rope",
).json()
open("climb.ics", "wb").write(requests.get(
    "http://host/climb.ics",
).content)
print(f"http://host/authorize?client_id={CLIENT}")`,
  );
});

test("a body over several lines is one body", () => {
  const shell = `curl http://host \\
  -d '{"a": 1,
       "b": "two"}'`;
  assert.match(inJavaScript(steps(shell)), /body: JSON\.stringify\(\{ a: 1, b: "two" \}\)/);
});

test("lines that do anything else are left in their own language", () => {
  for (const shell of [
    "coterie --data-dir ./data",
    "echo rope | base64 -d | curl http://host --data-binary @-",
    "curl http://host --data-binary @-",
    'echo "rope"',
    "curl -N http://host",
    "curl http://host -d 'no JSON'",
    "X=$(date)",
    "GROUP=…",
    "curl",
    '{"t": "hello"}',
  ])
    assert.equal(steps(shell), null, shell);
});
