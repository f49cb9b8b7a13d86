/**
 * The rooms as `src/features.ts` lists them, for what is derived from that list. The file is read and not run: while an arrow makes a
 * circle, the rooms may not even load, and the arrows should say so.
 */
import { readFileSync } from "node:fs";
import ts from "typescript";

const FEATURES = new URL("../src/features.ts", import.meta.url).pathname;

/** The rooms that a file imports, each by the name that it has there. */
function importedRooms(source: ts.SourceFile): ReadonlyMap<string, string> {
  const rooms = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const [, room] = /^\.\/features\/(.+)\/index\.ts$/.exec(statement.moduleSpecifier.text) ?? [];
    const names = statement.importClause?.namedBindings;
    if (room === undefined || names === undefined || !ts.isNamedImports(names)) continue;
    for (const { name } of names.elements) rooms.set(name.text, room);
  }
  return rooms;
}

/** The value of a constant of a file, which is a list. */
function listCalled(name: string, source: ts.SourceFile): ts.ArrayLiteralExpression {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const declared of statement.declarationList.declarations) {
      const { initializer } = declared;
      if (declared.name.getText(source) !== name || initializer === undefined) continue;
      if (ts.isArrayLiteralExpression(initializer)) return initializer;
    }
  }
  throw new Error(`features.ts has no list called ${name}.`);
}

/** The rooms, from the ground up: a list of folders for each step. @throws Error where the list has something else than rooms */
export function readSteps(): string[][] {
  const source = ts.createSourceFile(FEATURES, readFileSync(FEATURES, "utf8"), ts.ScriptTarget.Latest);
  const rooms = importedRooms(source);
  return listCalled("staircase", source).elements.map((step) => {
    if (!ts.isArrayLiteralExpression(step))
      throw new Error("Each step of the staircase in features.ts is a list of rooms.");
    return step.elements.map((element) => {
      const name = element.getText(source);
      const room = rooms.get(name);
      if (room === undefined)
        throw new Error(
          `The staircase in features.ts lists ${name}: import it from the index.ts of its room, ./features/<room>/index.ts.`,
        );
      return room;
    });
  });
}

/** A step as ARCHITECTURE.md shows it: rooms of one wing are in parentheses behind its name. */
function stepText(rooms: readonly string[]): string {
  const wings = new Map<string, string[]>();
  for (const path of rooms) {
    const [wing = "", room] = path.split("/");
    wings.set(wing, [...(wings.get(wing) ?? []), ...(room === undefined ? [] : [room])]);
  }
  return [...wings]
    .map(([wing, inside]) => (inside.length === 0 ? wing : `${wing} (${inside.join(", ")})`))
    .join(" · ");
}

/** The staircase as ARCHITECTURE.md shows it, the highest step first. */
export const staircaseText = (steps: readonly (readonly string[])[]): string =>
  steps
    .toReversed()
    .map((rooms) => ` ${stepText(rooms)}\n`)
    .join("");
