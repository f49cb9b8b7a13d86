import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import ts from "typescript";
import { tables } from "../../src/features.ts";

const SOURCE = new URL("../../src/", import.meta.url).pathname;

/** Whether the plain strings of a file may be SQL: every store of a feature may have such, and what builds on statements or pieces. */
const mayBeText = (path: string, source: string): boolean =>
  !path.startsWith("platform/") &&
  (path.endsWith("store.ts") || /\/(?:statement|fragment|sql-text|table-names)\.ts"/.test(source));

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

const isOfKysely = (literal: ts.Node): boolean =>
  ts.isTaggedTemplateExpression(literal.parent) && literal.parent.tag.getText() === "sql";

/** Tables that a source names without their mark, as `path:line table`. What a builder of Kysely is given is left out. */
function unmarkedIn(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const isText = mayBeText(path, source);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const literal = literalOf(node);
    if (literal !== null && (isText || isOfKysely(literal))) {
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

describe("the tables in SQL", () => {
  it("are named through their marks (platform/db/statements/table-names.ts)", () => {
    const unmarked = globSync("**/*.ts", {
      cwd: SOURCE,
      exclude: ["**/*.{test,test-data}.ts", "**/generated/**"],
    }).flatMap((path) => unmarkedIn(path, readFileSync(join(SOURCE, path), "utf8")));
    assert.deepEqual(unmarked, []);
  });

  it("are seen in every place of a statement, with their lines", () => {
    const source = [
      "const read = (i) => `select from users u join",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source of a template.
      "  deliveries d on d.lane = ${i}.lane, campaigns c where projects.id = c.project_id -- from events",
      '`, write = "insert into email_sends (lane) values (1)", gone = "delete from only goals";',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source of templates.
      "`update segments set a = 1 from ${i} i where a is distinct from settings and ${t.users}.id = 1 and u.events > 0`;",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source of templates.
      "sql`select from ${t.goals} g join media m on ${own} where variants.id = ${id}`; sql<Row>`update coverage set a = 1`;",
      "db.selectFrom('users as u').select('users.id'); // from users",
    ].join("\n");
    const ofKysely = ["5 coverage", "5 media", "5 variants"];
    const all = [
      "1 users",
      "2 campaigns",
      "2 deliveries",
      "2 projects",
      "3 email_sends",
      "3 goals",
      "4 segments",
      ...ofKysely,
    ];
    assert.deepEqual(
      unmarkedIn("store.ts", source).sort(),
      all.map((place) => `store.ts:${place}`),
    );
    // Where plain strings are no SQL, the tag is looked at alone.
    assert.deepEqual(
      unmarkedIn("rules.ts", source).sort(),
      ofKysely.map((place) => `rules.ts:${place}`),
    );
  });
});
