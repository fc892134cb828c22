import assert from "node:assert/strict";
import { test } from "node:test";
import { createNotices } from "../../../static/js/notices/notices.js";
import { deviceSecret, saveDevice } from "../../../static/js/security/factor_calls.js";

/** A browser, a server and a device that remember what they were asked. */
function device({ permission = "default", answers = "granted", supported = true } = {}) {
  /** @type {unknown[]} */
  const told = [];
  /** @type {Map<string, string>} */
  const kept = new Map();
  /** @type {any} */
  let subscription = null;
  const pushManager = {
    getSubscription: async () => subscription,
    subscribe: async (/** @type {any} */ options) => {
      told.push(["subscribe", [...options.applicationServerKey]]);
      subscription = {
        toJSON: () => ({ endpoint: "https://push.example/1" }),
        unsubscribe: async () => {
          subscription = null;
          return true;
        },
      };
      return subscription;
    },
  };
  const api = {
    pushKey: async () => "AQL_",
    addDevice: async (/** @type {object} */ it) => {
      told.push(["add", it]);
      return "device-1";
    },
    removeDevice: async (/** @type {string} */ id) => void told.push(["remove", id]),
  };
  const parts = {
    workers: supported ? { register: async () => ({ pushManager }) } : undefined,
    permission: { permission, requestPermission: async () => answers },
    storage: {
      getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
      removeItem: (/** @type {string} */ key) => void kept.delete(key),
    },
  };
  const notices = createNotices({
    api: /** @type {any} */ (api),
    device: () => /** @type {any} */ (parts),
  });
  return { notices, told, storage: parts.storage };
}

test("notices are switched on for this device and off again", async () => {
  const { notices, told } = device();
  assert.equal(await notices.state(), "off");
  assert.equal(await notices.enable(), "on");
  assert.equal(await notices.state(), "on");
  assert.equal(await notices.disable(), "off");
  assert.equal(await notices.state(), "off");
  assert.deepEqual(told, [
    ["subscribe", [1, 2, 255]],
    ["add", { endpoint: "https://push.example/1" }],
    ["remove", "device-1"],
  ]);
});

test("notices and the trust in this device do not know of each other", async (t) => {
  const { notices, told, storage } = device();
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  t.after(() => {
    if (before) Object.defineProperty(globalThis, "localStorage", before);
    else Reflect.deleteProperty(globalThis, "localStorage");
  });
  saveDevice("the secret");
  assert.equal(await notices.state(), "off");
  await notices.enable();
  assert.equal(deviceSecret(), "the secret");
  await notices.disable();
  assert.equal(deviceSecret(), "the secret");
  assert.deepEqual(told.at(-1), ["remove", "device-1"]);
});

test("a denied permission is not requested again", async () => {
  const { notices, told } = device({ answers: "denied" });
  assert.equal(await notices.enable(), "denied");
  assert.deepEqual(told, []);
  assert.equal(await device({ permission: "denied" }).notices.state(), "denied");
});

test("a browser without service workers gets an explanation", async () => {
  assert.equal(await device({ supported: false }).notices.state(), "unsupported");
});
