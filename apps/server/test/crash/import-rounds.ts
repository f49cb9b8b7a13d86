import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Answer, createClient } from "@tidings/client";
import pg from "pg";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { keysFrom } from "../commands/spawned.ts";
import { type Brought, type KilledFile, killedEvents, killedUsers } from "./import-file.ts";
import { type Random, randomFrom } from "./random.ts";
import { type CrashServer, createCrashServer, type KillMode } from "./server.ts";

export type ImportCrashOptions = {
  /** Kills of a server while it brings in one file. */
  kills: number;
  lines: number;
  seed: number;
  say: (line: string) => void;
};

export type ImportCrashReport = {
  /** Kills of a server that was bringing in a file. */
  met: Record<KillMode, number>;
  /** What contradicts what was promised, in words. */
  faults: string[];
  differences: number;
};

const DONE_MS = 240_000;
/** A piece takes less than this on most machines. */
const WITHIN_MS = 1_500;

type Import = Answer<"getImport">["import"];
type Server = { server: CrashServer; secretKey: string; projectId: string };

/** What is stored of files, as `KilledFile` expects it. */
async function readBrought({ server, projectId }: Server, kind: KilledFile["kind"]): Promise<Brought> {
  const client = new pg.Client(embeddedAddress(server.dataDir));
  await client.connect();
  const texts = async (sql: string): Promise<string[]> => {
    const { rows } = await client.query<{ text: string }>(sql, [projectId]);
    return rows.map(({ text }) => text).sort((a, b) => (a < b ? -1 : 1));
  };
  try {
    const users = `select concat_ws(' ', external_id, traits ->> 'email', traits ->> 'plan', traits ->> 'seats', first_seen_at) as text
      from users where project_id = $1`;
    const events = `select concat_ws(' ', u.external_id, e.name, e.ts, case when e.event_id like 'e:%' then e.event_id else 'made' end,
        e.props ->> 'amount') as text
      from events e left join users u using (lane, user_key) where e.project_id = $1`;
    const stopped = `select concat_ws(' ', a.address, a.suppressed_by, (
        select count(*) from suppression_changes c
        where c.project_id = a.project_id and c.lane = a.lane and c.address_key = a.address_key
      )) as text
      from email_addresses a where a.project_id = $1 and a.suppressed_at is not null`;
    return {
      users: kind === "users" ? await texts(users) : [],
      events: await texts(events),
      stopped: kind === "users" ? await texts(stopped) : [],
    };
  } finally {
    await client.end();
  }
}

/** The lines whose refusals are kept, and how many users are active. */
async function readRest({ server, projectId }: Server, id: string) {
  const client = new pg.Client(embeddedAddress(server.dataDir));
  await client.connect();
  try {
    const { rows } = await client.query<{ line: number }>(
      "select line::int from import_refusals where project_id = $1 and import_id = $2 order by line, place",
      [projectId, id.slice(id.indexOf("_") + 1)],
    );
    const active = await client.query<{ users: number }>(
      "select count(*)::int as users from active_users where project_id = $1",
      [projectId],
    );
    return { refused: rows.map(({ line }) => line), active: active.rows[0]?.users ?? 0 };
  } finally {
    await client.end();
  }
}

/** Says what is missing of one list, and what is too much. */
function compare(what: string, found: readonly string[], expected: readonly string[]): string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  const [isFound, isExpected] = [new Set(found), new Set(expected)];
  const missing = expected.filter((each) => !isFound.has(each));
  const more = found.filter((each) => !isExpected.has(each));
  return [
    `${what}: ${found.length} of ${expected.length}; missing ${missing.length}, such as "${missing[0]}"; too many ${more.length}, such as "${more[0]}"`,
  ];
}

