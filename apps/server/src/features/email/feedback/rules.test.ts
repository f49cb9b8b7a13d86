import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  judgeTouch,
  type Machine,
  machineOfVisit,
  NO_TOUCHES,
  type Touch,
  type TouchedDelivery,
  type TouchHead,
  type Visit,
} from "./rules.ts";

const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";

describe("machineOfVisit", () => {
  const cases: readonly [string, Partial<Visit>, Machine | null][] = [
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
  for (const [name, visit, machine] of cases) {
    it(`${name}: ${machine ?? "a person"}`, () => {
      assert.equal(machineOfVisit({ method: "GET", userAgent: SAFARI, purposes: [], ...visit }), machine);
    });
  }
});

describe("judgeTouch", () => {
  const T = 1_000_000;
  type Case = {
    touch?: Partial<Touch>;
    head?: Partial<TouchHead>;
    delivery?: Partial<TouchedDelivery>;
    machine: Machine | null;
    takesBack?: readonly ("opened" | "clicked")[];
  };
  const cases: Readonly<Record<string, Case>> = {
    "an open": { touch: { kind: "open", url: null }, machine: null },
    "an open at once": { touch: { kind: "open", url: null }, delivery: { sentAt: T }, machine: null },
    "an open before the message is known to have left": {
      touch: { kind: "open", url: null },
      delivery: { sentAt: null },
      machine: null,
    },
    "a click": { machine: null },
    "a click after 3 s": { delivery: { sentAt: T - 3_000 }, machine: null },
    "a click just before": { delivery: { sentAt: T - 2_999 }, machine: "early" },
    "a click before the sending, by another clock": { delivery: { sentAt: T + 50 }, machine: "early" },
    "a click before the message is known to have left": { delivery: { sentAt: null }, machine: "early" },
    "a click of a message that is away": { delivery: { sentAt: null, isAway: true }, machine: null },
    "a robot's click keeps its reason": {
      touch: { machine: "robot" },
      delivery: { sentAt: T },
      machine: "robot",
    },
    "a click 60 s after the trap": { head: { trapAt: T - 60_000 }, machine: "trap" },
    "a click later": { head: { trapAt: T - 60_001 }, machine: null },
    "an open after the trap": {
      touch: { kind: "open", url: null },
      head: { trapAt: T - 1 },
      machine: "trap",
    },
    "an open before the trap, by another clock": {
      touch: { kind: "open", url: null },
      head: { trapAt: T + 10 },
      machine: "trap",
    },
    "the same link again": { head: { link: "a", linkAt: T - 10 }, machine: null },
    "another link within a second": { head: { link: "b", linkAt: T - 1_000 }, machine: "burst" },
    "another link later": { head: { link: "b", linkAt: T - 1_001 }, machine: null },
    "the same link, another one between": {
      head: { link: "a", linkAt: T - 10, otherLinkAt: T - 900 },
      machine: "burst",
    },
    "another link takes back the first": {
      head: { link: "b", linkAt: T - 1_000 },
      delivery: { clickedAt: T - 1_000 },
      machine: "burst",
      takesBack: ["clicked"],
    },
    "another link leaves what was longer ago": {
      head: { link: "b", linkAt: T - 500 },
      delivery: { clickedAt: T - 1_500 },
      machine: "burst",
    },
    "the trap": { touch: { kind: "trap", url: null }, machine: "trap" },
    "the trap takes back a minute": {
      touch: { kind: "trap", url: null },
      delivery: { openedAt: T - 60_000, clickedAt: T - 1 },
      machine: "trap",
      takesBack: ["opened", "clicked"],
    },
    "the trap takes back no more than that": {
      touch: { kind: "trap", url: null },
      delivery: { openedAt: T - 60_001, clickedAt: T - 60_000 },
      machine: "trap",
      takesBack: ["clicked"],
    },
    "a robot's visit to the trap counts": {
      touch: { kind: "trap", url: null, machine: "robot" },
      delivery: { openedAt: T - 1 },
      machine: "robot",
      takesBack: ["opened"],
    },
  };
  for (const [name, { touch, head, delivery, machine, takesBack = [] }] of Object.entries(cases)) {
    it(`${name}: ${machine ?? "a person"}`, () => {
      const verdict = judgeTouch(
        { kind: "click", at: T, url: "a", machine: null, ...touch },
        { ...NO_TOUCHES, ...head },
        { sentAt: T - 100_000, openedAt: null, clickedAt: null, isAway: false, ...delivery },
      );
      assert.equal(verdict.machine, machine);
      assert.deepEqual(verdict.takesBack, {
        opened: takesBack.includes("opened"),
        clicked: takesBack.includes("clicked"),
      });
      assert.equal(verdict.head.touches, 1);
    });
  }
});
