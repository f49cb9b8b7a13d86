/**
 * `npm run check:words`: fails where a name, a comment or the name of a file uses a word that has another one in docs/glossary.md. What
 * the database calls a table or a column keeps its name. With folders behind it, it reads those alone: `npm run check:words -- features/push`.
 */
import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import ts from "typescript";

/** Words, where they are not used, and what is said instead. */
type Rule = { words: string; say: string; in: readonly Place[] };
type Place = "names" | "comments";

const EVERYWHERE = ["names", "comments"] as const;
const RULES: readonly Rule[] = [
  {
    words: "hold holds held holding",
    say: "lock, in flight, deferred, owns, keeps, contains",
    in: EVERYWHERE,
  },
  { words: "note notes noted", say: "delta, heartbeat, mark, hint", in: EVERYWHERE },
  { words: "notice notices", say: "warning, push content", in: ["names"] },
  { words: "settle settles settled settling", say: "record, reap, resolve, refund, finish", in: EVERYWHERE },
  { words: "fold folds folded", say: "apply", in: ["names"] },
  { words: "told heard wish wishes", say: "input, reported, request", in: EVERYWHERE },
  { words: "said asked", say: "reported, requested, or the noun itself", in: ["names"] },
  { words: "moment moments", say: "event (of a delivery), instant", in: ["names"] },
  { words: "touch touches touched", say: "hit", in: EVERYWHERE },
  { words: "trap traps", say: "honeypot", in: EVERYWHERE },
  { words: "machine machines", say: "bot, computer, state machine", in: ["names"] },
  { words: "pen pens", say: "renderer", in: EVERYWHERE },
  { words: "letter letters", say: "compiled email", in: ["names"] },
  { words: "marks", say: "placeholders", in: ["names"] },
  { words: "presence silent struck", say: "heartbeat, stale, evicted", in: ["names"] },
  { words: "recheck rechecks rechecked", say: "re-evaluation, reevaluate", in: EVERYWHERE },
  { words: "wording wordings", say: "content revision", in: EVERYWHERE },
  { words: "ghost ghosts", say: "anonymised user", in: EVERYWHERE },
  { words: "outbox", say: "mail catcher", in: ["names"] },
  {
    words: "nobody somebody whoever",
    say: "the user, process, caller or command that is meant",
    in: EVERYWHERE,
  },
  { words: "who", say: "the user, process, caller or command that is meant", in: ["names"] },
];

/** Two words that are riddles together, in names, and a sentence whose subject is "who". */
const PHRASES: readonly { phrase: RegExp; say: string; in: Place }[] = [
  { phrase: /\btakes? back\b|\blets? go\b|\blet in\b/, say: "revert, release, refund, admit", in: "names" },
  { phrase: /\bgives? back\b/, say: "release, refund", in: "names" },
  { phrase: /(?:^|[.:;!?]\s+|\*\s+|\/\/\s+)Who\s/, say: "begin with the noun that is meant", in: "comments" },
];

/** Names of the API, and English in which a word has its plain meaning. */
const LEFT_ALONE = new Set(["leaseHeld", "note", "pen", "recheckAt"]);

/** Values of the API that objects have as keys, with what is shown for each. */
const KEYS_LEFT_ALONE = new Set(["outbox"]);

/** Names of options of libraries, which calls of them have to write, in the files that import them. */
const OF_LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  "@mantine/core": ["touch"],
  "playwright-core": ["automaticPresenceSimulation", "hasTouch"],
};

const ROOT = new URL("../../../", import.meta.url).pathname;
const SOURCES = [
  ".dependency-cruiser.cjs",
  "apps/*/{src,test,scripts,bin}/**/*.{ts,tsx,js,mjs}",
  "packages/*/{src,scripts}/**/*.ts",
  "bench/**/*.ts",
  "e2e/**/*.ts",
];

const rules = new Map(RULES.flatMap((rule) => rule.words.split(" ").map((word) => [word, rule] as const)));

/** `lastTouchedAt` -> `last touched at`. */
const spelled = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();

