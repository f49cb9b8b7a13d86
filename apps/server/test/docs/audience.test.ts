import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { DIAGNOSTIC_CODES } from "../../src/features/audience/language/parse/diagnostics.pure.ts";
import * as language from "../../src/features/audience/language/schema.ts";
import type { Expression, Node } from "../audience/trees.ts";
import { feedback, launchCampaign, messagesOf } from "../factories.ts";
import { refusal, type TestProject, testHouse } from "../harness.ts";
import { shownAnswer } from "./shown-answer.ts";

/** The page's "now". */
const NOW = Date.parse("2026-01-15T12:00:00Z");
const PAGE = await readFile(new URL("../../../../docs/audiences.md", import.meta.url), "utf8");
const house = testHouse();

type Role = {
  firstSeen: string;
  traits: Record<string, unknown>;
  events: { at: string; event: string; props?: Record<string, unknown> }[];
  messages?: { at: string; became: ("shown" | "clicked" | "dismissed")[] }[];
};
type Example = { title: string; json: string; says: "Matches" | "Refused"; what: string };

/** Fenced blocks, each with the line that follows it. */
const blocks = [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```\n(.*)/g)].map(
  ([, language = "", text = "", next = ""]) => ({ language, text, next }),
);
const cast = JSON.parse(blocks[0]?.text ?? "") as Record<string, Role>;
const examples = blocks.flatMap(({ text, next }): Example[] => {
  const [, says, what = ""] = /^(Matches|Refused): (.+)$/.exec(next) ?? [];
  if (says !== "Matches" && says !== "Refused") return [];
  return [{ title: text.replaceAll(/\s+/g, " ").slice(0, 120), json: text, says, what }];
});

/** An example is an expression, or only its root. */
function expressionOf({ json }: Example): Expression {
  const written = JSON.parse(json) as Expression | Node;
  return "version" in written ? written : { version: 1, root: written };
}

/** `ada, lin; not: bo, max` as who matches and who does not. */
function castOf({ what }: Example): [matched: string[], others: string[]] {
  const [matched = "", others = ""] = what.split("; not: ");
  return [matched.split(", "), others.split(", ")];
}

describe("docs/audiences.md", () => {
  let project: TestProject;

  before(async () => {
    project = await house.project();
    house.at(Math.min(...Object.values(cast).map(({ firstSeen }) => Date.parse(firstSeen))));
    await launchCampaign(project);
    const scenes = Object.entries(cast).flatMap(([userId, { firstSeen, traits, events, messages = [] }]) => [
      ...messages.map(({ at, became }) => ({
        at,
        act: async () => {
          const [message] = await messagesOf(project, userId);
          for (const type of became) await feedback(project, message?.deliveryId ?? "", userId, type);
        },
      })),
      { at: firstSeen, act: () => project.sdk.identify({ body: { userId, traits } }) },
      ...events.map(({ at, ...body }) => ({
        at,
        act: () => project.sdk.track({ body: { userId, ...body } }),
      })),
    ]);
    for (const { at, act } of scenes.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
      house.at(Date.parse(at));
      await act();
    }
    house.at(NOW);
  });

  it("has its cast and its examples", () => {
    assert.equal(Object.keys(cast).length, 4);
    assert.ok(examples.length > 35);
  });

  for (const example of examples) {
    it(`${example.says} ${example.what}: ${example.title}`, async () => {
      const expression = expressionOf(example);
      if (example.says === "Refused") {
        const { status, body } = await refusal(project.api.checkAudience({ body: { expression } }));
        const { diagnostics } = body as { diagnostics: { code: string; path: string }[] };
        const found = diagnostics.map(({ code, path }) => `${code} at ${path}`);
        assert.deepEqual([status, found.join(", ")], [400, example.what]);
        return;
      }
      const [matched, others] = castOf(example);
      assert.deepEqual(
        [...matched, ...others].toSorted(),
        Object.keys(cast).toSorted(),
        "everyone is told of",
      );
      const { samples, diagnostics } = await project.api.checkAudience({ body: { expression } });
      assert.deepEqual(
        samples.map(({ externalUserId }) => externalUserId),
        matched.toSorted(),
      );
      assert.deepEqual(diagnostics, [], "names what the cast has");
      for (const userId of Object.keys(cast)) {
        const explained = await project.api.explainAudience({ body: { userId, expression } });
        assert.equal(explained.matched, matched.includes(userId), userId);
      }
    });
  }

  it("has commands that run word for word and answer what they show", async () => {
    const commands = blocks.filter(({ language }) => language === "bash").map(({ text }) => text);
    const answers = blocks.filter(({ language, text }) => language === "json" && text.startsWith("…"));
    assert.ok(commands.length >= 7 && answers.length >= 4);
    const env = { ...process.env, TIDINGS: house.url, API_KEY: project.secretKey };
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-euo", "pipefail", "-c", commands.join("\necho\n")],
      {
        env,
      },
    );
    const lines = stdout.split("\n");
    assert.equal(lines.filter((line) => line !== "").length, commands.length);
    for (const line of lines) assert.doesNotMatch(line, /^\{"error"/);
    for (const { text } of answers) assert.match(stdout, shownAnswer(text));
  });

  it("shows every operator and kind of node in an example that is run", () => {
    const run = examples
      .filter(({ says }) => says === "Matches")
      .map(({ json }) => JSON.parse(json) as unknown);
    const seen = { ops: new Set<unknown>(), kinds: new Set<unknown>(), counts: new Set<unknown>() };
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if ("kind" in value) seen.kinds.add(value.kind);
      if ("kind" in value && "op" in value) seen.ops.add(value.op);
      else if ("op" in value) seen.counts.add(value.op);
      Object.values(value).forEach(visit);
    };
    run.forEach(visit);
    assert.deepEqual(seen.ops, new Set(language.OPERATORS));
    assert.deepEqual(seen.counts, new Set(language.COUNT_OPERATORS));
    assert.deepEqual(
      seen.kinds,
      new Set(["all", "any", "not", "field", "event", "message", "trait", "user", "event_property"]),
    );
  });

  it("names every operator, unit and diagnostic, and no other diagnostic", () => {
    for (const name of [...language.OPERATORS, ...Object.keys(language.WINDOW_UNITS), ...DIAGNOSTIC_CODES])
      assert.ok(PAGE.includes(`\`${name}\``), name);
    const tables = PAGE.slice(PAGE.indexOf("\n## Diagnostics"));
    const explained = [...tables.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    assert.deepEqual(explained, [...DIAGNOSTIC_CODES]);
  });

  it("gives the limits that hold", () => {
    const limits = PAGE.slice(PAGE.indexOf("\n## Limits"), PAGE.indexOf("\n## Ask before"));
    assert.deepEqual(
      [...limits.matchAll(/^\| [^|]+ \| ([\d,]+)/gm)].map(([, given = ""]) =>
        Number(given.replaceAll(",", "")),
      ),
      [
        language.MAX_DEPTH,
        language.MAX_NODES,
        language.MAX_CHILDREN,
        language.MAX_WHERE,
        language.MAX_MEMBERS,
        language.MAX_CAMPAIGNS,
        language.MAX_KEY_LENGTH,
        language.MAX_EVENT_LENGTH,
        language.MAX_TEXT_LENGTH,
        language.MAX_EVENT_COUNT,
        language.MAX_WINDOW_MS / language.WINDOW_UNITS.days,
      ],
    );
  });
});
