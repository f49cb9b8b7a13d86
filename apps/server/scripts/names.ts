/**
 * `npm run check:names`: fails where a name is exported by three files or more, so that a search for it finds several meanings.
 * Such a name gets the noun of its room: `CredentialVerdict`. The list below has the names of conventions, each with one meaning.
 */
import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import ts from "typescript";

/** The names that many files export, and what each of them always means. */
const CONVENTIONS: ReadonlyMap<string, string> = new Map([
  ["tables", "what a room declares of its tables, in its tables.pure.ts"],
  ["words", "the texts of a feature of the dashboard, in its words.ts"],
  ["places", "what the palette finds of a feature of the dashboard, in its places.ts"],
]);

/** As many files as may export the same name: the operation and the store's function for it, or a thing at both ends of the API. */
const MOST_FILES = 2;

const ROOT = new URL("../../../", import.meta.url).pathname;
const SOURCES = ["apps/server/src/**/*.ts", "apps/dashboard/src/**/*.{ts,tsx}", "packages/*/src/**/*.ts"];

/** The names that a pattern or a declaration binds. */
const boundNames = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((each) => (ts.isBindingElement(each) ? boundNames(each.name) : []));

/** The names that an `export { … }` gives: those that it passes on from another file under the same name count there. */
function namesOfList({ exportClause, moduleSpecifier }: ts.ExportDeclaration): string[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements
    .filter(({ propertyName }) => moduleSpecifier === undefined || propertyName !== undefined)
    .map(({ name }) => name.text);
}

/** The names that a statement gives to what it exports. */
function exportedNames(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) return namesOfList(statement);
  if (!ts.canHaveModifiers(statement)) return [];
  const isExported = ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (isExported !== true) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  if (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  )
    return statement.name === undefined ? [] : [statement.name.text];
  return [];
}

const filesByName = new Map<string, Set<string>>();
const paths = globSync(SOURCES, { cwd: ROOT })
  .filter((path) => !path.includes("/generated/") && !/\.test(-data)?\.tsx?$/.test(path))
  .sort();
for (const path of paths) {
  const source = ts.createSourceFile(path, readFileSync(`${ROOT}${path}`, "utf8"), ts.ScriptTarget.Latest);
  for (const name of source.statements.flatMap(exportedNames))
    filesByName.set(name, (filesByName.get(name) ?? new Set()).add(path));
}

const ambiguous = [...filesByName].filter(
  ([name, files]) => files.size > MOST_FILES && !CONVENTIONS.has(name),
);
for (const [name, files] of ambiguous) {
  console.error(`${name} is exported by ${files.size} files:`);
  for (const path of files) console.error(`  ${relative(process.cwd(), `${ROOT}${path}`)}`);
}
/** A name whose convention is over must not keep its place in the list. */
const unneeded = [...CONVENTIONS.keys()].filter((name) => (filesByName.get(name)?.size ?? 0) <= MOST_FILES);
for (const name of unneeded)
  console.error(`${name} stands among the conventions, and is exported by ${MOST_FILES} files at most.`);
if (ambiguous.length > 0)
  console.error(
    `${ambiguous.length} names have too many meanings: name each thing with the noun of its room.`,
  );
if (ambiguous.length + unneeded.length > 0) process.exitCode = 1;
