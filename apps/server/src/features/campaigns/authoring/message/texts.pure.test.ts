import assert from "node:assert/strict";
import { it } from "node:test";
import { phraseIn } from "../../goals/phrases.pure.ts";
import { messageTexts, readingsOf, titleOf } from "./texts.pure.ts";

const fieldsOf = (...given: Parameters<typeof messageTexts>): string[] =>
  messageTexts(...given).map(({ field }) => field);

it("names every text of a message that people read", () => {
  const url = "https://example.com";
  const web = {
    presentation: "modal",
    title: "A",
    body: "B",
    cta: { label: "C", url },
    media: { url, alt: "D" },
  };
  assert.deepEqual(fieldsOf("web_inapp", web), ["title", "body", "cta.label", "media.alt"]);
  const mail = { subject: "A", previewText: "B", body: "C", cta: { label: "D", url } };
  assert.deepEqual(fieldsOf("email", mail), ["subject", "previewText", "body", "cta.label"]);
  const push = {
    title: "A",
    body: "B",
    actions: [{ id: "x", title: "C" }],
    ios: { subtitle: "D" },
    data: { e: "E" },
  };
  assert.deepEqual(fieldsOf("push", push), ["title", "body", "ios.subtitle", "actions[0].title"]);
});

it("a text is also read without its markup, and without the traits of its reader", () => {
  const finds = (text: string, isMarkdown = true): boolean =>
    phraseIn(readingsOf({ field: "body", text, isMarkdown, isReceipt: false }), ["free"]) !== null;
  for (const text of [
    "fr**ee**",
    "f[r](https://example.com)ee",
    "fr&shy;ee",
    "&#102;ree",
    "`free`",
    "f`r`ee",
    "**f**`re`*e*",
    "``fr``ee",
    "# f`re`e",
    "one\n\n    free\n\ntwo",
    "| a |\n|---|\n| fr*ee* |",
    "- one\n- f*re*e",
    "fr{{ user.plan }}ee",
    'Only {{ user.plan | default: "free" }}',
    'fr{{ user.plan | default: "ee" }}',
    "![free](https://example.com/a.png)",
    "> # fr**ee**",
  ])
    assert.equal(finds(text), true, text);
  for (const text of ["free**dom**", "fr\n\nee", "- fr\n- ee", "    fr\n\nee"])
    assert.equal(
      phraseIn(readingsOf({ field: "body", text, isMarkdown: true, isReceipt: false }).slice(1), ["free"]),
      null,
      text,
    );
  assert.equal(finds("fr**ee**", false), false);
  assert.equal(finds('fr{{ user.plan | default: "ee" }}', false), true);
});

it("a title is what is read first without any traits, on one line", () => {
  const named = (text: string) => ({ presentation: "toast", title: text, body: "B" });
  assert.equal(titleOf("web_inapp", named('Hi {{ user.name | default: "there" }}')), "Hi there");
  assert.equal(titleOf("web_inapp", named("{{ user.name }}")), "B");
  assert.equal(titleOf("web_inapp", { title: "{{ user.name }}" }), "{{ user.name }}");
  assert.equal(titleOf("web_inapp", { body: "One\n\n two" }), "One two");
  assert.equal(titleOf("email", { subject: "News", body: "# Hello" }), "News");
  assert.equal(titleOf("push", { title: "Sale", body: "B" }), "Sale");
  assert.deepEqual([titleOf("push", { title: "x".repeat(500) }).length], [120]);
});

it("the title of a message is cut between characters", () => {
  assert.equal(titleOf("web_inapp", { title: `a${"👨‍👩‍👧‍👦".repeat(30)}` }), `a${"👨‍👩‍👧‍👦".repeat(16)}…`);
});
