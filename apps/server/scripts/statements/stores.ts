import { globSync } from "node:fs";
import { relative } from "node:path";
import ts from "typescript";
import { declaredStatements } from "../../src/platform/db/statements/statement.ts";
import { Arguments } from "./arguments.ts";
import { type Place, Recorder } from "./recorder.ts";

/**
 * A statement that a store sends from one of its lines: one text, or several where arguments decide about it. `names`: under which it is
 * prepared.
 */
export type Sent = { line: number; names: readonly string[]; texts: readonly string[] };

/** A function of a store, with all that it sends. `path` begins at the sources: `features/web/feed-store.ts`. */
export type Sender = { path: string; caller: string; sent: readonly Sent[] };

/** A sender while its statements are found. */
type Found = Pick<Sender, "path" | "caller"> & {
  sent: { line: number; names: string[]; texts: string[] }[];
};

type Signatures = readonly ts.Signature[];

/** A function of a store that sends statements once these calls are made: its own, or also those of what it answers. */
type StoreFunction = {
  path: string;
  name: string;
  line: number;
  run: (...given: unknown[]) => unknown;
  calls: Signatures;
};

const ROOT = new URL("../../../../", import.meta.url).pathname;
const SOURCES = new URL("../../src/", import.meta.url).pathname;
const DATABASES: ReadonlySet<string> = new Set(["Kysely", "Transaction", "Pool", "PoolClient", "Client"]);
/** Functions that send what they are called on, or given. */
const SENDING = /^(?:execute|executeTakeFirst|executeTakeFirstOrThrow|textQuery|query|stream)$/;

/** Functions whose statement is not reached so, and why. */
const UNREACHED: ReadonlyMap<string, string> = new Map([
  ["features/runs/store.ts findVariantNames", "it looks for ids within the JSON of a run"],
]);

/** So deep within its arguments a function may be given its database: `scope.question.db`. */
const DEEPEST = 2;

/** Whether a type is a database, or has one in its fields. */
function hasDatabase(checker: ts.TypeChecker, type: ts.Type, depth = 0): boolean {
  if (type.isUnion()) return type.types.some((each) => hasDatabase(checker, each, depth));
  if (DATABASES.has(type.getSymbol()?.name ?? "")) return true;
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  if (depth >= DEEPEST || !isObject) return false;
  const fields = checker.getPropertiesOfType(type);
  return fields.some((field) => hasDatabase(checker, checker.getTypeOfSymbol(field), depth + 1));
}

/** The calls after which a function has sent its statements; none where it sends nothing. */
function callsOf(checker: ts.TypeChecker, type: ts.Type): ts.Signature[] {
  const [signature] = type.getCallSignatures();
  if (signature === undefined) return [];
  if (signature.parameters.some((each) => hasDatabase(checker, checker.getTypeOfSymbol(each))))
    return [signature];
  const made = callsOf(checker, signature.getReturnType());
  return made.length === 0 ? [] : [signature, ...made];
}

const lineAt = (file: ts.SourceFile, position: number): number =>
  file.getLineAndCharacterOfPosition(position).line + 1;

/** The name of what a statement of a module declares. */
function declaredName(declaration: ts.Statement): string | undefined {
  if (ts.isFunctionDeclaration(declaration) || ts.isClassDeclaration(declaration))
    return declaration.name?.text;
  return ts.isVariableStatement(declaration)
    ? declaration.declarationList.declarations[0]?.name.getText()
    : undefined;
}

/** The function of a module in which a line lies. */
const functionAt = (file: ts.SourceFile, line: number): string =>
  file.statements
    .filter((each) => lineAt(file, each.getStart()) <= line && line <= lineAt(file, each.getEnd()))
    .map(declaredName)
    .find((name) => name !== undefined) ?? "";

/** The lines of a module that send statements. */
function sendingLines(file: ts.SourceFile): number[] {
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { expression } = node;
      const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      const isTransaction = /transaction\(\)\s*(?:\.setIsolationLevel\(.*\)\s*)?\.execute$/.test(
        expression.getText(),
      );
      if (SENDING.test(name.getText()) && !isTransaction) lines.push(lineAt(file, name.getStart()));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lines;
}

/** How many statements of a call are answered with a row, and those after them with none: a store goes another way in each case. */
const ANSWERS: readonly number[] = [Number.POSITIVE_INFINITY, 0, 1, 2];

