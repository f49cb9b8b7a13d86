import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BAD_NUMBERS, BAD_WORDS, testSettings } from "../../../../test/setting-cases.ts";
import { isSenderVerified, senderOf } from "./settings.pure.ts";
import { emailSettingGroup } from "./settings.ts";

const ADDRESS_RULE =
  "must be an address such as news@acme.example, or Acme News <news@acme.example>, with a name of at most 100 characters without quotes, backslashes, line breaks or control characters";

const SMTP_RULE =
  "must be smtp:// or smtps:// with a host, optionally user:password@ (percent-encoded) before it, :port and ?connections=1 to 50 after it";

const POSTAL_RULE = "must be 1 to 500 characters without control characters; \\n is a line break";

const LABEL = "x".repeat(63);

const LONG_DOMAIN = `${LABEL}.${LABEL}.${LABEL}.${LABEL.slice(0, 61)}`;

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

testSettings(emailSettingGroup, {
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
});

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
