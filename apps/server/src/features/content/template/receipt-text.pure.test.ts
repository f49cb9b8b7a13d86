import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dataPathsOf, fillReceiptText, parseReceiptText, sketchesOf } from "./receipt-text.pure.ts";
import type { TemplateUser } from "./template.pure.ts";
import { withoutTrait } from "./words.pure.ts";

const DATA: Record<string, unknown> = JSON.parse(`{
  "order": {"total": 12.5, "id": "A-1"}, "items": [{"name": "Tea <b>", "price": 3, "qty": 2}, {"name": "Pot", "qty": "1"}],
  "tags": ["a", "b"], "empty": [], "blank": "", "when": "2026-08-22T10:00:00Z", "__proto__": {"x": "own"}, "no": false, "zero": 0,
  "a b": "quoted", "plan": "pro", "prices": {"pro": 9}, "nothing": null, "name": "مرحبا 👨‍👩‍👧", "nul": "a\\u0000b"
}`);
const ADA: TemplateUser = {
  id: "u-1",
  traits: { first_name: "Ada", $timezone: "Europe/Vienna", id: "not this", tags: ["x"] },
};

const parsed = (source: string) => {
  const text = parseReceiptText(source);
  return "fault" in text ? assert.fail(text.fault) : text;
};
const filled = (source: string, data = DATA) => fillReceiptText(parsed(source), { data, user: ADA });
const wordsOf = (source: string, data = DATA): string => {
  const result = filled(source, data);
  if (!("parts" in result)) return assert.fail(JSON.stringify(result));
  return result.parts.map((part) => (typeof part === "string" ? part : withoutTrait(part))).join("");
};
const faultOf = (source: string): string => {
  const text = parseReceiptText(source);
  return "fault" in text ? text.fault : assert.fail(`${source} was taken`);
};

describe("a text of a receipt", () => {
  for (const [source, expected] of [
    ["Hi {{ user.first_name }} ({{ user.id }}), {{data.order.total}}", "Hi Ada (u-1), 12.5"],
    ['{{ data["a b"] }} {{ data.items[0].name }} {{ data.prices[data.plan] }}', "quoted Tea <b> 9"],
    ['{{ user["$timezone"] }}', "Europe/Vienna"],
    ["{{ data.tags.size }} {{ data.tags.first }} {{ data.tags.last }} {{ data.tags[-1] }}", "2 a b b"],
    ["{{ data.tags | join: ', ' | upcase }} {{ data.tags | size }}", "A, B 2"],
    ["{{ data.items[0].price | times: data.items[0].qty | plus: 0.5 | minus: 1 }}", "5.5"],
    ["{{ data.nope | times: 2 | default: 'n/a' }} {{ data.nothing | default: data.plan }}", "n/a pro"],
    ["[{{ data.blank }}] {{ data.blank | default: 'x' }} {{ data.zero }} {{ data.no }}", "[] x 0 false"],
    ["{{ data.name | truncate: 7, '' }}|{{ data.name | last }}", "مرحبا |👨‍👩‍👧"],
    ["{{ data.nul }}", "ab"],
    ["{{ data.__proto__.x }}", "own"],
    ["a {{- data.plan -}} b {%- if data.plan -%} c {%- endif %}", "aprobc"],
    [
      "{% for i in data.items %}{{ forloop.index }}/{{ forloop.length }} {{ i.name }};{% endfor %}",
      "1/2 Tea <b>;2/2 Pot;",
    ],
    ["{% for i in data.items reversed limit: 1 offset: 1 %}{{ i.name }}{% endfor %}", "Pot"],
    ["{% for i in data.empty %}x{% else %}none{% endfor %}", "none"],
    ["{% for i in data.items %}{% for i in data.tags %}{{ i }}{% endfor %}{{ i.qty }}{% endfor %}", "ab2ab1"],
    [
      "{% for t in data.tags %}{% if forloop.last %}{% break %}{% endif %}{{ t }}{% continue %}x{% endfor %}",
      "a",
    ],
    ["{% for t in user.tags %}{{ t }}{% endfor %}", "x"],
    ["{% if data.nope.deep %}a{% elsif data.no == false and data.tags contains 'b' %}b{% endif %}", "b"],
    ["{% unless data.nope %}a{% else %}b{% endunless %}", "a"],
    ["{% if data.tags.size > 1 %}many{% endif %}{% if data.empty == empty %}!{% endif %}", "many!"],
    [
      "{% case data.plan %}{% when 'free', 'trial' %}F{% when 'pro' or 'max' %}P{% else %}?{% endcase %}",
      "P",
    ],
    ["{% comment %}{{ nope }}{% assign x = 1 %}{% endcomment %}ok", "ok"],
  ] as const)
    it(source, () => assert.equal(wordsOf(source), expected));

  it("writes times in the zone of the reader, or in the one that it names", () => {
    assert.equal(
      wordsOf("{{ data.when | date: '%H:%M' }} {{ data.when | date: '%H:%M', 'Asia/Tokyo' }}"),
      "12:00 19:00",
    );
  });

  it("gives outputs as fields, which say where their value is from", () => {
    const result = filled("a{% for i in data.items %}{{ i.name }}{% endfor %}b{{ user.id }}");
    assert.ok("parts" in result);
    assert.deepEqual(
      result.parts.map((part) => (typeof part === "string" ? part : [part.path, part.origin, part.fallback])),
      [
        "a",
        ["data.items[0].name", "data", "Tea <b>"],
        ["data.items[1].name", "data", "Pot"],
        "b",
        ["user.id", "user", "u-1"],
      ],
    );
  });

  it("says what it names of the data", () => {
    const text = parsed(
      "{{ data.a }}{% for i in data.items %}{{ i.price | times: i.qty }}{% for t in i.tags %}{{ t }}{% endfor %}{% endfor %}{% if data['b c'] %}{{ data.prices[data.plan] }}{% endif %}{{ user.id }}",
    );
    assert.deepEqual(dataPathsOf(text), [
      "data.a",
      "data.items",
      "data.items[].price",
      "data.items[].qty",
      "data.items[].tags",
      "data.items[].tags[]",
      'data["b c"]',
      "data.plan",
      "data.prices[]",
    ]);
  });

  it("has a sketch for each of its branches", () => {
    const words = sketchesOf(
      parsed("a{% if data.x %}b{% elsif data.y %}c{% endif %}{% for i in data.z %}d{% endfor %}"),
    );
    assert.deepEqual(
      words.map(({ parts }) => parts.join("")),
      ["abd", "acd", "ad"],
    );
  });
});

