import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import ts from "typescript";
import { tables } from "../src/features.ts";

const SOURCE = new URL("../src/", import.meta.url).pathname;

/** Files whose texts Kysely runs, and no hot statement: they name tables as they are. */
const RUN_BY_KYSELY: readonly string[] = [
  "features/campaigns/authoring/audience/epoch-store.ts",
  "features/counting/rollups/apply-store.ts",
  "features/counting/rollups/check-store.ts",
  "features/deliveries/check-store.ts",
  "features/web/config-store.ts",
];

/** Whether a file may contain a text of a hot statement: every store of a feature may, and what builds on statements or fragments. */
const mayBeHot = (path: string, source: string): boolean =>
  !path.startsWith("platform/") &&
  (path.endsWith("store.ts") || /\/(?:statement|fragment|table-names)\.ts"/.test(source));

const NAMES = tables.map(({ name }) => name).join("|");
const UNMARKED = [
  // `is distinct from` compares with a column.
  new RegExp(
    `(?<!\\bdistinct )\\b(?:from|join|into|update|using)\\s+(?:only\\s+)?"?(?<table>${NAMES})\\b`,
    "dgi",
  ),
  // With an alias, wherever it is: `from input i, campaigns c`.
  new RegExp(`(?<![.\\w])(?<table>${NAMES})\\s+(?:as\\s+)?[a-z]\\b`, "dg"),
  // As the name before a column, where the table has no alias.
  new RegExp(`(?<![.\\w{])(?<table>${NAMES})\\.[a-z]`, "dg"),
];

/** Comments of SQL as blanks, so that places in the text stay as they are. */
const withoutComments = (text: string): string =>
  text.replaceAll(/--.*/g, (comment) => " ".repeat(comment.length));

/** The literal that a node is, or the template of which it is a piece. */
function literalOf(node: ts.Node): ts.Node | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node;
  if (ts.isTemplateHead(node)) return node.parent;
  return ts.isTemplateMiddleOrTemplateTail(node) ? node.parent.parent : null;
}

/** Tables that a source names without their mark, as `path:line table`. What the tag `sql` or a builder of Kysely is given is left out. */
function unmarkedIn(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const literal = literalOf(node);
    if (literal !== null && !ts.isTaggedTemplateExpression(literal.parent)) {
      const text = withoutComments(node.getText());
      // A builder of Kysely is given names, in strings: "campaigns.id", "email_sends as s".
      const patterns = ts.isStringLiteral(node) ? UNMARKED.slice(0, 1) : UNMARKED;
      for (const { groups, indices } of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
        const at = node.getStart() + (indices?.groups?.table?.[0] ?? 0);
        found.add(`${path}:${file.getLineAndCharacterOfPosition(at).line + 1} ${groups?.table}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found];
}

describe("the tables of hot statements", () => {
  const sources = globSync("**/*.ts", {
    cwd: SOURCE,
    exclude: ["**/*.{test,test-data}.ts", "**/generated/**"],
  })
    .map((path): [string, string] => [path, readFileSync(join(SOURCE, path), "utf8")])
    .filter(([path, source]) => mayBeHot(path, source));

  it("are named through their marks (platform/db/statements/table-names.ts)", () => {
    const unmarked = sources
      .filter(([path]) => !RUN_BY_KYSELY.includes(path))
      .flatMap(([path, source]) => unmarkedIn(path, source));
    assert.deepEqual(unmarked, []);
  });

  it("are all that has to be marked: a file that is left out has tables without a mark, and makes no hot statement", () => {
    for (const path of RUN_BY_KYSELY) {
      const source = sources.find(([its]) => its === path)?.[1] ?? "";
      assert.notDeepEqual(unmarkedIn(path, source), [], path);
      assert.doesNotMatch(source, /statement\.ts"|table-names\.ts"/, path);
    }
  });

  it("are seen in every place of a statement, with their lines", () => {
    const source = [
      "const read = (i) => `select from users u join",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template.
      "  deliveries d on d.lane = ${i}.lane, campaigns c where projects.id = c.project_id -- from events",
      '`, write = "insert into email_sends (lane) values (1)", gone = "delete from only goals";',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source of templates.
      "`update segments set a = 1 from ${i} i where a is distinct from settings and ${t.users}.id = 1 and u.events > 0`;",
      "sql`select from users u`; db.selectFrom('users as u').select('users.id'); // from users",
    ].join("\n");
    assert.deepEqual(unmarkedIn("x.ts", source).sort(), [
      "x.ts:1 users",
      "x.ts:2 campaigns",
      "x.ts:2 deliveries",
      "x.ts:2 projects",
      "x.ts:3 email_sends",
      "x.ts:3 goals",
      "x.ts:4 segments",
    ]);
  });
});
