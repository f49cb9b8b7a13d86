import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type BotReason,
  botOfVisit,
  type Hit,
  type HitDelivery,
  type HitHead,
  judgeHit,
  type LinkVisit,
  NO_HITS,
} from "./rules.ts";

const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";

describe("machineOfVisit", () => {
  const cases: readonly [string, Partial<LinkVisit>, BotReason | null][] = [
    ["a telephone", {}, null],
    ["HEAD", { method: "HEAD" }, "head"],
    ["POST", { method: "POST" }, null],
    ["no agent", { userAgent: undefined }, "no_agent"],
    ["an empty agent", { userAgent: " " }, "no_agent"],
    ["Mail Privacy Protection", { userAgent: "Mozilla/5.0" }, "privacy_proxy"],
    ["Purpose", { purposes: ["prefetch"] }, "prefetch"],
    ["Sec-Purpose", { purposes: ["", "prefetch;anonymous-client-ip"] }, "prefetch"],
    ["Sec-Purpose, prerender", { purposes: ["prefetch;prerender"] }, "prefetch"],
    ["X-Purpose", { purposes: ["preview"] }, "prefetch"],
    ["no purpose", { purposes: ["", ""] }, null],
    [
      "Google's proxy",
      {
        userAgent:
          "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
      },
      null,
    ],
    [
      "Yahoo's proxy",
      { userAgent: "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html" },
      null,
    ],
    [
      "Outlook",
      { userAgent: "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)" },
      null,
    ],
    ["Outlook looking whether it is there", { userAgent: "Microsoft Office Existence Discovery" }, "robot"],
    [
      "Thunderbird",
      { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.5.0" },
      null,
    ],
    [
      "Edge",
      {
        userAgent:
          "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
      },
      null,
    ],
    [
      "a telephone called CUBOT",
      { userAgent: "Mozilla/5.0 (Linux; Android 13; CUBOT KINGKONG 9) AppleWebKit/537.36" },
      null,
    ],
    [
      "Googlebot",
      { userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" },
      "robot",
    ],
    ["bingbot", { userAgent: "Mozilla/5.0 (compatible; bingbot/2.0)" }, "robot"],
    ["Slack", { userAgent: "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }, "robot"],
    ["WhatsApp's preview", { userAgent: "WhatsApp/2.23.20.0" }, "robot"],
    [
      "headless Chrome",
      { userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0.0.0" },
      "robot",
    ],
    ["curl", { userAgent: "curl/8.5.0" }, "robot"],
    ["Python", { userAgent: "python-requests/2.31.0" }, "robot"],
    ["Go", { userAgent: "Go-http-client/1.1" }, "robot"],
    ["Java", { userAgent: "Java/17.0.2" }, "robot"],
    ["Node", { userAgent: "node" }, "robot"],
    ["a mail gateway", { userAgent: "BarracudaCentral URL scanner" }, "robot"],
  ];
  for (const [name, visit, bot] of cases) {
    it(`${name}: ${bot ?? "a person"}`, () => {
      assert.equal(botOfVisit({ method: "GET", userAgent: SAFARI, purposes: [], ...visit }), bot);
    });
  }
});

describe("judgeTouch", () => {
  const T = 1_000_000;
  type Case = {
    hit?: Partial<Hit>;
    head?: Partial<HitHead>;
    delivery?: Partial<HitDelivery>;
    bot: BotReason | null;
    reverts?: readonly ("opened" | "clicked")[];
  };
  const cases: Readonly<Record<string, Case>> = {
    "an open": { hit: { kind: "open", url: null }, bot: null },
    "an open at once": { hit: { kind: "open", url: null }, delivery: { sentAt: T }, bot: null },
    "an open before the message is known to have left": {
      hit: { kind: "open", url: null },
      delivery: { sentAt: null },
      bot: null,
    },
    "a click": { bot: null },
    "a click after 3 s": { delivery: { sentAt: T - 3_000 }, bot: null },
    "a click just before": { delivery: { sentAt: T - 2_999 }, bot: "early" },
    "a click before the sending, by another clock": { delivery: { sentAt: T + 50 }, bot: "early" },
    "a click on a message that was sent by a clock that was ahead": {
      delivery: { sentAt: T + 7_200_000, hasLeft: true },
      bot: null,
    },
    "a click before the message is known to have left": { delivery: { sentAt: null }, bot: "early" },
    "a click of a message that is away": { delivery: { sentAt: null, hasLeft: true }, bot: null },
    "a robot's click keeps its reason": {
      hit: { bot: "robot" },
      delivery: { sentAt: T },
      bot: "robot",
    },
    "a click 60 s after the trap": { head: { honeypotAt: T - 60_000 }, bot: "trap" },
    "a click later": { head: { honeypotAt: T - 60_001 }, bot: null },
    "an open after the trap": {
      hit: { kind: "open", url: null },
      head: { honeypotAt: T - 1 },
      bot: "trap",
    },
    "an open before the trap, by another clock": {
      hit: { kind: "open", url: null },
      head: { honeypotAt: T + 10 },
      bot: "trap",
    },
    "the same link again": { head: { link: "a", linkAt: T - 10 }, bot: null },
    "another link within a second": { head: { link: "b", linkAt: T - 1_000 }, bot: "burst" },
    "another link later": { head: { link: "b", linkAt: T - 1_001 }, bot: null },
    "the same link, another one between": {
      head: { link: "a", linkAt: T - 10, otherLinkAt: T - 900 },
      bot: "burst",
    },
    "another link takes back the first": {
      head: { link: "b", linkAt: T - 1_000 },
      delivery: { clickedAt: T - 1_000 },
      bot: "burst",
      reverts: ["clicked"],
    },
    "another link leaves what was longer ago": {
      head: { link: "b", linkAt: T - 500 },
      delivery: { clickedAt: T - 1_500 },
      bot: "burst",
    },
    "the trap": { hit: { kind: "trap", url: null }, bot: "trap" },
    "the trap takes back a minute": {
      hit: { kind: "trap", url: null },
      delivery: { openedAt: T - 60_000, clickedAt: T - 1 },
      bot: "trap",
      reverts: ["opened", "clicked"],
    },
    "the trap takes back no more than that": {
      hit: { kind: "trap", url: null },
      delivery: { openedAt: T - 60_001, clickedAt: T - 60_000 },
      bot: "trap",
      reverts: ["clicked"],
    },
    "a robot's visit to the trap counts": {
      hit: { kind: "trap", url: null, bot: "robot" },
      delivery: { openedAt: T - 1 },
      bot: "robot",
      reverts: ["opened"],
    },
  };
  for (const [name, { hit, head, delivery, bot, reverts = [] }] of Object.entries(cases)) {
    it(`${name}: ${bot ?? "a person"}`, () => {
      const verdict = judgeHit(
        { kind: "click", at: T, url: "a", bot: null, ...hit },
        { ...NO_HITS, ...head },
        { sentAt: T - 100_000, openedAt: null, clickedAt: null, hasLeft: false, ...delivery },
      );
      assert.equal(verdict.bot, bot);
      assert.deepEqual(verdict.reverts, {
        opened: reverts.includes("opened"),
        clicked: reverts.includes("clicked"),
      });
      assert.equal(verdict.head.hits, 1);
    });
  }
});

describe("the honeypot of a message", () => {
  const T = 1_000_000;
  const honeypotAfter = (honeypotAt: number | null): number | null =>
    judgeHit(
      { kind: "trap", at: T, url: null, bot: null },
      { ...NO_HITS, honeypotAt },
      { sentAt: 0, openedAt: null, clickedAt: null, hasLeft: true },
    ).head.honeypotAt;

  it("is remembered by its last hit, but for one that a clock recorded which was ahead", () => {
    assert.deepEqual([null, T - 1, T + 1, T + 7_200_000].map(honeypotAfter), [T, T, T + 1, T]);
  });
});