describe("what is missing in a receipt", () => {
  for (const [source, path] of [
    ["{{ data.nope }}", "data.nope"],
    ["{{ data.order.nope.deeper }}", "data.order.nope.deeper"],
    ["{{ data.nothing }}", "data.nothing"],
    ["{{ data.order }}", "data.order"],
    ["{{ data.order.size }}", "data.order.size"],
    ["{{ data.tags }}", "data.tags"],
    ["{{ data.empty | first }}", "data.empty"],
    ["{{ data.items[9].name }}", "data.items[9].name"],
    ['{{ data["x y"] }}', 'data["x y"]'],
    ["{{ data.prices[data.nope] }}", "data.prices.undefined"],
    ["{% for i in data.items %}{{ i.price }}{% endfor %}", "data.items[1].price"],
    ["{% for i in data.items reversed %}{{ i.price }}{% endfor %}", "data.items[1].price"],
    ["{% for i in data.items offset: 1 %}{{ i.nope }}{% endfor %}", "data.items[1].nope"],
    ["{% for i in data.nope %}{% endfor %}", "data.nope"],
    ["{% for i in data.plan %}{% endfor %}", "data.plan"],
    ["{% for i in data.items limit: data.plan %}{% endfor %}", "data.plan"],
    ["{% if data.plan %}{{ data.nope }}{% endif %}", "data.nope"],
    ["{{ data.plan | append: data.nope }}", "data.nope"],
    ["{{ data.zero | plus: data.plan }}", "data.plan"],
    ["{{ data.plan | times: 2 }}", "data.plan"],
    ["{{ data.order.total | divided_by: 0 }}", "data.order.total"],
    ["{{ data.nope | default: data.nothing }}", "data.nope"],
    ["{{ user.last_name }}", "user.last_name"],
    ["{{ user.size }}", "user.size"],
    ["{{ data.constructor }}", "data.constructor"],
    ["{{ data.items.push }}", "data.items.push"],
    ["{{ data.plan.length }}", "data.plan.length"],
  ] as const)
    it(`is ${path} of ${source}`, () => assert.deepEqual(filled(source), { missing: path }));

  it("is nothing where a branch is not taken, or a condition alone names it", () =>
    assert.equal(
      wordsOf("{% if data.nope == 1 or data.nope.a contains 'x' %}{{ data.nope }}{% endif %}."),
      ".",
    ));
});

