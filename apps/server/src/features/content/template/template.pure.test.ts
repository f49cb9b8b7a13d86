import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Field,
  fillField,
  isMissing,
  isStatic,
  parseTemplate,
  type Template,
  type TemplateUser,
} from "./template.pure.ts";

const ADA: TemplateUser = {
  id: "u/1",
  traits: JSON.parse(`{
    "first_name": "Ada", "plan": "pro", "empty": "", "no": false, "yes": true, "zero": 0, "price": 9.5, "nothing": null,
    "list": ["a", "b"], "object": {"deep": 1}, "strange key": "odd", "quote\\"key": "q", "it's": "single", "a.b": "dots",
    "family": "👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "lines": "one\\ntwo", "since": "2026-08-22T10:00:00Z", "emoji": "🎉", "naïve": "ï", "$country": "NL", "id": "not this",
    "__proto__": "own", "user-name": "dash", "length": 3
  }`),
};
const NO_TRAITS: TemplateUser = { id: "x", traits: {} };

const parsed = (source: string): Template => {
  const template = parseTemplate(source);
  if ("fault" in template) assert.fail(template.fault);
  return template;
};
const fieldOf = (source: string): Field => {
  const field = parsed(source).parts.find((part) => typeof part !== "string");
  return field ?? assert.fail(`${source} has no field`);
};
const fill = (source: string, person: TemplateUser): string =>
  parsed(source)
    .parts.map((part) => (typeof part === "string" ? part : fillField(part, person)))
    .join("");
const faultOf = (source: string): string => {
  const template = parseTemplate(source);
  return "fault" in template ? template.fault : assert.fail(`${source} was taken`);
};

