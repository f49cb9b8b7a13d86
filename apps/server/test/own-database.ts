import { randomBytes } from "node:crypto";
import { after, before } from "node:test";
import pg from "pg";
import { dropDatabase } from "./drop-database.ts";

type SocketAddress = { host: string; user: string };

/** The environment of a server on an operator's own database. */
export type OwnDatabase = { DATABASE_URL: string; SECRET_KEY: string };

/** Makes empty databases that several processes can serve; they are dropped at the end. Call at the top of a file or a suite. */
export function ownDatabases(): () => Promise<OwnDatabase> {
  const given = JSON.parse(process.env.TIDINGS_TEST_DATABASE ?? "null") as SocketAddress | null;
  const names: string[] = [];
  const admin = new pg.Client({ ...given, database: "postgres" });
  before(() => admin.connect());
  after(async () => {
    for (const name of names) await dropDatabase(admin, name);
    await admin.end();
  });
  return async () => {
    const name = `process_${process.pid}_${names.length}`;
    names.push(name);
    await admin.query(`create database ${name}`);
    return {
      DATABASE_URL: `postgres://${given?.user}:hunter2@${encodeURIComponent(given?.host ?? "")}/${name}`,
      SECRET_KEY: randomBytes(32).toString("base64"),
    };
  };
}