describe("a text of a receipt that is refused", () => {
  for (const [source, fault] of [
    [
      "{% assign x = 1 %}",
      /^must not use \{% assign %\}: there are the tags if, unless, case, for and comment$/,
    ],
    ["{% include 'x' %}", /include/],
    ["{% render 'x' %}", /render/],
    ["{% raw %}x{% endraw %}", /raw/],
    ["{% liquid echo data.x %}", /liquid/],
    ["{% # x %}", /#/],
    ["{{ foo }}", /^must not name foo: there are data, user and the variables of loops/],
    ["{{ forloop.index }}", /must not name forloop.index/],
    ["{% for i in data.a %}{{ forloop.nope }}{% endfor %}", /must not name forloop.nope/],
    ["{% for i in data.a %}{% endfor %}{{ i }}", /must not name i:/],
    ["{% for data in data.a %}{% endfor %}", /must not call the variable of a loop data/],
    ["{{ data }}", /must name something in data/],
    ["{{ user }}{{ user.a.b }}", /one trait of the user/],
    ["{{ user[data.x] }}", /one trait of the user/],
    ["{{ user.$country }}", /in brackets, as in \{\{ user\["\$country"\] \}\}/],
    ["{{ 'text' }}", /an output shows one path/],
    ["{{ data.a == 1 }}", /an output shows one path/],
    ["{{ data.a b }}", /an output shows one path/],
    ["{{ }}", /empty output/],
    ["{{ data.x | replace: 'a', 'b' }}", /must not use the filter replace/],
    ["{{ data.x | date: '%H', 'No/Where' }}", /must not use the time zone No\/Where/],
    ["{{ data.x | date: '%H', data.zone }}", /must not use the time zone data.zone/],
    ["{{ data.x | upcase | upcase | upcase | upcase | upcase | upcase }}", /at most 5 filters/],
    ["{% if data.x | size %}a{% endif %}", /must not use filters in a condition/],
    ["{% if data.x = 1 %}a{% endif %}", /must have readable outputs and tags/],
    ["{% if data.x %}", /not closed/],
    ["{% endif %}", /endif/],
    ["{% if data.x %}{% else if data.y %}{% endif %}", /must have nothing behind else/],
    ["{% for i in (1..5) %}{% endfor %}", /must loop over a list/],
    ["{% for i in data.x | sort %}{% endfor %}", /must loop over a list/],
    ["{% for i in data.x sorted: 1 %}{% endfor %}", /limit: 5, offset: 5 or reversed/],
    ["{% case data.x %}{% when 'a' 'b' %}{% endcase %}", /with commas between them/],
    ["{% break %}", /within a loop/],
    ["{{ data[data[data[data[data.a]]]] }}", /nest at most 4 brackets/],
    ["{% if data.x %}".repeat(17) + "{% endif %}".repeat(17), /nest at most 16 tags/],
    ["{{ data.x }}".repeat(501), /at most 500 outputs/],
    ["{% if data.x %}{% endif %}".repeat(251), /at most 500 tags/],
    [`{% if data.x == "${"x".repeat(4_000)}" %}{% endif %}`, /at most 4000 characters/],
    ["{{ data.x ", /not closed/],
  ] as const)
    it(source.slice(0, 80), () => assert.match(faultOf(source), fault));

  it("goes on where it was stored before there were bounds", () =>
    assert.ok("nodes" in parseReceiptText("{{ data.x }}".repeat(501), "stored")));
});

describe("a receipt with too much in it", () => {
  const list = Array.from({ length: 10_000 }, () => 1);
  const text = "a".repeat(30_000);
  const data = {
    list,
    text,
    half: `b${"a".repeat(15_000)}`,
    deep: JSON.parse(`${"[".repeat(9_000)}${"]".repeat(9_000)}`),
  };
  const loop = (inside: string): string => `{% for i in data.list limit: 1000 %}${inside}{% endfor %}`;
  for (const [source, reason] of [
    ["{% for i in data.list %}{% endfor %}", /rounds of loops/],
    [
      `{% for a in data.list limit: 1000 %}{% for b in data.list limit: 3 %}{% endfor %}{% endfor %}`,
      /rounds of loops/,
    ],
    [loop("{{ i }}{{ i }}{{ i }}{{ i }}{{ i }}{{ i }}"), /at most 5000 values/],
    [loop("{{ data.text }}"), /at most 300000 characters/],
    [loop("x".repeat(101)), /at most 100000 characters/],
    [loop("{% if data.text contains data.half %}{% endif %}"), /less work/],
    [loop("{% if data.list == data.list %}{% endif %}"), /less work/],
    [loop("{% if data.list contains data.text %}{% endif %}"), /less work/],
    [loop("{% if data.text == data.half %}{% endif %}".repeat(10)), /less work/],
    [loop("{{ data.text | upcase | truncate: 5 }}"), /less work/],
    [loop("{{ data.text | date: '%H' | truncate: 1, '' }}"), /less work/],
    ["{% if data.deep == data.deep %}{% endif %}", /less memory/],
    ["{{ data.long | upcase }}", /at most 40000 characters/],
  ] as const)
    it(source.slice(0, 80), () => {
      const result = filled(source, { ...data, long: "x".repeat(40_001) });
      assert.match("tooMuch" in result ? result.tooMuch : JSON.stringify(result).slice(0, 200), reason);
    });
});
