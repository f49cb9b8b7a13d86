import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PushContent } from "../../../content/push/message.pure.ts";
import type { Capabilities } from "../../../users/devices/schema.ts";
import { canShow, chooseDevices, deviceFault } from "./devices.pure.ts";

const CONTENT: PushContent = {
  title: "Hello",
  body: "There",
  destination: { kind: "app", url: "example://x" },
};
const ABLE: Capabilities = {
  actions: ["open", "reply"],
  channels: ["news"],
  richImages: true,
  categories: [{ id: "message", actions: [{ id: "reply", title: "Reply" }] }],
};
const reply = { id: "reply", title: "Reply" };

describe("what a device can show", () => {
  const cases: readonly [string, "ios" | "android", Partial<PushContent>, Partial<Capabilities>, boolean][] =
    [
      ["plain words", "ios", {}, { actions: [], channels: [], richImages: false }, true],
      ["an image", "ios", { image: "https://example.com/a.png" }, { richImages: false }, false],
      ["a button that it knows", "ios", { actions: [reply] }, {}, true],
      ["a button that it does not know", "ios", { actions: [{ id: "buy", title: "Buy" }] }, {}, false],
      ["a channel that it has", "android", { android: { channelId: "news" } }, {}, true],
      ["a channel that it has not", "android", { android: { channelId: "other" } }, {}, false],
      ["a channel, on iOS", "ios", { android: { channelId: "other" } }, {}, true],
      ["its category", "ios", { actions: [reply], ios: { categoryId: "message" } }, {}, true],
      ["a category that it has not", "ios", { ios: { categoryId: "other" } }, {}, false],
      ["its category with other buttons", "ios", { ios: { categoryId: "message" } }, {}, false],
      [
        "its category with another title",
        "ios",
        { actions: [{ id: "reply", title: "Answer" }], ios: { categoryId: "message" } },
        {},
        false,
      ],
      ["a category, on Android", "android", { ios: { categoryId: "other" } }, {}, true],
    ];
  for (const [name, platform, content, capabilities, expected] of cases)
    it(`${name}: ${expected}`, () => {
      const device = { platform, capabilities: { ...ABLE, ...capabilities } };
      assert.equal(canShow(device, { ...CONTENT, ...content }), expected);
    });

  it("names what is missing in one order", () => {
    const device = { platform: "ios" as const, capabilities: ABLE, permission: "granted" };
    const faults = [
      deviceFault({ ...device, hasToken: false, consent: false }, CONTENT, false),
      deviceFault({ ...device, hasToken: true, consent: false }, CONTENT, false),
      deviceFault({ ...device, hasToken: true, consent: true, permission: "denied" }, CONTENT, false),
      deviceFault({ ...device, hasToken: true, consent: true }, CONTENT, false),
      deviceFault({ ...device, hasToken: true, consent: true }, CONTENT, true),
    ];
    assert.deepEqual(faults, ["no_token", "no_consent", "permission", "credential", null]);
  });
});

describe("which devices are chosen", () => {
  const device = (
    installationId: string,
    lastActiveAt: number | null,
    fault: "no_token" | "permission" | null,
  ) => ({
    installationId,
    lastActiveAt,
    fault,
  });
  const ids = (found: ReturnType<typeof chooseDevices>) =>
    "reason" in found ? found.reason : found.chosen.map(({ installationId }) => installationId);

  it("goes by the last activity, then by id; never used comes last", () => {
    const all = [
      device("c", null, null),
      device("b", 5, null),
      device("a", 5, null),
      device("d", 9, "no_token"),
    ];
    assert.deepEqual(ids(chooseDevices(all, { kind: "last_active" })), ["a"]);
    assert.deepEqual(ids(chooseDevices(all, { kind: "all" })), ["a", "b", "c"]);
    assert.deepEqual(ids(chooseDevices(all, { kind: "specific", installationId: "c" })), ["c"]);
    assert.equal(ids(chooseDevices(all, { kind: "specific", installationId: "x" })), "no_installation");
    assert.equal(ids(chooseDevices(all, { kind: "specific", installationId: "d" })), "no_token");
  });

  it("tells the reason of the device that is nearest", () => {
    assert.equal(ids(chooseDevices([], { kind: "all" })), "no_installation");
    const two = [device("a", 1, "no_token"), device("b", 1, "permission")];
    assert.equal(ids(chooseDevices(two, { kind: "all" })), "permission");
  });
});
