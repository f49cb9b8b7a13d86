import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSmtpUrl } from "./smtp-url.ts";

const PLAIN = { host: "mail.example.com", port: 587, secure: false, login: null, connections: 5 };
const LOGIN = { user: "ada", password: "hunter2" };

describe("parseSmtpUrl", () => {
  for (const [url, server] of [
    ["smtp://mail.example.com", PLAIN],
    ["smtp://mail.example.com/", PLAIN],
    ["SMTP://mail.example.com:25", { ...PLAIN, port: 25 }],
    ["smtps://mail.example.com", { ...PLAIN, port: 465, secure: true }],
    ["smtp://ada:hunter2@mail.example.com", { ...PLAIN, login: LOGIN }],
    [
      "smtps://ada:hunter2@mail.example.com:2465?connections=50",
      { host: PLAIN.host, port: 2465, secure: true, login: LOGIN, connections: 50 },
    ],
    ["smtp://mail.example.com/?connections=1", { ...PLAIN, connections: 1 }],
    [
      "smtp://a%40b.example:p%2Fw%3A%C3%BC+%20@mail.example.com",
      { ...PLAIN, login: { user: "a@b.example", password: "p/w:ü+ " } },
    ],
    ["smtp://ada:a:b=@mail.example.com", { ...PLAIN, login: { user: "ada", password: "a:b=" } }],
    ["smtp://localhost:1025", { ...PLAIN, host: "localhost", port: 1025 }],
    ["smtp://mail_relay:25", { ...PLAIN, host: "mail_relay", port: 25 }],
    ["smtp://127.0.0.1:65535", { ...PLAIN, host: "127.0.0.1", port: 65_535 }],
    ["smtp://[::1]:25", { ...PLAIN, host: "::1", port: 25 }],
  ] as const) {
    it(`reads ${url}`, () => assert.deepEqual(parseSmtpUrl(url), server));
  }

  for (const url of [
    "",
    "mail.example.com",
    "smtp:mail.example.com",
    "smtp://",
    "smtp://:25",
    "http://mail.example.com",
    "smtpss://mail.example.com",
    "smtp://ada@mail.example.com",
    "smtp://ada:@mail.example.com",
    "smtp://:hunter2@mail.example.com",
    "smtp://ada:hun/ter2@mail.example.com",
    "smtp://ada:hun@ter2@mail.example.com",
    "smtp://ada:%zz@mail.example.com",
    "smtp://ada:%00@mail.example.com",
    "smtp://ada:a%0D%0Ab@mail.example.com",
    "smtp://ada:\u0001@mail.example.com",
    "smtp://mail.example.com:0",
    "smtp://mail.example.com:65536",
    "smtp://mail.example.com:123456",
    "smtp://mail.example.com:x",
    "smtp://mail.example.com/path",
    "smtp://mail.example.com#x",
    "smtp://mail.example.com?connections=0",
    "smtp://mail.example.com?connections=51",
    "smtp://mail.example.com?connections=",
    "smtp://mail.example.com?connections=2&connections=3",
    "smtp://mail.example.com?pool=1",
    "smtp://mail .example.com",
    " smtp://mail.example.com",
    "smtp://mail.example.com\n",
    "smtp://-mail.example.com",
    "smtp://bücher.example",
    "smtp://[::1",
    "smtp://::1",
    `smtp://ada:${"x".repeat(1_000)}@mail.example.com`,
  ]) {
    it(`refuses ${JSON.stringify(url).slice(0, 60)}`, () => assert.equal(parseSmtpUrl(url), null));
  }
});
