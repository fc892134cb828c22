/**
 * The marks in a text: what becomes a look, and what stays a sign.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMarkdown, withoutSigns } from "../../../static/js/text/markdown.js";

/** The tree as a line: `strong(a) b`. */
const shown = (/** @type {string} */ text, /** @type {{ text: string, users: string[] }[]} */ pieces = []) =>
  parseMarkdown(text, pieces).map(told).join("");

/** @returns {string} */
function told(/** @type {import("../../../static/js/text/markdown.js").MarkdownNode} */ node) {
  switch (node.kind) {
    case "text":
      return node.text;
    case "mention":
      return `@(${node.text})`;
    case "code":
    case "block":
      return `${node.kind}(${node.text})`;
    case "link":
      return `link(${node.children.map(told).join("")}|${node.href})`;
    case "list": {
      const items = node.items.map(({ number, children }) => `${number}:${children.map(told).join("")}`);
      return `${node.isNumbered ? "ol" : "ul"}(${items.join(",")})`;
    }
    default:
      return `${node.kind}(${node.children.map(told).join("")})`;
  }
}

test("words are emphasized, struck out and nested", () => {
  assert.equal(shown("a **b** *c* _d_ ~~e~~ f"), "a strong(b) em(c) em(d) del(e) f");
  assert.equal(shown("***both*** **a _b_**"), "strong(em(both)) strong(a em(b))");
  assert.equal(shown("这是**重点**文字"), "这是strong(重点)文字");
});

test("signs that are no marks stay", () => {
  const plain = ["2*3*4", "snake_case_name", "a * b * c", "**open", "слово_слово_", "~~", ">_<", "-1 or 1.5"];
  for (const text of plain) assert.equal(shown(text), text);
});

test("nothing inside code is a mark, a link or a mention", () => {
  assert.equal(shown("run `**x** https://a.example`!"), "run code(**x** https://a.example)!");
  assert.equal(
    shown("see\n```js\n> a *b*\n\n- c\n```\nthen", [{ text: "see", users: [] }]),
    "seeblock(> a *b*\n\n- c)then",
  );
  assert.equal(shown("``a ` b`` and `open"), "code(a ` b) and `open");
  assert.equal(shown("```\nnot closed"), "```\nnot closed");
  assert.equal(shown("```\n```"), "block()");
});

test("quotes and lists are on lines of their own", () => {
  assert.equal(shown("> a\n> *b*\nc\nd"), "quote(a\nem(b))c\nd");
  assert.equal(shown("to buy:\n- rope\n- **two** pegs"), "to buy:ul(0:rope,0:strong(two) pegs)");
  assert.equal(shown("1. a\n3. b\n\nafter"), "ol(1:a,3:b)after");
});

test("addresses and mentions stay in one piece", () => {
  assert.equal(
    shown("**https://a.example/_b_c**"),
    "strong(link(https://a.example/_b_c|https://a.example/_b_c))",
  );
  const pieces = [
    { text: "*", users: [] },
    { text: "@A*B*", users: ["1"] },
    { text: "*", users: [] },
  ];
  assert.equal(shown("*@A*B**", pieces), "*@(@A*B*)*");
});

test("words may lead somewhere, but not lie about where", () => {
  assert.equal(shown("[the rope](https://a.example/b?c)"), "link(the rope|https://a.example/b?c)");
  assert.equal(
    shown("[bank.example](https://evil.example)"),
    "[bank.example](link(https://evil.example|https://evil.example))",
  );
  assert.equal(shown("[x](javascript:alert)"), "[x](javascript:alert)");
});

test("link words that look like an address stay text", () => {
  for (const words of [
    "\u200bbank·example",
    "bank\u200b.\u200bexample",
    "bank。example",
    "bank．example",
    "bank｡example",
    "bank․example",
    "bank‧example",
    "bank・example",
    "bank•example",
    "https：／／bank",
    "a＠bank",
    "bank⁄example",
    "b\u00ada\u2060nk.\u202eexample",
    "bank.\ufe0fexample",
  ]) {
    assert.equal(shown(`[${words}](https://a.example)`).startsWith("link("), false, words);
  }
  for (const words of ["the rope", "نمی\u200cخواهم", "👩\u200d👧", "Really? Yes!", "见这里。"]) {
    assert.equal(shown(`[${words}](HTTPS://a.example)`), `link(${words}|HTTPS://a.example)`);
  }
});

test("every line ending of CommonMark ends the lines of every block", () => {
  for (const text of [
    "see\n```js\n> a *b*\n\n- c\n```\nthen",
    "> a\n> *b*\nc\nd",
    "to buy:\n- rope\n- **two** pegs",
    "1. a\n3. b\n\nafter",
    "```\n```",
    "```\nnot closed",
    "**a** b\nc *d*\n",
    "plain\ntext",
  ]) {
    for (const end of ["\r\n", "\r"]) {
      assert.equal(shown(text.replaceAll("\n", end)), shown(text), JSON.stringify(text));
    }
  }
  const text = "hi @Ben\r\n> yes\r\n@Ana";
  const pieces = [
    { text: "hi ", users: [] },
    { text: "@Ben", users: ["11"] },
    { text: "\r\n> yes\r\n", users: [] },
    { text: "@Ana", users: ["12"] },
  ];
  assert.equal(shown(text, pieces), "hi @(@Ben)quote(yes)@(@Ana)");
});

test("no text takes long, whatever is in it", () => {
  for (const sign of ["*", "**a ", "_a", "`", "[", "~~a", "> ", "- *", "1. _"]) {
    assert.ok(parseMarkdown(sign.repeat(1000 / sign.length), []).length > 0);
  }
});

test("plain contexts show text without formatting marks", () => {
  for (const [text, words] of [
    ["rope at six", "rope at six"],
    ["**bold** and *not* so ~~fast~~ in `code`", "bold and not so fast in code"],
    [
      "[the topo](https://topo.example.org/a_b_c) and https://a.example/x_y_z",
      "the topo and https://a.example/x_y_z",
    ],
    ["2*3*4 is snake_case_here", "2*3*4 is snake_case_here"],
    ["> quoted\nanswer", "quoted\nanswer"],
    ["buy:\n- rope\n- **chalk**\n1. then\n2. go", "buy:\nrope\nchalk\nthen\ngo"],
    ["see\n```\na *b* c\n```\nthere", "see\na *b* c\nthere"],
  ]) {
    assert.equal(withoutSigns(text), words);
  }
  const mention = [
    { text: "hi ", users: [] },
    { text: "@_Ben_", users: ["11"] },
  ];
  assert.equal(
    withoutSigns("hi @_Ben_", () => mention),
    "hi @_Ben_",
  );
});
