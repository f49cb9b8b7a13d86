import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isListed, parseHosts } from "../../../access/perimeter/hosts.pure.ts";
import { hostsOf } from "./links.pure.ts";

const all = (channel: Parameters<typeof hostsOf>[1], content: object): string[] =>
  hostsOf(content, channel).map(({ field, host }) => `${field} ${host}`);

/** Where a button of a web message leads. */
const ofUrl = (url: string): string[] =>
  hostsOf({ cta: { label: "Go", url } }, "web_inapp").map(({ host }) => host);
const ofBody = (body: string): string[] => [
  ...new Set(hostsOf({ subject: "S", body }, "email").map(({ host }) => host)),
];

describe("where an address leads", () => {
  const CASES: readonly (readonly [url: string, ...hosts: string[]])[] = [
    ["https://evil.example/x", "evil.example"],
    ["https://good.example@evil.example/", "evil.example"],
    ["https://good.example%40evil.example@evil.example/", "evil.example"],
    ["https:\\\\evil.example\\@good.example", "evil.example"],
    ["https://evil.example\\@good.example", "evil.example"],
    ["https://evil.example#@good.example", "evil.example"],
    ["//evil.example/x", "evil.example"],
    ["/\\evil.example", "evil.example"],
    ["\\\\evil.example", "evil.example"],
    ["https:evil.example", "evil.example"],
    ["https:///evil.example", "evil.example"],
    ["HTTPS://EVIL.EXAMPLE", "evil.example"],
    ["https://evil.example./", "evil.example"],
    ["https://evil.example:8443/", "evil.example"],
    ["ht\ntps://ev\til.exam\rple/", "evil.example"],
    [" \u0000https://evil.example", "evil.example"],
    ["https://%65vil.example/", "evil.example"],
    ["https://ｅｖｉｌ。example/", "evil.example"],
    ["https://ev\u00adil.exam\u200bple/", "evil.example"],
    ["https://gооd.example/", "xn--gd-fmca.example"],
    ["https://xn--bcher-kva.example/", "xn--bcher-kva.example"],
    ["https://bücher.example/", "xn--bcher-kva.example"],
    ["https://[::1]:80/", "[::1]"],
    ["https://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"],
    ["https://0x7f.1/", "127.0.0.1"],
    ["https://2130706433/", "127.0.0.1"],
    ["javascript:alert(1)", "javascript:"],
    ["java\nscript:alert(1)", "javascript:"],
    ["data:text/html,<a href=https://evil.example>", "data:", "evil.example"],
    ["acmeapp://open?id=1", "acmeapp:"],
    ["ACMEAPP:open", "acmeapp:"],
    ["acmeapp://web?url=https%3A%2F%2Fevil.example", "acmeapp:", "evil.example"],
    ["intent://evil#Intent;S.x=https://evil.example;end", "intent:", "evil.example"],
    ["mailto:a@evil.example", "evil.example"],
    [
      "mailto:a@good.example,b@evil.example?cc=c@third.example",
      "good.example",
      "evil.example",
      "third.example",
    ],
    ["mailto:?to=a@evil.example", "evil.example"],
    ["https://{{ user.site }}/", "https://{{ user.site }}/"],
    ["https://exa mple/", "https://exa mple/"],
    ["/reports?u=https://evil.example"],
    ["?a=b"],
  ];
  for (const [url, ...hosts] of CASES) it(JSON.stringify(url), () => assert.deepEqual(ofUrl(url), hosts));
});