/** What is not as one file says. */
async function faultsOf(server: Server, file: KilledFile, ended: Import): Promise<string[]> {
  const counts = {
    state: ended.state,
    lines: ended.lines,
    written: ended.written,
    known: ended.known,
    refused: ended.refused,
    bytesRead: ended.bytesRead,
  };
  const wanted = {
    state: "done",
    lines: file.lines,
    written: file.lines - file.refused.length,
    known: 0,
    refused: file.refused.length,
    bytesRead: Buffer.byteLength(file.text),
  };
  const { kind, expected } = file;
  const brought = await readBrought(server, kind);
  const rest = await readRest(server, ended.id);
  return [
    ...(isDeepStrictEqual(counts, wanted)
      ? []
      : [`${kind}: ${JSON.stringify(counts)} and not ${JSON.stringify(wanted)}`]),
    ...compare(`${kind}, users`, brought.users, expected.users),
    ...compare(`${kind}, events`, brought.events, expected.events),
    ...compare(`${kind}, addresses without mail`, brought.stopped, expected.stopped),
    ...compare(`${kind}, refused lines`, rest.refused.map(String), file.refused.map(String)),
    ...(rest.active === 0 ? [] : [`${kind}: ${rest.active} users are active`]),
  ];
}

/** Brings in a file with kills of the server at random instants, after which it goes on by itself, and answers what became of it. */
async function bringKilled(
  { server, secretKey }: Server,
  file: KilledFile,
  random: Random,
  { kills, say, met }: ImportCrashOptions & Pick<ImportCrashReport, "met">,
): Promise<Import> {
  let { url } = await server.start();
  const read = async (id: string): Promise<Import> =>
    (await createClient(url, secretKey).getImport({ path: { id } })).import;
  const api = createClient(url, secretKey);
  const body = { kind: file.kind, name: `${file.kind}.csv`, bytes: Buffer.byteLength(file.text) };
  const { id } = (await api.createImport({ body })).import;
  await api.uploadImportPart({ path: { id, n: 1 }, file: new Blob([file.text]) });
  await api.startImport({ path: { id }, body: {} });
  let lines = 0;
  for (let kill = 0; kill < kills; kill++) {
    let before = await read(id);
    // Most kills come behind a piece that is new since the last one, whose lines must not come again.
    const comesLater = random.chance(0.75);
    for (; comesLater && before.state === "running" && before.lines <= lines; before = await read(id))
      await sleep(20);
    if (before.state !== "running") break;
    await sleep(random.between(0, WITHIN_MS));
    lines = before.lines;
    const mode: KillMode = random.chance(0.6) ? "node" : "node+postgres";
    const first = random.chance(0.5) ? "node" : "postgres";
    await server.kill(mode, { first, gapMs: random.between(0, 20) });
    met[mode]++;
    say(`${file.kind}: killed (${mode}) behind ${before.lines} lines`);
    ({ url } = await server.start());
  }
  let now = await read(id);
  for (
    const until = Date.now() + DONE_MS;
    now.state === "running" && Date.now() < until;
    now = await read(id)
  )
    await sleep(100);
  return now;
}

/** Brings in files of users and of events while the server is killed, and looks for every line of them. */
export async function importCrashRounds(options: ImportCrashOptions): Promise<ImportCrashReport> {
  const { lines, seed, say } = options;
  const random = randomFrom(seed);
  const report: ImportCrashReport = {
    met: { node: 0, "node+postgres": 0 },
    faults: [],
    differences: 0,
  };
  const server = await createCrashServer();
  try {
    await server.start();
    const keys = { server, ...keysFrom(server.lastLog()) };
    await server.stop();
    const now = Date.now();
    for (const file of [killedUsers(lines, now), killedEvents(lines, lines, now)]) {
      const ended = await bringKilled(keys, file, random, { ...options, met: report.met });
      const faults = await faultsOf(keys, file, ended);
      report.faults.push(...faults);
      say(`${file.kind}: ${ended.state}, ${ended.lines} lines, ${faults.length} faults`);
      await server.stop();
    }
    await server.start();
    report.differences = (
      JSON.parse(await server.command("doctor", "--json")) as { differences: number }
    ).differences;
  } finally {
    await server.dispose();
  }
  return report;
}
