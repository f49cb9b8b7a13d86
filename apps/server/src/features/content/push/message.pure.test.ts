import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { z } from "zod";
import { explainIssue } from "../../../platform/http/contract/explain-issue.ts";
import { PushContent, PushSettings } from "./message.pure.ts";

const SHOP = { kind: "website", url: "https://shop.example/" };
const PUSH = { title: "Hello", body: "Good morning.", destination: SHOP };
const android = { channelId: "default" };
const actions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `a${index}`, title: "Open" }));
const data = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, "v"]));
const website = (url: unknown) => ({ ...PUSH, destination: { kind: "website", url } });
const app = (url: unknown) => ({ ...PUSH, destination: { kind: "app", url } });

const CONTENTS: readonly [string, unknown][] = [
  ["the least that it can be", PUSH],
  [
    "all that it can be",
    {
      ...PUSH,
      destination: { kind: "app", url: "acme://orders/1" },
      data: { order: "1", "🎉": "x" },
      image: "https://cdn.example/a.png",
      actions: [
        { id: "Open_1", title: "Open {{ user.name | default: 'it' }}" },
        { id: "-", title: "Later" },
        { id: "_", title: "Never" },
      ],
      ios: { subtitle: "For {{ user.name }}", sound: "ding.caf", badge: 0, categoryId: "order" },
      android: { channelId: "orders", sound: "ding" },
    },
  ],
  [
    "personal texts",
    { ...PUSH, title: 'Hi {{ user.name | default: "there" }}', body: '{{ user["last order"] }}' },
  ],
  ["a title of 256 emoji", { ...PUSH, title: "🎉".repeat(256) }],
  ["a body of 2,048 emoji", { ...PUSH, body: "🎉".repeat(2_048) }],
  ["a body of several lines", { ...PUSH, body: "One\nTwo" }],
  ["32 keys of data", { ...PUSH, data: data(32) }],
  ["data of 1,024 characters", { ...PUSH, data: { key: "🎉".repeat(1_024) } }],
  ["data with braces, which are the app's own", { ...PUSH, data: { key: "{{ user.name }}" } }],
  ["no data", { ...PUSH, data: {} }],
  ["four actions on iOS", { ...PUSH, actions: actions(4), ios: { categoryId: "four" } }],
  ["three actions on Android", { ...PUSH, actions: actions(3), android }],
  ["no actions", { ...PUSH, actions: [] }],
  ["an id of 64 characters", { ...PUSH, actions: [{ id: "x".repeat(64), title: "🎉".repeat(64) }] }],
  ["the greatest badge", { ...PUSH, ios: { badge: Number.MAX_SAFE_INTEGER } }],
  ["nothing special for iOS", { ...PUSH, ios: {} }],
  ["a destination of 2,048 characters", website(`https://shop.example/${"x".repeat(2_027)}`)],
];

