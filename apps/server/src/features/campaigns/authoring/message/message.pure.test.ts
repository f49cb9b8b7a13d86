import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WebMessage } from "./message.pure.ts";

const TOAST = { presentation: "toast", title: "Hello" };
const IMAGE = { url: "https://tidings.example/media/a.png" };
const toApp = (url: string) => ({ ...TOAST, cta: { label: "Open", destination: { kind: "app", url } } });
const toSite = (url: string) => ({ ...TOAST, cta: { label: "Open", destination: { kind: "website", url } } });
const older = (url: string) => ({ ...TOAST, cta: { label: "Open", url } });
const withMedia = (media: object) => ({ ...TOAST, media });

const VALID: readonly [string, unknown][] = [
  ["a title", TOAST],
  ["a body", { presentation: "modal", body: "Hello" }],
  ["a title of 120 characters", { ...TOAST, title: "x".repeat(120) }],
  ["a title of 120 emoji", { ...TOAST, title: "🎉".repeat(120) }],
  ["a body of 600 characters", { ...TOAST, body: "x".repeat(600) }],
  ["a body of 600 emoji", { ...TOAST, body: "🎉".repeat(600) }],
  ["a website", toSite("https://tidings.example/plans?a=1#b")],
  ["a scheme of the app's own", toApp("acme://settings/billing")],
  ["a scheme with a dot", toApp("com.acme.app:/open")],
  ["the older form, https", older("https://tidings.example/")],
  ["the older form, http", older("http://tidings.example/")],
  ["the older form, mailto", older("mailto:help@tidings.example")],
  ["the older form, a path", older("/plans/pro?from=toast#top")],
  ["the older form, the root", older("/")],
  ["a button that leads nowhere", { ...TOAST, cta: { label: "Got it" } }],
  ["an image with alt text", withMedia({ ...IMAGE, alt: "A chart" })],
  ["alt text of 300 emoji", withMedia({ ...IMAGE, alt: "🎉".repeat(300) })],
  ["an image with alt text, said not to be decorative", withMedia({ ...IMAGE, alt: "x", decorative: false })],
  ["a decorative image", withMedia({ ...IMAGE, decorative: true })],
  ["an http image", withMedia({ url: "http://127.0.0.1:8080/media/a.png", alt: "x" })],
];

const INVALID: readonly [string, unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "Hello"],
  ["neither title nor body", { presentation: "toast" }],
  ["an empty title and body", { presentation: "toast", title: "", body: "" }],
  ["no presentation", { title: "Hello" }],
  ["a presentation there is not", { ...TOAST, presentation: "banner" }],
  ["a title of 121 characters", { ...TOAST, title: "x".repeat(121) }],
  ["a title of 121 emoji", { ...TOAST, title: "🎉".repeat(121) }],
  ["a body of 601 characters", { ...TOAST, body: "x".repeat(601) }],
  ["a body that is no text", { ...TOAST, body: { html: "x" } }],
  [
    "a call to action without a label",
    { ...TOAST, cta: { destination: { kind: "website", url: "https://a.example" } } },
  ],
  ["a destination of no kind", { ...TOAST, cta: { label: "x", destination: { url: "https://a.example" } } }],
  [
    "a destination of another kind",
    { ...TOAST, cta: { label: "x", destination: { kind: "file", url: "a:b" } } },
  ],
  [
    "a destination with an unknown key",
    {
      ...TOAST,
      cta: { label: "x", destination: { kind: "website", url: "https://a.example", target: "_blank" } },
    },
  ],
  ["a website without TLS", toSite("http://tidings.example")],
  ["a website that is a path", toSite("/plans")],
  ["a website that is javascript", toSite("javascript:alert(1)")],
  ["a website without a host", toSite("https://")],
  ["a website without a scheme", toSite("//tidings.example")],
  ["an app at https", toApp("https://tidings.example")],
  ["an app at http", toApp("http://tidings.example")],
  ["an app without a scheme", toApp("settings/billing")],
  ...["javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)"].flatMap(
    (url): [string, unknown][] => [
      [`an app at ${JSON.stringify(url)}`, toApp(url)],
      [`the older form, ${JSON.stringify(url)}`, older(url)],
    ],
  ),
  ["an app at data:", toApp("data:text/html,<script>alert(1)</script>")],
  ["an app at vbscript:", toApp("vbscript:msgbox(1)")],
  ["the older form, data:", older("data:text/html,x")],
  ["the older form, ftp:", older("ftp://tidings.example/a")],
  ["the older form, another host by //", older("//evil.example/a")],
  ["the older form, another host by /\\", older("/\\evil.example/a")],
  ["the older form, a relative path", older("plans")],
  ["the older form, nothing", older("")],
  ["an image without alt text", withMedia(IMAGE)],
  ["an image said not to be decorative, without alt text", withMedia({ ...IMAGE, decorative: false })],
  ["a decorative image with alt text", withMedia({ ...IMAGE, alt: "x", decorative: true })],
  ["alt text of 301 characters", withMedia({ ...IMAGE, alt: "x".repeat(301) })],
  ["an image without an address", withMedia({ alt: "x" })],
  ["an image at javascript:", withMedia({ url: "javascript:alert(1)", alt: "x" })],
  ["an image at data:", withMedia({ url: "data:image/png;base64,AAAA", alt: "x" })],
  ["an image at a path", withMedia({ url: "/media/a.png", alt: "x" })],
];

describe("WebMessage", () => {
  for (const [name, message] of VALID) {
    it(`takes ${name}`, () => {
      assert.deepEqual(WebMessage.parse(message), message);
    });
  }
  for (const [name, message] of INVALID) {
    it(`refuses ${name}`, () => {
      assert.equal(WebMessage.safeParse(message).success, false);
    });
  }
});
