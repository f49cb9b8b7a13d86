import { createTidings } from "../app.ts";
import { makeEntryToken } from "../features/demo/public.ts";
import { firstLink, personOrigin } from "../features/people/public.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db/db.ts";
import type { Log } from "../platform/log.ts";
import { checkKey, WRONG_KEY } from "../platform/secrets/canary.ts";
import type { Secrets } from "../platform/secrets/secrets.ts";
import { keyLines, knownLines, makeFirstProject } from "./first-project.ts";
import { orListenFault } from "./listening.ts";

const DRAIN_TIMEOUT_MS = 10_000;

type Addresses = { address: string; origin: string; entryToken: string };

function welcome(
  { address, origin, entryToken }: Addresses,
  { demo, isPrivate }: Config,
  projectLines: readonly string[],
): string {
  const lines = [
    `Tidings is running at ${address}`,
    `  Dashboard        ${origin}/app`,
    `  API reference    ${address}/docs`,
  ];
  const token = isPrivate ? `?token=${entryToken}` : "";
  if (demo)
    lines.push(`  Demo shop        ${address}/demo${token}`, `  Demo phone       ${address}/demo/device`);
  if (isPrivate)
    lines.push(
      `  Outbox           ${address}/demo/outbox${token}`,
      "                   (mail of projects without a mail server; for a week, then by a sign-in)",
    );
  return [...lines, ...projectLines].join("\n");
}

/** The way in for the first person. It is printed at every start until a person has used it. */
const linkLines = (link: string): string[] => [
  "",
  "  Open this to make your account. It works once, within a day; the next start prints another:",
  `  ${link}`,
];

/** Warns where the secret key is not the one of before. The server runs nevertheless, because most of it needs no key. */
async function sayOfKey(database: Database, secrets: Secrets, log: Log): Promise<void> {
  if (await checkKey(database.kysely, secrets)) return;
  console.error(WRONG_KEY);
  log.error("the secret key is not the one that this database was used with");
}

type Parts = { config: Config; database: Database; log: Log; secrets: Secrets };

/** Serves, works and looks after campaigns, as the roles say, until a signal; then drains, and closes the database. */
export async function runServer(
  stopRequest: Promise<string>,
  { config, database, log, secrets }: Parts,
): Promise<void> {
  const tidings = createTidings({ config, database, log, secrets });
  try {
    await sayOfKey(database, secrets, log);
    if (config.roles.includes("worker")) await tidings.startWorker();
    if (config.roles.includes("api")) {
      // First the address, then the project: a process that cannot listen must not make keys that it never shows.
      const address = await orListenFault(config, tidings.listen());
      const first = await makeFirstProject(database, config);
      const lines = first === null ? await knownLines(database) : keyLines(first);
      const origin = personOrigin(tidings.app.publicUrl(), config);
      const link = await firstLink(database.kysely, origin, tidings.app.clock());
      console.log(
        welcome(
          { address, origin, entryToken: makeEntryToken(secrets, tidings.app.clock()) },
          config,
          link === null ? lines : [...lines, ...linkLines(link)],
        ),
      );
    } else log.info({ roles: config.roles }, "working jobs");
    if (config.roles.includes("agent")) await tidings.startAgent();
    const signal = await stopRequest;
    log.info({ signal }, "stopping");
    // A part that hangs must not keep the process longer than its supervisor waits.
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
  } finally {
    await tidings.close();
  }
}