const NOT_CONTENTS: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /^message must be a JSON object$/],
  ["a list", [], /^message must be a JSON object$/],
  ["no title", { ...PUSH, title: undefined }, /^title is required$/],
  ["an empty title", { ...PUSH, title: "" }, /^title must not be empty$/],
  ["a blank title", { ...PUSH, title: " \n" }, /^title must not be blank$/],
  [
    "a title of 257 characters",
    { ...PUSH, title: "x".repeat(257) },
    /^title must be at most 256 characters$/,
  ],
  ["a title of 257 emoji", { ...PUSH, title: "🎉".repeat(257) }, /^title must be at most 256 characters$/],
  ["a title that is a number", { ...PUSH, title: 1 }, /^title must be a string$/],
  ["a tag in the title", { ...PUSH, title: "{% if x %}" }, /^title must not use \{% if %\}/],
  ["no body", { ...PUSH, body: undefined }, /^body is required$/],
  ["a body of 2,049 characters", { ...PUSH, body: "x".repeat(2_049) }, /^body must be at most 2048/],
  ["an open field in the body", { ...PUSH, body: "{{ user.name" }, /^body must close every \{\{/],
  [
    "a field of something else",
    { ...PUSH, body: "{{ order.name }}" },
    /^body must not use \{\{ order.name \}\}/,
  ],
  ["a trait within a trait", { ...PUSH, body: "{{ user.a.b }}" }, /^body must not use .* names one trait/],
  [
    "a filter",
    { ...PUSH, body: "{{ user.name | upcase }}" },
    /^body must not use \{\{ user.name \| upcase \}\}: only default/,
  ],
  [
    "a filter after a default",
    { ...PUSH, title: '{{ user.name | default: "x" | upcase }}' },
    /^title must not use .*: only default/,
  ],
  [
    "a default with an option",
    { ...PUSH, title: '{{ user.no | default: "x", allow_false: true }}' },
    /^title must not use .*: only default/,
  ],
  ["no destination", { ...PUSH, destination: undefined }, /^destination is required$/],
  [
    "a destination without a kind",
    { ...PUSH, destination: { url: "https://a.example" } },
    /^destination\.kind/,
  ],
  [
    "another kind",
    { ...PUSH, destination: { kind: "mail", url: "https://a.example" } },
    /^destination\.kind must be/,
  ],
  [
    "a destination that says more",
    { ...PUSH, destination: { ...SHOP, title: "x" } },
    /^destination\.title: unknown field/,
  ],
  [
    "a website in the clear",
    website("http://shop.example"),
    /^destination\.url must be an https:\/\/ address$/,
  ],
  ["a path", website("/orders"), /^destination\.url must be an https:\/\/ address$/],
  [
    "a website of 2,049 characters",
    website(`https://shop.example/${"x".repeat(2_028)}`),
    /^destination\.url must be at most 2048/,
  ],
  [
    "a personal website",
    website("https://shop.example/{{ user.id }}"),
    /^destination\.url must not have personal fields$/,
  ],
  [
    "an app on the web",
    app("https://shop.example"),
    /^destination\.url must be an address with the app's own scheme$/,
  ],
  ["a script", app("javascript:alert(1)"), /^destination\.url must be an address with the app's own scheme$/],
  ["data that is a list", { ...PUSH, data: ["a"] }, /^data must be an object$/],
  ["data that is a number", { ...PUSH, data: { key: 1 } }, /^data\.key must be a string$/],
  ["empty data", { ...PUSH, data: { key: "" } }, /^data\.key must not be empty$/],
  [
    "data of 1,025 characters",
    { ...PUSH, data: { key: "x".repeat(1_025) } },
    /^data\.key must be at most 1024/,
  ],
  ["33 keys of data", { ...PUSH, data: data(33) }, /^data must have at most 32 keys$/],
  ["our own key", { ...PUSH, data: { tidings: "x" } }, /^data must not have keys that start with tidings$/],
  [
    "a key like our own",
    { ...PUSH, data: { Tidings_id: "x" } },
    /^data must not have keys that start with tidings$/,
  ],
  ["an empty key", { ...PUSH, data: { "": "x" } }, /^data/],
  [
    "an image in the clear",
    { ...PUSH, image: "http://cdn.example/a.png" },
    /^image must be an https:\/\/ address$/,
  ],
  [
    "a personal image",
    { ...PUSH, image: "https://cdn.example/{{ user.id }}" },
    /^image must not have personal fields$/,
  ],
  ["five actions", { ...PUSH, actions: actions(5) }, /^actions must be at most 4 entries$/],
  [
    "four actions on Android",
    { ...PUSH, actions: actions(4), android },
    /^actions must be at most 3 entries where there is android$/,
  ],
  [
    "an action twice",
    { ...PUSH, actions: [...actions(1), ...actions(1)] },
    /^actions must not have an id twice$/,
  ],
  ["an action without an id", { ...PUSH, actions: [{ title: "x" }] }, /^actions\[0\]\.id is required$/],
  [
    "an action with a strange id",
    { ...PUSH, actions: [{ id: "a b", title: "x" }] },
    /^actions\[0\]\.id must be made of/,
  ],
  [
    "an action with a long id",
    { ...PUSH, actions: [{ id: "x".repeat(65), title: "x" }] },
    /^actions\[0\]\.id must be at most 64/,
  ],
  [
    "an action with a long title",
    { ...PUSH, actions: [{ id: "a", title: "x".repeat(65) }] },
    /^actions\[0\]\.title must be at most 64/,
  ],
  [
    "an action with a filter",
    { ...PUSH, actions: [{ id: "a", title: "{{ user.a | upcase }}" }] },
    /^actions\[0\]\.title must not use/,
  ],
  [
    "an action that says more",
    { ...PUSH, actions: [{ id: "a", title: "x", icon: "y" }] },
    /^actions\[0\]\.icon: unknown field/,
  ],
  ["a long subtitle", { ...PUSH, ios: { subtitle: "x".repeat(257) } }, /^ios\.subtitle must be at most 256/],
  [
    "a subtitle with a filter",
    { ...PUSH, ios: { subtitle: "{{ user.a | upcase }}" } },
    /^ios\.subtitle must not use/,
  ],
  ["a badge below zero", { ...PUSH, ios: { badge: -1 } }, /^ios\.badge must be at least 0$/],
  ["half a badge", { ...PUSH, ios: { badge: 0.5 } }, /^ios\.badge must be an integer$/],
  ["a badge beyond exact numbers", { ...PUSH, ios: { badge: 2 ** 53 } }, /^ios\.badge must be at most/],
  ["more for iOS", { ...PUSH, ios: { badges: 1 } }, /^ios\.badges: unknown field/],
  ["Android without a channel", { ...PUSH, android: {} }, /^android\.channelId is required$/],
  [
    "a long channel",
    { ...PUSH, android: { channelId: "x".repeat(129) } },
    /^android\.channelId must be at most 128/,
  ],
  ["null for nothing", { ...PUSH, image: null }, /^image must be a string$/],
  ["more than a push has", { ...PUSH, presentation: "toast" }, /^presentation: unknown field/],
];

const SETTINGS = { appId: "com.example.app", selection: { kind: "last_active" } };

const NOT_SETTINGS: readonly [string, unknown, RegExp][] = [
  ["nothing", undefined, /^push must be a JSON object$/],
  ["no app", { selection: { kind: "all" } }, /^appId is required$/],
  ["a long app", { ...SETTINGS, appId: "x".repeat(257) }, /^appId must be at most 256 characters$/],
  ["no selection", { appId: "a" }, /^selection is required$/],
  ["another selection", { ...SETTINGS, selection: { kind: "newest" } }, /^selection\.kind must be/],
  ["a selection that is a text", { ...SETTINGS, selection: "all" }, /^selection must be an object$/],
  ["no device", { ...SETTINGS, selection: { kind: "specific" } }, /^selection\.installationId is required$/],
  [
    "a device for all",
    { ...SETTINGS, selection: { kind: "all", installationId: "x" } },
    /^selection\.installationId: unknown field/,
  ],
  [
    "a long device",
    { ...SETTINGS, selection: { kind: "specific", installationId: "x".repeat(129) } },
    /^selection\.installationId must be at most 128/,
  ],
  ["no time", { ...SETTINGS, ttlSeconds: 0 }, /^ttlSeconds must be at least 1$/],
  ["more than 28 days", { ...SETTINGS, ttlSeconds: 2_419_201 }, /^ttlSeconds must be at most 2419200$/],
  ["half a second", { ...SETTINGS, ttlSeconds: 0.5 }, /^ttlSeconds must be an integer$/],
  ["an empty key", { ...SETTINGS, replacementKey: "" }, /^replacementKey must not be empty$/],
  [
    "a long key",
    { ...SETTINGS, replacementKey: "x".repeat(65) },
    /^replacementKey must be at most 64 characters$/,
  ],
  ["more", { ...SETTINGS, priority: 10 }, /^priority: unknown field/],
];

function faultOf(schema: z.ZodType, value: unknown, root: string): string {
  const { error } = schema.safeParse(value, { reportInput: true });
  return error === undefined ? "taken" : explainIssue(error, root);
}

describe("the content of a push", () => {
  for (const [name, content] of CONTENTS) {
    it(`may be ${name}`, () => {
      assert.equal(faultOf(PushContent, content, "message"), "taken");
      assert.deepEqual(PushContent.parse(content), content);
    });
  }
  for (const [name, content, rule] of NOT_CONTENTS) {
    it(`may not be ${name}`, () => assert.match(faultOf(PushContent, content, "message"), rule));
  }
});

describe("the settings of a push campaign", () => {
  for (const selection of [
    { kind: "last_active" },
    { kind: "all" },
    { kind: "specific", installationId: "phone" },
  ]) {
    it(`may select ${selection.kind}`, () => {
      const settings = { ...SETTINGS, selection, ttlSeconds: 60, replacementKey: "🎉".repeat(64) };
      assert.deepEqual(PushSettings.parse(settings), settings);
    });
  }
  it("are worth delivering for a day where nothing is said", () => {
    assert.deepEqual(PushSettings.parse(SETTINGS), { ...SETTINGS, ttlSeconds: 86_400 });
  });
  for (const [name, settings, rule] of NOT_SETTINGS) {
    it(`may not be ${name}`, () => assert.match(faultOf(PushSettings, settings, "push"), rule));
  }
});