/** The stores, and what TypeScript knows of them. */
class Stores {
  readonly files: ReadonlyMap<string, ts.SourceFile>;
  readonly checker: ts.TypeChecker;

  constructor() {
    const paths = globSync(`${SOURCES}**/*store.ts`).sort();
    const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
    const program = ts.createProgram(paths, ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options);
    this.files = new Map(
      paths
        .flatMap((path) => [[relative(SOURCES, path), program.getSourceFile(path)] as const])
        .filter((entry): entry is [string, ts.SourceFile] => entry[1] !== undefined),
    );
    this.checker = program.getTypeChecker();
  }

  /** All functions that take a database. */
  async *functions(): AsyncGenerator<StoreFunction> {
    for (const [path, file] of this.files) {
      const symbol = this.checker.getSymbolAtLocation(file);
      if (symbol === undefined) continue;
      const module = (await import(`${SOURCES}${path}`)) as Readonly<Record<string, unknown>>;
      for (const exported of this.checker.getExportsOfModule(symbol)) {
        const run = module[exported.name];
        const calls = callsOf(this.checker, this.checker.getTypeOfSymbol(exported));
        if (typeof run !== "function" || calls.length === 0) continue;
        const line = lineAt(file, exported.valueDeclaration?.getStart() ?? 0);
        // What TypeScript knows as a function can be called.
        yield { path, name: exported.name, line, run: run as StoreFunction["run"], calls };
      }
    }
  }
}

/** Calls a function, then what it answers, and so on; reads what the last one answers to its end. */
async function callInTurn(run: StoreFunction["run"], lists: readonly unknown[][]): Promise<void> {
  let answer: unknown = run;
  for (const list of lists) answer = typeof answer === "function" ? await answer(...list) : undefined;
  // The type of what can be looped over.
  if (answer instanceof Object && Symbol.asyncIterator in answer)
    for await (const _ of answer as AsyncIterable<unknown>);
}

/**
 * All statements of the stores. Every function that takes a database is called with arguments that its types allow, on a database that writes
 * down what it is sent.
 * @returns the statements in the order of the files; and places that send what was not sent so
 */
export async function statementsOfStores(): Promise<{ senders: Sender[]; missing: string[] }> {
  const stores = new Stores();
  const recorder = new Recorder();
  const given = new Arguments(stores.checker, recorder);
  const senders = new Map<string, Found>();
  const seen = new Set<string>();
  const names = new Set<string>();
  const add = ({ path, line }: Place, caller: string, name: string | null, text: string): void => {
    seen.add(`${path}:${line}`);
    if (name !== null) names.add(name);
    const key = `${path} ${caller}`;
    const sender: Found = senders.get(key) ?? { path, caller, sent: [] };
    senders.set(key, sender);
    if (sender.sent.some(({ texts }) => texts.includes(text))) return;
    let statement = sender.sent.find((each) => each.line === line);
    if (statement === undefined) {
      statement = { line, names: [], texts: [] };
      sender.sent.push(statement);
    }
    statement.texts.push(text);
    if (name !== null && !statement.names.includes(name)) statement.names.push(name);
  };
  for await (const { path, name: exported, line, run, calls } of stores.functions())
    for (const lists of given.variantsOf(exported, calls))
      for (const answers of ANSWERS)
        for (const { text, name, place } of await recorder.during(answers, () => callInTurn(run, lists))) {
          const file = place === null ? undefined : stores.files.get(place.path);
          if (place === null || file === undefined) add({ path, line }, exported, name, text);
          else add(place, functionAt(file, place.line), name, text);
        }
  const all = [...senders.values()];
  const missing = [...declaredStatements().keys()].filter((name) => !names.has(name));
  for (const [path, file] of stores.files)
    for (const line of sendingLines(file)) {
      const name = `${path} ${functionAt(file, line)}`;
      if (!seen.has(`${path}:${line}`) && !UNREACHED.has(name)) missing.push(`${name}, line ${line}`);
    }
  for (const { sent } of all) sent.sort((a, b) => a.line - b.line);
  const lineOf = ({ sent }: Sender): number => sent[0]?.line ?? 0;
  all.sort((a, b) => (a.path === b.path ? lineOf(a) - lineOf(b) : a.path < b.path ? -1 : 1));
  return { senders: all, missing };
}
