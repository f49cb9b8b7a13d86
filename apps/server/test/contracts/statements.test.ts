import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { houseReader, isSpread, placeOf } from "../../scripts/statements/placed.ts";
import { tables } from "../../src/features.ts";
import { declaredStatements } from "../../src/platform/db/statements/statement.ts";
import { uniqueKeysOfSchema } from "./schema.ts";
import { type SheetStatement, statementsOfSheets } from "./sheets.ts";

/** The functions that send some statements, each once. */
const sendersOf = (statements: readonly SheetStatement[]): string[] =>
  [...new Set(statements.map(named))].sort();

const named = ({ path, caller }: SheetStatement): string => `${path} ${caller}`;
const tablesOf = ({ reads, writes }: SheetStatement): string[] => [...new Set([...reads, ...writes])].sort();

/** Functions that write rows of any lane in a part of a statement, and why. On several machines each of them runs at each. */
const WRITE_ACROSS_LANES: Readonly<Record<string, string>> = {
  "features/counting/rollups/apply-store.ts addDeltas":
    "adds what all lanes have counted to the rollups of a project",
  "features/email/addresses/failing-store.ts countFailures":
    "mail to an address that failed, which is rare, is looked up by its users",
  "features/email/addresses/lift-store.ts liftReceiptsWithin": "the same as liftSuppressedWithin",
  "features/email/addresses/lift-store.ts liftSuppressedWithin":
    "addresses lie by their own lanes, and a person lifts many at once",
  "features/journeys/moving/entry-store.ts makeDue": "users who are at a step of a journey lie in every lane",
  "features/portable/import-store.ts dealCappedCounts": "an import deals the counts of a file to the lanes",
  "features/transactional/forget-store.ts forgetOldData": "the oldest mails of a project lie in every lane",
  "features/users/events/retire-store.ts retireEvents": "the oldest events of a project lie in every lane",
  "features/webhooks/forget-store.ts forgetMessages":
    "messages of a webhook lie in the lanes of what they are about",
  "features/webhooks/sending/lease-store.ts leaseMessages":
    "the same; the order of messages is that of one object, so of one lane",
  "features/webhooks/sending/outcome-store.ts endMessages": "the same",
  "features/webhooks/store.ts replayMessages": "the same",
};

/** Functions that read a table of which there is one beside rows that lie by lane, and why. */
const BESIDE_LOCAL: Readonly<Record<string, string>> = {
  "features/audit/store.ts findNames": "what entries of the audit log name: people are on one machine",
  "features/email/sending/send/outcome-store.ts findLostAttemptsAcrossProjects":
    "whether the process that leased a mail still runs",
  "features/email/transport/mail-catcher-store.ts insertCaughtMail":
    "mail of a demo is caught, and demos are on one machine",
  "features/portable/import-store.ts insertRows":
    "an import keeps the keys that it replaces in a temporary table",
  "features/push/sending/send/outcome-store.ts findLostAttemptsAcrossProjects": "as for mail",
  "features/webhooks/sending/lease-store.ts findLostAcrossProjects": "as for mail",
};

/** Functions that lock rows in no order, and why none is needed. */
const IN_NO_ORDER: Readonly<Record<string, string>> = {
  "features/email/addresses/decide-store.ts lockSuppression": "one address",
  "features/email/addresses/stop-store.ts allowAddress": "one address",
  "features/email/addresses/stop-store.ts suppressAddress": "one address",
  "features/email/transport/mail-catcher-store.ts insertCaughtMail": "one user",
  "features/ingest/observations/store.ts lockDevice": "one device",
  "features/ingest/observations/store.ts lockObservedUser": "one user",
  "features/journeys/moving/entry-store.ts lockInside": "one user, who is inside a journey once",
  "features/users/devices/store.ts lockInstallation": "one device",
  "features/users/profiles/adopt-store.ts lockKnown": "one user",
  "features/users/profiles/adopt-store.ts lockVisitor": "one visitor",
  "features/users/profiles/erase-store.ts lockUser": "one user",
  "features/users/profiles/meet-store.ts keepUser": "one user",
  "features/users/profiles/store.ts identifyUsers": "its first part has locked the same users in order",
  "features/visitors/forget-store.ts isStillGone": "one visitor",
};

