import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOSTS_RULE } from "../access/perimeter/hosts.pure.ts";
import { AI_PRICES_RULE } from "./prices.pure.ts";
import { checkPeriod, isSenderVerified, readChanges, senderOf } from "./rules.ts";
import { SETTING_KEYS, type SettingKey, type SettingValue, typedText } from "./schema.ts";

const ADDRESS_RULE =
  "must be an address such as news@acme.example, or Acme News <news@acme.example>, with a name of at most 100 characters without quotes, backslashes, line breaks or control characters";
const SMTP_RULE =
  "must be smtp:// or smtps:// with a host, optionally user:password@ (percent-encoded) before it, :port and ?connections=1 to 50 after it";
const POSTAL_RULE = "must be 1 to 500 characters without control characters; \\n is a line break";

const LABEL = "x".repeat(63);
const LONG_DOMAIN = `${LABEL}.${LABEL}.${LABEL}.${LABEL.slice(0, 61)}`;

const BAD_NUMBERS = [
  "x",
  "-1",
  "1.5",
  "1e2",
  "0x10",
  "+1",
  "01",
  "1 000",
  "1,000",
  "١",
  "null",
  "true",
  "99999999999999999999",
];
const BAD_WORDS = ["True", "1", "yes", "on", "null", "truefalse"];
const BAD_DOMAINS = [
  "localhost",
  "a b.example",
  "-a.example",
  "a-.example",
  "a..example",
  ".example",
  "a.example.",
  "a_b.example",
  "1.2.3.4",
  "0x7f.1",
  "[::1]",
  "a.example/x",
  "a.example:25",
  "u@a.example",
  "a.example?x",
  "a.example#x",
  "a%41.example",
  "http://a.example",
  "a.\u0001b.example",
  "a\u0000.example",
  `${LABEL}x.example`,
  `x.${LONG_DOMAIN}`,
  "*.example",
  "a,b.example",
  "\ud83c.example",
  "a\nb.example",
];

const ORIGINS_RULE =
  "must be at most 100 origins with commas between, each a scheme and a host such as https://shop.example, https://*.shop.example or http://localhost:3000, without a path and without a slash at its end";
const manyOrigins = (count: number): string =>
  Array.from({ length: count }, (_, index) => `https://shop-${index}.example`).join(", ");

type Cases = {
  good: readonly (readonly [typed: string, kept: SettingValue])[];
  bad: readonly string[];
  rule: string;
};

const INSTANT_RULE =
  "must be a date such as 2026-01-15 (its start in UTC), or a date-time with an offset, not before 2001-09-09";
const GOOD_INSTANTS = [
  ["2026-01-15", "2026-01-15T00:00:00.000Z"],
  [" 2026-01-15T12:30:00+02:00 ", "2026-01-15T10:30:00.000Z"],
  ["2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"],
  ["2001-09-09", "2001-09-09T00:00:00.000Z"],
] as const;
const BAD_INSTANTS = [
  " ",
  "x",
  "0",
  "1768435200000",
  "2026-02-30",
  "2026-13-01",
  "2026-1-5",
  "2026-01-15T12:30",
  "2026-01-15 12:30:00Z",
  "15.1.2026",
  "2001-09-08",
  "0001-01-01",
  "12026-01-15",
  "2026-01-15\u0000",
  "x".repeat(100_000),
];