/** Names of tables and columns, as code and SQL spell them. */
function namesOfTheDatabase(): Set<string> {
  const path = `${ROOT}apps/server/src/platform/db/generated/tables.ts`;
  const names = new Set<string>();
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isPropertySignature(node) && ts.isIdentifier(node.name)) {
      names.add(node.name.text);
      names.add(spelled(node.name.text).replaceAll(" ", "_"));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

type Found = { line: number; text: string; say: string };

/** Terms of the field that contain a word of the list. */
const TERMS = /\bh(?:old|olds|eld|olding)(?: \w+)? out\b/g;

/** What a text says with a word of the list. */
function faultsOf(text: string, place: Place): { text: string; say: string }[] {
  const words = (
    text
      .toLowerCase()
      .replaceAll(TERMS, "")
      .match(/[a-z]+/g) ?? []
  ).flatMap((word) => {
    const rule = rules.get(word);
    return rule?.in.includes(place) ? [{ text: word, say: rule.say }] : [];
  });
  const phrases = PHRASES.flatMap(({ phrase, say, in: where }) => {
    const [match] = where === place ? (phrase.exec(text) ?? []) : [];
    return match === undefined ? [] : [{ text: match.trim(), say }];
  });
  return [...words, ...phrases];
}

/** The modules that a file imports. */
const importedModules = (source: ts.SourceFile): string[] =>
  source.statements.flatMap((statement) =>
    ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)
      ? [statement.moduleSpecifier.text]
      : [],
  );

/** Whether a name is declared where it stands. A name that is only used there is reported at its declaration, or is not of this repository. */
function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node;
  if (!("name" in parent) || parent.name !== node) return false;
  if (ts.isPropertyAccessExpression(parent) || ts.isJsxAttribute(parent) || ts.isMetaProperty(parent))
    return false;
  return !(ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) || parent.propertyName !== undefined;
}

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteral(node) ||
  ts.isTemplateLiteralToken(node) ||
  ts.isRegularExpressionLiteral(node) ||
  ts.isJsxText(node);

/** A text of the same length, with nothing to read in it. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

/** Every name that a file declares, every comment of it, and the name of itself, that uses a word of the list. */
function readFile(path: string, exempt: ReadonlySet<string>): Found[] {
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const ofLibraries = new Set(importedModules(source).flatMap((module) => OF_LIBRARIES[module] ?? []));
  const isExempt = (node: ts.Identifier): boolean =>
    exempt.has(node.text) ||
    ofLibraries.has(node.text) ||
    (ts.isPropertyAssignment(node.parent) && KEYS_LEFT_ALONE.has(node.text));
  const add = (position: number, faults: readonly { text: string; say: string }[], shown?: string): void => {
    const line = source.getLineAndCharacterOfPosition(position).line + 1;
    for (const each of faults) found.push({ line, text: shown ?? each.text, say: each.say });
  };
  const place = relative(ROOT, path);
  add(0, faultsOf(spelled(place), "names"), place);
  let withoutTexts = "";
  const visit = (node: ts.Node): void => {
    // What older files call a table or a column cannot be called otherwise any more.
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === "formerly") return;
    if (ts.isIdentifier(node) && isDeclared(node) && !isExempt(node))
      add(node.getStart(), faultsOf(spelled(node.text), "names"), node.text);
    if (isText(node)) {
      const start = ts.isJsxText(node) ? node.pos : node.getStart();
      withoutTexts += text.slice(withoutTexts.length, start) + blank(text.slice(start, node.end));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  withoutTexts += text.slice(withoutTexts.length);
  for (const comment of withoutTexts.matchAll(/\/\*.*?\*\/|\/\/[^\n]*/gs)) {
    // What stands in backticks, or is written as the database writes it, is a name and not a word.
    const prose = comment[0].replaceAll(/`[^`]*`/g, blank).replaceAll(/\w+_\w+/g, blank);
    let position = comment.index;
    for (const line of prose.split("\n")) {
      add(position, faultsOf(line, "comments"));
      position += line.length + 1;
    }
  }
  return found;
}

const parts = process.argv.slice(2);
const exempt = new Set([...LEFT_ALONE, ...namesOfTheDatabase()]);
const paths = globSync(SOURCES, { cwd: ROOT })
  .filter((path) => !path.includes("/generated/"))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .sort();
let count = 0;
for (const path of paths)
  for (const { line, text, say } of readFile(`${ROOT}${path}`, exempt)) {
    count += 1;
    console.error(`${relative(process.cwd(), `${ROOT}${path}`)}:${line}  ${text}  say: ${say}`);
  }
if (count > 0) {
  console.error(`${count} names and comments use a word that has another one: see docs/glossary.md.`);
  process.exitCode = 1;
}