describe("a personal field", () => {
  for (const [source, expected] of [
    ["{{ user.first_name }}", "Ada"],
    ["{{user.first_name}}", "Ada"],
    ["{{\n user . first_name\t}}", "Ada"],
    ["Hello {{ user.first_name }}, on {{ user.plan }}!", "Hello Ada, on pro!"],
    ["{{ user.id }}", "u/1"],
    ['{{ user["id"] }}', "u/1"],
    ['{{ user["strange key"] }}', "odd"],
    ["{{ user['strange key'] }}", "odd"],
    ['{{ user["quote\\"key"] }}', "q"],
    ['{{ user["it\'s"] }}', "single"],
    ['{{ user["a.b"] }}', "dots"],
    ['{{ user["\\u0066irst_name"] }}', "Ada"],
    ["{{ user.naïve }}", "ï"],
    ["{{ user.$country }}", "NL"],
    ["{{ user.user-name }}", "dash"],
    ["{{ user.length }}", "3"],
    ["{{ user.zero }}/{{ user.price }}/{{ user.yes }}/{{ user.no }}", "0/9.5/true/false"],
    ["{{ user.empty }}{{ user.nothing }}{{ user.list }}{{ user.object }}{{ user.unknown }}", ""],
    ["{{ user.lines }}", "one\ntwo"],
    ['{{ user.unknown | default: "there" }}', "there"],
    ["{{ user.unknown | default: 'there' }}", "there"],
    ['{{ user.first_name | default: "there" }}', "Ada"],
    ['{{ user.empty | default: "x" }}{{ user.no | default: "y" }}{{ user.nothing | default: "z" }}', "xyz"],
    ['{{ user.list | default: "l" }}{{ user.object | default: "o" }}', "lo"],
    ['{{ user.zero | default: "x" }}', "0"],
    ["{{ user.unknown | default: 5 }}", "5"],
    ['{{ user.unknown | default: "" }}', ""],
    ['{{ user.unknown | default: "}} {{ {% \\"q\\" \\u0041 🎉" }}', '}} {{ {% "q" A 🎉'],
    ['{{ user.no | default: "x", allow_false: true }}', "false"],
    ["{{ user.first_name | upcase }}", "ADA"],
    ['{{ user.unknown | capitalize | default: "You" }}', "You"],
    ['{{ user.unknown | default: "you" | capitalize }}', "You"],
    ['{{ user.since | date: "%d.%m.%Y %H:%M" }}', "22.08.2026 10:00"],
    ['{{ user.list | join: " & " }}', "a & b"],
    ["{{ user.list | first }}", "a"],
    ['{{ user.object | append: "" }}{{ user.object | upcase }}{{ user.object | join }}', ""],
    ["{{ user.list | last | upcase }}{{ user.price | round }}", "B10"],
    ['{{ user.first_name | prepend: "Dr. " | append: "!" | truncate: 6 }}', "Dr...."],
    ["{{ user.price | divided_by: 2 }}", "4.75"],
    ["{{ user.lines | strip }}", "one\ntwo"],
    ["{{ user.price | times: 2 }}", "19"],
    ['{{ user.emoji | truncate: 1, "" }}', "🎉"],
    ["{{ user.family | truncate: 14, '' }}{{ user.family | truncate: 13, '' }}", "👨‍👩‍👧‍👦".repeat(3)],
    ["{{ user.family | truncate: 10 }}/{{ user.family | truncate: 6, '' }}", "👨‍👩‍👧‍👦.../"],
    ["{{ user.family | first }}{{ user.family | last }}{{ user.empty | first }}", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦"],
    ["{{ user.emoji | first }}{{ user.zero | last }}{{ user.list | first }}", "🎉a"],
    ['{{ user.first_name | append: "\\u0000" }}', "Ada"],
    ["{{ user.__proto__ }}", "own"],
    ["{{ user.constructor }}{{ user.toString }}{{ user.hasOwnProperty | upcase }}", ""],
    ["no fields }} here { { user.plan } }", "no fields }} here { { user.plan } }"],
    ["", ""],
  ] as const) {
    it(JSON.stringify(source), () => assert.equal(fill(source, ADA), expected));
  }

  it("finds nothing of an object's own making in a person without traits", () => {
    for (const name of ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"]) {
      assert.equal(fill(`{{ user.${name} | default: "-" }}{{ user.${name} | upcase }}`, NO_TRAITS), "-");
      assert.equal(isMissing(fieldOf(`{{ user.${name} }}`), NO_TRAITS), true);
    }
  });

  it("shows no more than 4,096 characters of what filters make, and 100 entries of a list", () => {
    const long = { id: "x", traits: { text: "é".repeat(10_000), list: Array(1_000).fill("a") } };
    assert.equal(fill("{{ user.text | upcase }}", long), "É".repeat(4_096));
    assert.equal(fill(`{{ user.text | append: "${"b".repeat(200)}" }}`, long), "é".repeat(4_096));
    assert.equal(fill('{{ user.list | join: "" }}', long), "a".repeat(100));
  });
});

describe("a template that was stored before there were bounds", () => {
  it("is read as it was", () => {
    const stored = (source: string): string => {
      const template = parseTemplate(source, "stored");
      if ("fault" in template) assert.fail(template.fault);
      return template.parts.map((part) => (typeof part === "string" ? part : fillField(part, ADA))).join("");
    };
    assert.equal(stored('{{ user.first_name | replace: "A", "I" | remove: "d" }}'), "Ia");
    assert.equal(stored("{{ user.zero }}".repeat(5_000)), "0".repeat(5_000));
    assert.equal(stored(`{{ user.plan${" | upcase".repeat(20)} }}`), "PRO");
    // The result does not matter here, only that the filters end.
    assert.equal(stored(`{{ user.first_name ${'| replace: "a", "aaaaaaaaaa" '.repeat(12)} }}`), "");
  });
});

describe("a template that is refused", () => {
  for (const [source, fault] of [
    ["Hi {% if user.plan %}x{% endif %}", /^must not use \{% if %\}: tags are not supported/],
    ["{%- assign x = 1 %}", /^must not use \{% assign %\}/],
    ["{%", /^must not use \{% {2}%\}/],
    ["{{ plan }}", /^must not use \{\{ plan \}\}: a field starts with user/],
    ["{{ users.plan }}", /a field starts with user/],
    ["{{ user }}", /a field starts with user/],
    ["{{ }}", /a field starts with user/],
    ['{{ "text" }}', /a field starts with user/],
    ["{{ user. }}", /a field starts with user/],
    ["{{ user.1 }}", /a field starts with user/],
    ["{{ user[plan] }}", /a field starts with user/],
    ['{{ user["a\\q"] }}', /as a JSON text/],
    ["{{ user.address.city }}", /names one trait of the user, and nothing inside it/],
    ['{{ user.address["city"] }}', /names one trait/],
    ["{{ user.plan == 1 }}", /only \| and a filter may follow/],
    ["{{ user.plan, user.id }}", /only \| and a filter may follow/],
    ["{{ user.plan | }}", /cannot be read after|readable/],
    ["{{ user.plan | shout }}", /^must not use the filter shout/],
    ["{{ user.plan | constructor }}", /^must not use the filter constructor/],
    ["{{ user.plan | __proto__ }}", /^must not use the filter __proto__/],
    ['{{ user.list | where_exp: "x", "x" }}', /^must not use the filter where_exp/],
    [
      '{{ user.plan | replace: "a", "b" }}',
      /^must not use the filter replace in \{\{ .+ \}\}: there are append, /,
    ],
    ["{{ user.list | reverse }}", /^must not use the filter reverse/],
    [
      `{{ user.plan ${"| upcase ".repeat(6)} }}`,
      /^must use at most 5 filters in a field: \{\{ user\.plan \| /,
    ],
    [
      `{{ user.plan | default: "${"a".repeat(201)}" }}`,
      /^must give a filter texts of at most 200 characters: /,
    ],
    ['{{ user.plan | default: "a", "b", "c", "d" }}', /^must give a filter at most 3 texts or numbers: /],
    ["{{ user.a }}".repeat(501), /^must have at most 500 personal fields$/],
    ["{{ user.plan | default: user.id }}", /^must give the filter default texts or numbers/],
    ["{{ user.plan | default: (1..3) }}", /^must give the filter default texts or numbers/],
    ['{{ user.plan | default: "a" "b" }}', /cannot be read after|readable/],
    ["Hi {{ user.plan", /^must close every \{\{ with \}\}: \{\{ user\.plan$/],
    ["Hi {{ user.plan }", /^must close every/],
    ["{{ user.plan {{ user.id }}", /^must close every/],
    ['{{ user.plan | default: "there }}', /^must close every/],
    ["{{- user.plan }}", /^must not use \{\{- or -\}\}/],
    ["{{ user.plan -}}", /^must not use \{\{- or -\}\}/],
    ["{{{ user.plan }}}", /^must close every|a field starts with user/],
    [`{{ ${"🎉".repeat(100)} }}`, /^must not use \{\{ (🎉)+… \}\}/],
  ] as const) {
    it(JSON.stringify(source.slice(0, 50)), () => assert.match(faultOf(source), fault));
  }
});

describe("what is missing", () => {
  for (const [source, missing] of [
    ["{{ user.first_name }}", false],
    ["{{ user.id }}", false],
    ["{{ user.empty }}", false],
    ["{{ user.no }}", false],
    ["{{ user.unknown }}", true],
    ["{{ user.nothing }}", true],
    ["{{ user.object }}", true],
    ["{{ user.list }}", true],
    ["{{ user.unknown | upcase }}", true],
    ["{{ user.list | join }}", false],
    ['{{ user.unknown | default: "" }}', false],
    ['{{ user.unknown | upcase | default: "x" }}', false],
  ] as const) {
    it(source, () => assert.equal(isMissing(fieldOf(source), ADA), missing));
  }

  it("knows a text without fields", () => {
    assert.equal(isStatic(parsed("Hello")), true);
    assert.equal(isStatic(parsed("")), true);
    assert.equal(isStatic(parsed("{{ user.id }}")), false);
  });
});

describe("parsing", () => {
  it("reads fifty thousand characters of fields at once", () => {
    assert.equal(parsed("{{user.a}} ".repeat(500)).parts.length, 1_000);
    assert.match(faultOf("{{".repeat(25_000)), /^must close every/);
    assert.match(faultOf(`{{ user["${"\\".repeat(49_000)}`), /^must close every/);
  });
});
