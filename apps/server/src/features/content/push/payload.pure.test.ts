import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Platform } from "../../../domain/fields.ts";
import type { TemplateUser } from "../template/template.pure.ts";
import { fingerprint } from "./fingerprint.ts";
import { PushContent, PushSettings } from "./message.pure.ts";
import { compilePush, fillPush, MAX_PAYLOAD_BYTES, type PushEnvelope, pushPayload } from "./payload.pure.ts";

const ADA: TemplateUser = {
  id: "u/1",
  traits: { name: "Ada", empty: "", long: "x".repeat(300), list: ["a"] },
};

const PUSH: PushContent = {
  title: "Hello",
  body: "Good morning.",
  destination: { kind: "website", url: "https://shop.example/" },
};

const RICH: PushContent = PushContent.parse({
  ...PUSH,
  destination: { kind: "app", url: "acme://orders/1" },
  data: { order: "1" },
  image: "https://cdn.example/a.png",
  actions: [
    { id: "open", title: "Open" },
    { id: "later", title: "Later" },
  ],
  ios: { subtitle: "Your order", sound: "ding.caf", badge: 0, categoryId: "order" },
  android: { channelId: "orders", sound: "ding" },
});

const filled = (content: Partial<PushContent>, person = ADA) =>
  fillPush(compilePush(PushContent.parse({ ...PUSH, ...content })), person);

function rendered(content: Partial<PushContent>, person = ADA): PushContent {
  const made = filled(content, person);
  return "content" in made ? PushContent.parse(made.content) : assert.fail(JSON.stringify(made));
}

const envelope = (content: PushContent): PushEnvelope => ({
  version: 1,
  targetId: "ptg_1",
  attemptId: "pat_1",
  installationId: "phone",
  bindingGeneration: 1,
  content,
  test: false,
});

function payload(platform: "ios" | "android", content: PushContent, tag = "slot"): Record<string, unknown> {
  const made = pushPayload(platform, envelope(content), tag);
  return "payload" in made ? JSON.parse(made.payload) : assert.fail(made.fault);
}

describe("a push for one user", () => {
  it("is the content itself where nothing is personal", () => {
    assert.deepEqual(rendered(RICH), RICH);
  });
  it("fills in titles, body, subtitle and buttons, and nothing else", () => {
    const field = "{{ user.name }}";
    assert.deepEqual(
      rendered({
        title: `Hi ${field}`,
        body: `${field}, your order "1" is here`,
        data: { text: field },
        actions: [{ id: "open", title: `For ${field}` }],
        ios: { subtitle: `To ${field}`, badge: 1 },
      }),
      {
        ...PUSH,
        title: "Hi Ada",
        body: 'Ada, your order "1" is here',
        data: { text: field },
        actions: [{ id: "open", title: "For Ada" }],
        ios: { subtitle: "To Ada", badge: 1 },
      },
    );
  });
  it("knows the user's id", () => assert.equal(rendered({ body: "{{ user.id }}" }).body, "u/1"));
  it("takes the default for what there is not", () => {
    assert.equal(rendered({ title: '{{ user.nickname | default: "You" }}' }).title, "You");
    assert.equal(rendered({ title: '{{ user.empty | default: "You" }}' }).title, "You");
  });
  it("leaves out a subtitle that has nothing to say", () => {
    assert.deepEqual(rendered({ ios: { subtitle: '{{ user.x | default: "" }}', badge: 1 } }).ios, {
      badge: 1,
    });
  });

  for (const [name, content, missing] of [
    ["the title", { title: "Hi {{ user.nickname }}" }, "nickname"],
    ["the body", { body: "{{ user.name }} {{ user.city }}" }, "city"],
    ["the subtitle", { ios: { subtitle: "{{ user.city }}" } }, "city"],
    ["a button", { actions: [{ id: "a", title: "{{ user.city }}" }] }, "city"],
    ["a text, as it is a list", { body: "{{ user.list }}" }, "list"],
    ["a title that would be blank", { title: " {{ user.empty }} " }, "empty"],
    ["a body that would be blank", { body: '{{ user.x | default: " " }}' }, "x"],
  ] as const) {
    it(`waits for a trait that ${name} has no default for`, () => {
      assert.deepEqual(filled({ ...content } as Partial<PushContent>), { missing });
    });
  }

  for (const [name, content] of [
    ["title", { title: "{{ user.long }}" }],
    ["ios.subtitle", { ios: { subtitle: "{{ user.long }}" } }],
    ["actions[0].title", { actions: [{ id: "a", title: "{{ user.long }}" }] }],
  ] as const) {
    it(`says that ${name} would be too long, and cuts nothing`, () => {
      const made = filled({ ...content } as Partial<PushContent>);
      assert.match(
        "fault" in made ? made.fault : "",
        new RegExp(`^${name.replace(/[[\]]/g, "\\$&")} is longer than`),
      );
    });
  }
});

