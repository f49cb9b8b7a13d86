import { BAD_WORDS, type SettingCases, testSettings } from "../../../../test/setting-cases.ts";
import { perimeterSettingGroup } from "./settings.ts";

const ORIGINS_RULE =
  "must be at most 100 origins with commas between, each a scheme and a host such as https://shop.example, https://*.shop.example or http://localhost:3000, without a path and without a slash at its end";

const manyOrigins = (count: number): string =>
  Array.from({ length: count }, (_, index) => `https://shop-${index}.example`).join(", ");

const NAMES: SettingCases = {
  good: [
    ["email", "email"],
    [" plan,,first name ,plan, 名前", "plan, first name, 名前"],
    ["🎯".repeat(128), "🎯".repeat(128)],
    [
      Array.from({ length: 200 }, (_, i) => `n${i}`).join(","),
      Array.from({ length: 200 }, (_, i) => `n${i}`).join(", "),
    ],
  ],
  bad: [
    " ",
    ",",
    "x".repeat(129),
    "a\u0000b",
    "a\nb",
    Array.from({ length: 201 }, (_, i) => `n${i}`).join(","),
  ],
  rule: "must be at most 200 names with commas between, each 1 to 128 characters without control characters",
};

testSettings(perimeterSettingGroup, {
  "identity.required": {
    good: [
      ["true", true],
      [" false", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
  "identity.newAddressesPerHour": {
    good: [
      ["0", 0],
      [" 1000000 ", 1_000_000],
    ],
    bad: ["-1", "1000001", "1.5", "many"],
    rule: "must be a whole number from 0 to 1000000",
  },
  "identity.serverTraits": NAMES,
  "identity.serverEvents": NAMES,
  "origins.allowed": {
    good: [
      ["https://shop.example", "https://shop.example"],
      ["HTTPS://Shop.Example:443", "https://shop.example"],
      [" http://localhost:3000,https://a.example \n", "http://localhost:3000, https://a.example"],
      ["https://a.example https://a.example", "https://a.example"],
      ["https://*.shop.example:8443", "https://*.shop.example:8443"],
      ["http://*.localhost:3000", "http://*.localhost:3000"],
      ["https://bücher.example", "https://xn--bcher-kva.example"],
      ["http://127.0.0.1:80, http://[::1]:8080", "http://127.0.0.1, http://[::1]:8080"],
      [
        "Capacitor://localhost, chrome-extension://abcdef",
        "capacitor://localhost, chrome-extension://abcdef",
      ],
      [manyOrigins(100), manyOrigins(100)],
    ],
    bad: [
      " ",
      ",",
      "*",
      "null",
      "shop.example",
      "https://",
      "https:shop.example",
      "https://shop.example/",
      "https://shop.example/path",
      "https://shop.example?x",
      "https://shop.example#x",
      "https://ada:hunter2@shop.example",
      "https://shop.example:70000",
      "https://shop.example:x",
      "https://a.example;https://b.example",
      "https://a.example, b.example",
      "https://*",
      "https://*.example",
      "https://*.1.2.3.4",
      "https://a.*.example",
      "https://*a.shop.example",
      "https://*.*.shop.example",
      "*://shop.example",
      "//shop.example",
      "wss://shop.example",
      "file://shop",
      "javascript://shop",
      "capacitor://*.localhost",
      "https://a%41.example",
      "https://a\u0000.example",
      `https://${"x".repeat(300)}.example`,
      manyOrigins(101),
      "x".repeat(100_000),
    ],
    rule: ORIGINS_RULE,
  },
});