const SOURCE = new URL("../../src/", import.meta.url).pathname;
/** What makes a statement, or sends one. */
const SQL =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|executeTakeFirst\w*)\(|\btextQuery[<(]|`\.execute\(|\.query[<(]/;
/** The platform's own: transactions, locks, settings of connections, migrations. */
const WITHOUT_STORE = /^platform\/(?:db\/|checks\.ts$)/;

describe("the sheets of statements", () => {
  it("leave nothing out: only stores send statements", () => {
    const paths = globSync("**/*.ts", { cwd: SOURCE, exclude: ["**/*.{test,test-data}.ts"] });
    const others = paths.filter((path) => !path.endsWith("store.ts") && !WITHOUT_STORE.test(path));
    assert.deepEqual(
      others.filter((path) => SQL.test(readFileSync(join(SOURCE, path), "utf8"))),
      [],
    );
  });

  it("have every statement with what it does", () => {
    assert.ok(statementsOfSheets.length > 600);
    const lost = statementsOfSheets.filter(
      ({ caller, reach, text }) =>
        caller === "" || !/^(?:keys?|(?:all )?lanes?|config|local)$/.test(reach) || text.trim() === "",
    );
    assert.deepEqual(sendersOf(lost), []);
  });

  it("name a writer of every table", () => {
    const written = new Set(statementsOfSheets.flatMap(({ writes }) => writes));
    const unwritten = tables.map(({ name }) => name).filter((name) => !written.has(name));
    assert.deepEqual(
      unwritten,
      ["migrations"],
      "the runner of migrations writes its own, before there are stores",
    );
  });
});

describe("the reach of statements", () => {
  it("is what prepared ones declare", () => {
    const reader = houseReader();
    const wrong = [...declaredStatements()].flatMap(([name, { text, reach }]) => {
      const found = reader.read(text).reach;
      return found === reach ? [] : [`${name} declares ${reach}, and reaches ${found}`];
    });
    assert.deepEqual(wrong, []);
  });

  it("is all lanes for no writing CTE, but where that is argued", () => {
    const found = statementsOfSheets.filter(
      ({ reach, text }) =>
        reach === "all lanes" && /\bas (?:materialized )?\(\s*(?:insert|update|delete)\b/.test(text),
    );
    assert.deepEqual(sendersOf(found), Object.keys(WRITE_ACROSS_LANES).sort());
  });

  it("does not go from lanes to what there is once, but where that is argued", () => {
    const found = statementsOfSheets.filter((statement) => {
      const all = tablesOf(statement);
      return all.some(isSpread) && all.some((table) => placeOf(table) === "local");
    });
    assert.deepEqual(sendersOf(found), Object.keys(BESIDE_LOCAL).sort());
  });
});

describe("rows that a statement locks", () => {
  it("come in the order of a key, or are left out where another has them, so that no two statements wait for each other", () => {
    const keys = Map.groupBy(uniqueKeysOfSchema, ({ table }) => table);
    // An order leaves out columns of which the statement is given the value, and may go on after those of the key.
    const isPartOf = (columns: readonly string[], order: readonly string[]): boolean => {
      const from = columns.indexOf(order[0] ?? "");
      return from >= 0 && columns.slice(from).every((column, n) => (order[n] ?? column) === column);
    };
    const isInOrder = (table: string, order: readonly string[]): boolean =>
      (keys.get(table) ?? []).some(({ columns }) => isPartOf(columns, order));
    const found = statementsOfSheets.filter(({ locks }) =>
      locks.some(
        ({ tables: locked, order, isSkipping }) =>
          !isSkipping && locked.some((table) => isSpread(table) && !isInOrder(table, order)),
      ),
    );
    assert.deepEqual(sendersOf(found), Object.keys(IN_NO_ORDER).sort());
  });
});