describe("what a provider is given", () => {
  it("is an alert and our envelope on iOS", () => {
    assert.deepEqual(payload("ios", RICH), {
      aps: {
        alert: { title: "Hello", subtitle: "Your order", body: "Good morning." },
        sound: "ding.caf",
        badge: 0,
        category: "order",
        "mutable-content": 1,
      },
      tidings: envelope(RICH),
    });
  });
  it("says nothing on iOS that the content does not", () => {
    assert.deepEqual(payload("ios", PUSH).aps, {
      alert: { title: "Hello", body: "Good morning." },
      "mutable-content": 1,
    });
  });
  it("is data of texts on Android: our envelope, and what it replaces", () => {
    const { tidings, ...rest } = payload("android", RICH, "offers");
    assert.deepEqual(JSON.parse(String(tidings)), envelope(RICH));
    assert.deepEqual(rest, { tidings_tag: "offers" });
  });

  for (const platform of Platform.options) {
    const most = MAX_PAYLOAD_BYTES[platform];
    /** The longest body, of this character, that still fits. */
    const longest = (character: string): number => {
      let length = 0;
      while (
        "payload" in pushPayload(platform, envelope({ ...PUSH, body: character.repeat(length + 1) }), "slot")
      )
        length++;
      return length;
    };
    it(`has ${most} bytes at most on ${platform}, whatever they are`, () => {
      for (const character of ["x", "é", "🎉", '"']) {
        const made = pushPayload(
          platform,
          envelope({ ...PUSH, body: character.repeat(longest(character)) }),
          "slot",
        );
        if (!("payload" in made)) assert.fail(made.fault);
        const size =
          platform !== "android"
            ? Buffer.byteLength(made.payload)
            : Object.entries(JSON.parse(made.payload) as Record<string, string>)
                .flat()
                .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        // One more character would not fit: the payload contains it up to twice.
        assert.ok(size <= most && size + 2 * 4 > most, `${character}: ${size}`);
      }
    });
    it(`fails in a sentence where it is larger on ${platform}`, () => {
      const data = { a: "x".repeat(1_024), b: "x".repeat(1_024), c: "x".repeat(1_024), d: "x".repeat(1_024) };
      const made = pushPayload(platform, envelope({ ...PUSH, data }), "slot");
      assert.match(
        "fault" in made ? made.fault : "",
        new RegExp(`^The push has 4\\d{3} bytes for ${platform}, and ${most} at most`),
      );
    });
  }
});

describe("a fingerprint", () => {
  const settings = PushSettings.parse({ appId: "com.example.app", selection: { kind: "all" } });
  const fingerprintOf = (content: unknown, given: unknown = settings) =>
    fingerprint(PushContent.parse(content), PushSettings.parse(given));
  const first = fingerprintOf(RICH);

  it("is 64 hexadecimal digits", () => assert.match(first, /^[0-9a-f]{64}$/));
  it("is the same in whatever order things are said", () => {
    const reversed = Object.fromEntries(Object.entries(RICH).toReversed());
    assert.equal(
      fingerprintOf({ ...reversed, ios: Object.fromEntries(Object.entries(RICH.ios ?? {}).toReversed()) }),
      first,
    );
    assert.equal(fingerprintOf(RICH, { ...settings, ttlSeconds: 86_400 }), first);
  });
  for (const [name, content, given] of [
    ["another title", { ...RICH, title: "Bye" }, settings],
    ["another order of buttons", { ...RICH, actions: RICH.actions?.toReversed() }, settings],
    ["no image", { ...RICH, image: undefined }, settings],
    ["another app", RICH, { ...settings, appId: "com.example.other" }],
    ["another selection", RICH, { ...settings, selection: { kind: "last_active" } }],
    ["another time to live", RICH, { ...settings, ttlSeconds: 1 }],
    ["a replacement key", RICH, { ...settings, replacementKey: "offers" }],
  ] as const) {
    it(`is another one with ${name}`, () => assert.notEqual(fingerprintOf(content, given), first));
  }
});