describe("where a mail leads", () => {
  const CASES: readonly (readonly [body: string, ...hosts: string[]])[] = [
    ["[a](https://evil.example/x)", "evil.example"],
    ["[a](<https://evil.example/x y>)", "evil.example"],
    ["[a][b]\n\n[b]: https://evil.example 'T'", "evil.example"],
    ["[b]\n\n[b]: HTTPS://EVIL.example", "evil.example"],
    ["<https://evil.example>", "evil.example"],
    ["<a@evil.example>", "evil.example"],
    ["Look at https://evil.example.", "evil.example"],
    ["Look at www.evil.example!", "www.evil.example"],
    ["Look at evil.example/login", "evil.example"],
    ["Write to first.last@evil.example", "evil.example"],
    ["![a](https://evil.example/x.png)", "evil.example"],
    ["[![a](https://one.example/x.png)](https://two.example)", "two.example", "one.example"],
    ["[a](https&colon;//evil.example) [a](https&#58;//evil.example)", "evil.example"],
    ["evil&#46;example, ev**il**.example, `evil`.example", "evil.example"],
    ["| a |\n|---|\n| [a](https://evil.example) |", "evil.example"],
    ["- > # [a](https://evil.example)", "evil.example"],
    ["- [ ] evil.example", "evil.example"],
    ["    https://evil.example", "evil.example"],
    ["ev\u200bil.example", "evil.example"],
    ["ｅｖｉｌ．example and evil。example", "evil.example"],
    ['{{ user.x | default: "https://evil.example" }}', "evil.example"],
    ['https://evil{{ user.x | default: ".example" }}/', "evil.example", "https://evil{{ … }}/"],
    ['{{ user.x | default: "evil" }}{{ user.y | default: ".example" }}', "evil.example"],
    ['{{ user.first | append: ".evil.example" }}', "https://{{ … }}.evil.example/", "evil.example"],
    ['{{ user.since | date: "evil.example" }}', "evil.example"],
    ['{{ user.list | join: " evil.example " }}', "evil.example"],
    ['{{ user.x | truncate: 1000, "evil.example" }}', "evil.example"],
    ["https://{{ user.site }}/x", "https://{{ … }}/x"],
    ["[a](https://good.example/{{ user.id }})", "good.example"],
    ["[a](mailto:a@evil.example)", "evil.example"],
    ["A Node.x, 3.14, e.g. this, i.e. that, v2.0 and 10.5 %"],
    ["[a](https://good.example/a/file.html)", "good.example"],
  ];
  for (const [body, ...hosts] of CASES)
    it(JSON.stringify(body), () => {
      const found = ofBody(body);
      for (const host of hosts) assert.ok(found.includes(host), `${host} among ${found.join(", ")}`);
      if (!body.includes("{{")) assert.deepEqual(found.toSorted(), [...hosts].toSorted());
    });

  it("is looked at in each of its texts, and in its button", () => {
    const mail = {
      subject: "one.example",
      previewText: "two.example",
      body: "three.example",
      cta: { label: "four.example", url: "https://five.example/{{ user.id }}" },
    };
    assert.deepEqual(all("email", mail), [
      "subject one.example",
      "previewText two.example",
      "body three.example",
      "cta.label four.example",
      "cta.url five.example",
    ]);
    assert.deepEqual(all("email", { subject: "S", body: "B", cta: { label: "L", url: "{{ user.x }}/a" } }), [
      "cta.url {{ … }}/a",
    ]);
  });
});

it("web messages and pushes are looked at in every field that is an address", () => {
  const web = {
    presentation: "modal",
    title: "evil.example",
    cta: { label: "L", destination: { kind: "app", url: "acmeapp://x" } },
    media: { url: "https://a.example/b" },
  };
  assert.deepEqual(all("web_inapp", web), ["cta.destination.url acmeapp:", "media.url a.example"]);
  const data = {
    plain: "settings.profile",
    time: "12:30",
    note: "Note: read it",
    whole: "https://b.example/x",
    scheme: "javascript:alert(1)",
    relative: "//c.example",
    inside: "see https:\\\\d.example",
    json: '{"a":[{"url":"https:\\/\\/e.example"}]}',
    deep: '"\\u0068ttps://f.example"',
    // A program may take the whole word, or what stands before the bar.
    bar: "see https://i.example|j.example",
  };
  const push = {
    title: "x.example",
    body: "B",
    destination: { kind: "website", url: "https://g.example" },
    data,
  };
  assert.deepEqual(all("push", { ...push, image: "https://h.example/a.png" }), [
    "destination.url g.example",
    "image h.example",
    "data.whole b.example",
    "data.scheme javascript:",
    "data.relative c.example",
    "data.inside d.example",
    "data.json e.example",
    "data.deep f.example",
    "data.bar i.example",
    "data.bar j.example",
  ]);
});

it("a list has hosts, all below a host, and schemes of apps", () => {
  const list = parseHosts("acme.example, *.shop.example, acmeapp:") ?? [];
  for (const [place, isThere] of [
    ["acme.example", true],
    ["www.acme.example", false],
    ["evilacme.example", false],
    ["a.shop.example", true],
    ["a.b.shop.example", true],
    ["shop.example", false],
    [".shop.example", false],
    ["evilshop.example", false],
    ["acmeapp:", true],
    ["acmeapp", false],
    ["https://{{ … }}.shop.example", true],
  ] as const)
    if (!place.includes("{{")) assert.equal(isListed(list, place), isThere, place);
});