const NAMES: Cases = {
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

const CASES: Readonly<Record<SettingKey, Cases>> = {
  "email.from": {
    good: [
      ["news@acme.example", "news@acme.example"],
      [" <news@acme.example> ", "news@acme.example"],
      ["Acme <news@acme.example>", "Acme <news@acme.example>"],
      ['"Acme, Inc." <news@acme.example>', "Acme, Inc. <news@acme.example>"],
      ["Cafe\u0301 🎯 <A.b+c@ACME.example>", "Café 🎯 <A.b+c@acme.example>"],
      ["a@bücher.example", "a@xn--bcher-kva.example"],
      [`${"🎯".repeat(100)} <a@b.example>`, `${"🎯".repeat(100)} <a@b.example>`],
      [`${"x".repeat(64)}@b.example`, `${"x".repeat(64)}@b.example`],
      ["o'brien!#$%&*/=?^_`{|}~-@b.example", "o'brien!#$%&*/=?^_`{|}~-@b.example"],
    ],
    bad: [
      " ",
      "acme",
      "@b.example",
      "a@",
      "a@b",
      "Acme news@acme.example",
      "Acme <news>",
      "Acme <a@b.example",
      "a@b.example>",
      "<a@b.example> x",
      "A <a@b.example>, B <c@d.example>",
      "a@b.example, c@d.example",
      "a b@c.example",
      ".a@b.example",
      "a.@b.example",
      "a..b@c.example",
      "a@b@c.example",
      '"a b"@c.example',
      "ü@b.example",
      "a(x)@b.example",
      'A"B <a@b.example>',
      "A\\B <a@b.example>",
      "A\r\nBcc: x <a@b.example>",
      "A\u0000 <a@b.example>",
      "A\u0085 <a@b.example>",
      "A\u2028 <a@b.example>",
      "\ud83c <a@b.example>",
      `${"x".repeat(101)} <a@b.example>`,
      `${"x".repeat(65)}@b.example`,
      `${"x".repeat(64)}@${LABEL}.${LABEL}.${LABEL}`,
      "x".repeat(100_000),
      "a@1.2.3.4",
      "a@[1.2.3.4]",
      "a@[IPv6:::1]",
    ],
    rule: ADDRESS_RULE,
  },
  "email.postalAddress": {
    good: [
      ["1 Main St", "1 Main St"],
      [" Acme \\n 1 Main St\\n\\nSpringfield\\n ", "Acme\n1 Main St\n\nSpringfield"],
      ["a\nb\r\nc", "a\nb\nc"],
      ["Cafe\u0301 & <Söhne>", "Café & <Söhne>"],
      ["🎯".repeat(500), "🎯".repeat(500)],
    ],
    bad: [
      " ",
      "\\n",
      " \\n \n ",
      "x".repeat(501),
      "🎯".repeat(501),
      "a\u0000b",
      "a\tb",
      "a\rb",
      "a\u0085b",
      "a\u2029b",
      "\udf89",
    ],
    rule: POSTAL_RULE,
  },
  "email.domainVerified": {
    good: [
      ["true", "true"],
      [" false ", null],
      ["Acme.Example", "acme.example"],
      ["mail.bücher.example", "mail.xn--bcher-kva.example"],
      [LONG_DOMAIN, LONG_DOMAIN],
    ],
    bad: [...BAD_DOMAINS, ...BAD_WORDS],
    rule: "must be true, false or a domain name such as acme.example",
  },
  "email.spfInclude": {
    good: [
      ["amazonses.com", "amazonses.com"],
      [" _spf.Google.com", "_spf.google.com"],
    ],
    bad: [...BAD_DOMAINS.filter((each) => !each.includes("_")), "include:a.example", "a.example b.example"],
    rule: "must be the name of a mail provider's SPF record such as amazonses.com",
  },
  "email.smtpUrl": {
    good: [
      ["smtp://mail.example.com", "smtp://mail.example.com"],
      [
        "smtps://ada:hunter2@mail.example.com:465?connections=50",
        "smtps://ada:hunter2@mail.example.com:465?connections=50",
      ],
    ],
    bad: [
      "mail.example.com",
      "http://mail.example.com",
      "smtp://",
      "smtp://ada@mail.example.com",
      "smtp://a:b@c?connections=0",
      "smtp://a:b@c?connections=51",
      "smtp://a:b@c?x=1",
      "smtp://c:0",
      "smtp://a:hun/ter2@c",
      "smtp://a:%0a@c",
      "smtp://c\u0000",
      " ",
    ],
    rule: SMTP_RULE,
  },
  "email.provider": {
    good: (["smtp", "ses", "postmark", "sendgrid", "mailgun"] as const).map((word) => [word, word] as const),
    bad: ["SES", "gmail", "smtp,ses", "constructor", " ", "\u0000"],
    rule: "must be one of smtp, ses, postmark, sendgrid, mailgun",
  },
  "email.webhookSecret": {
    good: [
      [" hunter2 ", "hunter2"],
      ["back\\nslash", "back\\nslash"],
      ["arn:aws:sns:eu-west-1:123:bounces", "arn:aws:sns:eu-west-1:123:bounces"],
      ["x".repeat(2_000), "x".repeat(2_000)],
    ],
    bad: [" ", "x".repeat(2_001), "a\nb", "a\u0000b", "a\u0007b", "\ud83c"],
    rule: "must be 1 to 2000 characters without line breaks or control characters",
  },
  "email.capMax": {
    good: [
      ["0", 0],
      [" 3 ", 3],
      ["1000", 1_000],
    ],
    bad: [...BAD_NUMBERS, "1001"],
    rule: "must be a whole number from 0 to 1000",
  },
  "users.nameTrait": {
    good: [
      ["nickname", "nickname"],
      [" first name ", "first name"],
      ["名前", "名前"],
      ["x".repeat(200), "x".repeat(200)],
    ],
    bad: [" ", "x".repeat(201), "a\u0000b", "a\nb"],
    rule: "must be 1 to 200 characters without line breaks or control characters",
  },
  "retention.eventsDays": {
    good: [
      ["7", 7],
      ["3650", 3_650],
    ],
    bad: [...BAD_NUMBERS, "6", "3651"],
    rule: "must be a whole number from 7 to 3650",
  },
  "email.capHours": {
    good: [
      ["1", 1],
      ["720", 720],
    ],
    bad: [...BAD_NUMBERS, "0", "721"],
    rule: "must be a whole number from 1 to 720",
  },
  "email.overCap": {
    good: [
      ["skip", "skip"],
      [" postpone ", "postpone"],
    ],
    bad: ["later", "true", "Skip", "skip,postpone"],
    rule: "must be one of skip, postpone",
  },
  "email.perMinute": {
    good: [
      ["1", 1],
      ["1000000", 1_000_000],
    ],
    bad: [...BAD_NUMBERS, "0", "1000001"],
    rule: "must be a whole number from 1 to 1000000",
  },
  "email.domainPerMinute": {
    good: [
      ["1", 1],
      ["1000000", 1_000_000],
    ],
    bad: [...BAD_NUMBERS, "0", "1000001"],
    rule: "must be a whole number from 1 to 1000000",
  },
  "email.trackOpens": {
    good: [
      ["true", true],
      ["false ", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
  "email.trackClicks": {
    good: [
      ["true", true],
      ["false ", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
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
  "launch.paused": {
    good: [
      ["true", true],
      ["false", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
  "safety.loopPaused": {
    good: [
      ["true", true],
      ["false", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
  "safety.approvalOverride": {
    good: [[" require_human ", "require_human"]],
    bad: ["auto", "none", "REQUIRE_HUMAN", "true", "null", " "],
    rule: "must be require_human",
  },
  "safety.maxRunsPerDay": {
    good: [
      ["0", 0],
      ["20", 20],
      ["10000", 10_000],
    ],
    bad: [...BAD_NUMBERS, "10001"],
    rule: "must be a whole number from 0 to 10000",
  },
  "people.launch": {
    good: [
      ["editor", "editor"],
      [" approver ", "approver"],
    ],
    bad: ["viewer", "owner", "true"],
    rule: "must be one of editor, approver",
  },
  "launch.approvedContent": {
    good: [
      ["true", true],
      [" false ", false],
    ],
    bad: ["yes", "1", "TRUE", "null"],
    rule: "must be true or false",
  },
  "drafts.pullRequests": {
    good: [
      ["members", "members"],
      [" everyone ", "everyone"],
    ],
    bad: ["member", "all", "true"],
    rule: "must be one of members, everyone",
  },
  "drafts.pullRequestLabel": {
    good: [
      ["draft it", "draft it"],
      ["x".repeat(100), "x".repeat(100)],
    ],
    bad: ["x".repeat(101), "a\nb"],
    rule: "must be 1 to 100 characters without line breaks or control characters",
  },
  "safety.maxConcurrentCampaigns": {
    good: [
      ["0", 0],
      ["1000", 1_000],
    ],
    bad: [...BAD_NUMBERS, "1001"],
    rule: "must be a whole number from 0 to 1000",
  },
  "links.allowedHosts": {
    good: [
      ["acme.example", "acme.example"],
      [" Acme.Example.,*.ACME.example acme.example\n", "acme.example, *.acme.example"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["AcmeApp:, 127.0.0.1, [::1]", "acmeapp:, 127.0.0.1, [::1]"],
    ],
    bad: [
      " ",
      ",",
      "*",
      "*.",
      "*.example",
      "https://acme.example",
      "acme.example/path",
      "acme.example:8443",
      "a@acme.example",
      "https:",
      "javascript:",
      "a*.example",
      "*.127.0.0.1",
      "acme\\.example",
      "a..b?",
      "%61.example",
      Array.from({ length: 101 }, (_, index) => `h${index}.example`).join(),
    ],
    rule: HOSTS_RULE,
  },
  "safety.approvalHours": {
    good: [
      ["1", 1],
      ["8760", 8_760],
    ],
    bad: [...BAD_NUMBERS, "0", "8761"],
    rule: "must be a whole number from 1 to 8760",
  },
  "agent.policy": {
    good: [
      [" statistical@1 ", "statistical@1"],
      ["model@1", "model@1"],
    ],
    bad: ["statistical", "statistical@2", "true"],
    rule: "must be one of statistical@1, model@1",
  },
  "agent.everyHours": {
    good: [
      ["1", 1],
      ["720", 720],
    ],
    bad: [...BAD_NUMBERS, "0", "721"],
    rule: "must be a whole number from 1 to 720",
  },
  "agent.modelUrl": {
    good: [
      [" https://models.example.com/v1/ ", "https://models.example.com/v1"],
      ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"],
      ["http://localhost:8000", "http://localhost:8000"],
      ["http://[::1]:8000/v1", "http://[::1]:8000/v1"],
      ["https://models.example.com/v1?api-version=2", "https://models.example.com/v1?api-version=2"],
    ],
    bad: [
      "models.example.com",
      "http://models.example.com/v1",
      "http://127.0.0.1.example.com/v1",
      "https://ada:hunter2@models.example.com/v1",
      "https://models.example.com/v1#x",
      "ftp://models.example.com",
    ],
    rule: "must be an https:// address, or an http:// address of this machine, without a user, a password and a fragment",
  },
  "agent.model": {
    good: [["gpt-x", "gpt-x"]],
    bad: ["a\u0000b", "x".repeat(201)],
    rule: "must be 1 to 200 characters without line breaks or control characters",
  },
  "agent.modelKey": {
    good: [["sk-1", "sk-1"]],
    bad: ["a b", 'a"b', "a\\b", "ä", "x".repeat(2_001)],
    rule: "must be 1 to 2000 printable ASCII characters, without blanks, quotes and backslashes",
  },
  "agent.maxSteps": {
    good: [
      ["1", 1],
      ["50", 50],
    ],
    bad: [...BAD_NUMBERS, "0", "51"],
    rule: "must be a whole number from 1 to 50",
  },
  "agent.maxTokens": {
    good: [
      ["1000", 1_000],
      ["10000000", 10_000_000],
    ],
    bad: [...BAD_NUMBERS, "999", "10000001"],
    rule: "must be a whole number from 1000 to 10000000",
  },
  "agent.maxSeconds": {
    good: [
      ["1", 1],
      ["3000", 3_000],
    ],
    bad: [...BAD_NUMBERS, "0", "3001"],
    rule: "must be a whole number from 1 to 3000",
  },
  "ai.monthlyLimit": {
    good: [
      ["0", 0],
      ["1000000", 1_000_000],
    ],
    bad: [...BAD_NUMBERS, "1000001"],
    rule: "must be a whole number from 0 to 1000000",
  },
  "ai.prices": {
    good: [
      ["* 0 0 0 0 0", "* 0 0 0 0 0"],
      [" *  0.20 0.025 0.250000 1.6 1.6 ", "* 0.2 0.025 0.25 1.6 1.6"],
      [
        "gpt-x 1 0.1 1 8 8;* 10000 0 0 0.000001 100;gpt-x>200000 2 0.2 2 12 12",
        "gpt-x 1 0.1 1 8 8; * 10000 0 0 0.000001 100; gpt-x>200000 2 0.2 2 12 12",
      ],
      ["*>5 1 1 1 1 1; *>0 1234.567891 1 1 1 1", "*>5 1 1 1 1 1; * 1234.567891 1 1 1 1"],
    ],
    bad: [
      " ",
      "*",
      "* 1 1 1 1",
      "* 1 1 1 1 1 1",
      "* 1 1 1 1 1;",
      "* 1 1 1 1 1; * 2 2 2 2 2",
      "* 1 1 1 1 1; *>0 2 2 2 2 2",
      "gpt-x 1 1 1 1 1",
      "*>5 1 1 1 1 1",
      "* 1 1 1 1 1; gpt x 1 1 1 1 1",
      "* 1 1 1 1 1; x>1.5 1 1 1 1 1",
      "* 1 1 1 1 1; x>100000001 1 1 1 1 1",
      "* 0.0000001 1 1 1 1",
      "* 10000.000001 1 1 1 1",
      "* -1 1 1 1 1",
      "* 1e2 1 1 1 1",
      "* 01 1 1 1 1",
      Array.from({ length: 50 }, (_, i) => `m${i} 1 1 1 1 1;`)
        .join("")
        .concat("* 1 1 1 1 1"),
      "* 1 1 1 1 1\u0000",
      "1".repeat(100_000),
    ],
    rule: AI_PRICES_RULE,
  },
  "org.spendCapUsd": {
    good: [
      ["0", 0],
      [" 680 ", 680],
      ["229.76", 229.76],
      ["0.5", 0.5],
      ["1000000000", 1_000_000_000],
    ],
    bad: [
      ...BAD_NUMBERS.filter((each) => each !== "1.5"),
      "1.234",
      ".5",
      "5.",
      "$5",
      "5 USD",
      "1000000000.01",
      "1000000001",
      "NaN",
      "Infinity",
      " ",
    ],
    rule: "must be an amount in USD from 0 to 1000000000 with at most two decimals",
  },
  "org.priceTiers": {
    good: [
      ["0", "0"],
      [" 0.02  to 10000 ,0.012", "0.02 to 10000, 0.012"],
      ["0.020000 to 10000, 0.0120", "0.02 to 10000, 0.012"],
      ["100", "100"],
      ["1 to 1, 0 to 2, 1000", "1 to 1, 0 to 2, 1000"],
      ["0.000001", "0.000001"],
    ],
    bad: [
      " ",
      "x",
      ",",
      "0.02,",
      "0.02, 0.012",
      "0.02 to 10000",
      "0.02 to 0, 1",
      "0.02 to 10000, 0.01 to 10000, 0.005",
      "0.02 to 10000, 0.01 to 9999, 0.005",
      "-1",
      "0.0000001",
      "1000.000001",
      "1e2",
      "0.02 to 1000000001, 0",
      "0.02 to 1.5, 0",
      Array.from({ length: 10 }, (_, i) => `1 to ${i + 1}`)
        .join(",")
        .concat(", 1"),
      "0.02\u0000",
      "1".repeat(100_000),
    ],
    rule: "must be prices in USD per active user such as 0.02 to 10000, 0.012: at most 10, each from 0 to 1000 with at most six decimals, all but the last with the number of users it goes up to",
  },
  "org.billingStatus": {
    good: (["none", "ok", "past_due", "restore_needed"] as const).map((word) => [word, word] as const),
    bad: ["OK", "past due", "paid", "constructor", " ", "\u0000"],
    rule: "must be one of none, ok, past_due, restore_needed",
  },
  "org.periodStart": { good: GOOD_INSTANTS, bad: BAD_INSTANTS, rule: INSTANT_RULE },
  "org.periodEnd": { good: GOOD_INSTANTS, bad: BAD_INSTANTS, rule: INSTANT_RULE },
};

const keptOf = (key: SettingKey, typed: string): SettingValue => {
  const values = readChanges({ [key]: typed });
  if ("fault" in values) return assert.fail(values.fault);
  return values.get(key) ?? null;
};

for (const key of SETTING_KEYS) {
  const { good, bad, rule } = CASES[key];
  describe(key, () => {
    it("keeps what its rule allows, in one spelling that reads back as itself", () => {
      for (const [typed, kept] of good) {
        assert.equal(keptOf(key, typed), kept, typed);
        if (kept !== null) assert.equal(keptOf(key, typedText(kept)), kept, "what is shown may be typed");
      }
    });
    for (const typed of bad) {
      it(`refuses ${JSON.stringify(typed).slice(0, 50)} with its name and rule`, () => {
        assert.deepEqual(readChanges({ [key]: typed }), { fault: `${key} ${rule}` });
      });
    }
    it("is cleared by an empty text", () => assert.equal(keptOf(key, ""), null));
  });
}

describe("the sender", () => {
  it("is who mail comes from, in parts", () => {
    assert.equal(senderOf({ "email.from": null }), null);
    assert.deepEqual(senderOf({ "email.from": "Acme News <news@acme.example>" }), {
      name: "Acme News",
      address: "news@acme.example",
      domain: "acme.example",
    });
    assert.deepEqual(senderOf({ "email.from": "news@acme.example" })?.name, null);
  });

  for (const [from, verified, answer] of [
    ["a@acme.example", "acme.example", true],
    ["a@acme.example", null, false],
    ["a@acme.example", "other.example", false],
    ["a@mail.acme.example", "acme.example", false],
    [null, "acme.example", false],
    [null, null, false],
  ] as const) {
    it(`${from} is ${answer ? "" : "not "}verified by ${verified}`, () => {
      assert.equal(isSenderVerified({ "email.from": from, "email.domainVerified": verified }), answer);
    });
  }
});

describe("a period", () => {
  const [start, end] = ["2026-01-15T00:00:00.000Z", "2026-02-15T00:00:00.000Z"];
  const TOGETHER = "org.periodStart and org.periodEnd must be set, or cleared, together";
  const LENGTH = "org.periodEnd must be 1 to 400 days after org.periodStart";
  const cases: [string, Record<string, SettingValue>, [SettingValue, SettingValue], string | null][] = [
    ["set whole", { "org.periodStart": start, "org.periodEnd": end }, [null, null], null],
    ["cleared whole", { "org.periodStart": null, "org.periodEnd": null }, [start, end], null],
    ["moved at its end", { "org.periodEnd": "2026-03-01T00:00:00.000Z" }, [start, end], null],
    ["set at its start only", { "org.periodStart": start }, [null, null], TOGETHER],
    ["cleared at its end only", { "org.periodEnd": null }, [start, end], TOGETHER],
    ["the wrong way round", { "org.periodStart": end, "org.periodEnd": start }, [null, null], LENGTH],
    ["empty", { "org.periodStart": start, "org.periodEnd": start }, [null, null], LENGTH],
    ["started after its end", { "org.periodStart": end }, [start, end], LENGTH],
    ["of 400 days", { "org.periodEnd": "2027-02-19T00:00:00.000Z" }, [start, end], null],
    ["longer", { "org.periodEnd": "2027-02-19T00:00:00.001Z" }, [start, end], LENGTH],
    ["left alone", { "org.spendCapUsd": 5 }, [start, null], null],
  ];
  for (const [what, changes, [from, to], fault] of cases) {
    it(`${what} ${fault === null ? "stands" : "is refused"}`, () => {
      const values = new Map(Object.entries(changes) as [SettingKey, SettingValue][]);
      assert.deepEqual(checkPeriod(values, { start: from, end: to }), fault === null ? values : { fault });
    });
  }
});
