/** Test files that are slow by nature: they kill processes, play random rounds, wait, or draw whole pages. */
export type SlowFiles = {
  /** How their paths begin. */
  files: string;
  /** What makes them slow. */
  why: string;
  /** What `npm test` has in their place where nothing that they stand on has changed. */
  instead: string;
  /** Whether `npm test` plays a few of their rounds then; all others it leaves out. */
  isBrief?: true;
};

const BRIEF = "a few of its rounds";
const FEATURES = "apps/server/src/features/";
const TEST = "apps/server/test/";
const COMMANDS = `${TEST}commands/`;
const PROCESS = "each test starts processes of its own";
const PAGES = "a browser draws whole pages, in several widths and colours";
const ONE_PAGE = "dashboard.test.ts, and the rules of pages in apps/dashboard/test";

/**
 * The second tier: `npm test` runs one of these wholly where what it stands on has changed since it was green last (`test/green.json`), and
 * `npm run test:long` all of them, always.
 */
export const SLOW: readonly SlowFiles[] = [
  { files: `${TEST}crash/crash.test.ts`, why: "kills servers under load", instead: BRIEF, isBrief: true },
  {
    files: `${TEST}crash/imports.test.ts`,
    why: "kills servers while they bring in files",
    instead: BRIEF,
    isBrief: true,
  },
  {
    files: `${TEST}crash/intake.test.ts`,
    why: "kills servers that libraries send to",
    instead: BRIEF,
    isBrief: true,
  },
  {
    files: `${TEST}crash/visitors.test.ts`,
    why: "kills servers to which visitors sign in",
    instead: BRIEF,
    isBrief: true,
  },
  {
    files: `${TEST}crash/syncs.test.ts`,
    why: "kills servers while they write files",
    instead: BRIEF,
    isBrief: true,
  },
  {
    files: `${TEST}crash/receipts.test.ts`,
    why: "kills servers while receipts are requested",
    instead: BRIEF,
    isBrief: true,
  },
  {
    files: `${TEST}crash/journeys.test.ts`,
    why: "kills servers while users go through a journey",
    instead: BRIEF,
    isBrief: true,
  },
  { files: `${TEST}crash/`, why: "kills servers while they send", instead: "crash.test.ts" },
  {
    files: `${TEST}faults/`,
    why: "stops and cuts off databases and servers for seconds",
    instead: "the tests of platform/db, and closing.test.ts",
  },
  {
    files: `${TEST}agent-runner/`,
    why: "kills and cuts off runners",
    instead: "runner.test.ts of agent/runner, cut-drafts.test.ts",
  },
  { files: `${TEST}launches/`, why: "kills servers that launch", instead: "launch.test.ts" },
  { files: `${TEST}agent-model.test.ts`, why: "plays random rounds", instead: BRIEF, isBrief: true },
  {
    files: `${TEST}shared-budgets.test.ts`,
    why: "several processes share what may be asked for in a minute",
    instead: BRIEF,
    isBrief: true,
  },
  {
    files: `${TEST}idempotency-processes.test.ts`,
    why: "kills processes in the middle of a write",
    instead: BRIEF,
    isBrief: true,
  },
  { files: `${TEST}upgrade`, why: "upgrades servers with old data", instead: "migrate.test.ts" },
  { files: `${TEST}runner/interrupt`, why: "starts whole runs of tests", instead: "the run itself" },
  { files: `${TEST}runner/suite`, why: "starts workers that fail and hang", instead: "the run itself" },
  { files: `${TEST}doctor/`, why: "damages each row that the doctor knows", instead: BRIEF, isBrief: true },
  { files: `${TEST}cost/`, why: "sends the most expensive requests", instead: BRIEF, isBrief: true },
  { files: `${COMMANDS}agent`, why: PROCESS, instead: "runner.test.ts of agent/runner" },
  { files: `${COMMANDS}approvals`, why: PROCESS, instead: "approvals.test.ts" },
  { files: `${COMMANDS}backup`, why: PROCESS, instead: "backup-loop.test.ts of features/backups" },
  { files: `${COMMANDS}copied-folder`, why: PROCESS, instead: "processes.test.ts" },
  { files: `${COMMANDS}database`, why: PROCESS, instead: "migrate.test.ts, and every run" },
  { files: `${COMMANDS}demo`, why: PROCESS, instead: "tests of features/demo" },
  { files: `${COMMANDS}doctor`, why: PROCESS, instead: "doctor.test.ts, in a house" },
  { files: `${COMMANDS}email-domain`, why: PROCESS, instead: "tests of email/addresses" },
  { files: `${COMMANDS}export-import`, why: PROCESS, instead: "portable.test.ts" },
  { files: `${COMMANDS}identity`, why: PROCESS, instead: "perimeter.test.ts" },
  { files: `${COMMANDS}launch`, why: PROCESS, instead: "launch.test.ts" },
  { files: `${COMMANDS}move`, why: PROCESS, instead: "moving.test.ts of platform/db" },
  { files: `${COMMANDS}serve`, why: PROCESS, instead: "environment.test.ts" },
  { files: `${TEST}docs/agent`, why: "a page that starts servers", instead: "runner.test.ts" },
  { files: `${TEST}docs/drafts`, why: "a page that starts servers", instead: "drafting.test.ts" },
  { files: `${TEST}docs/email`, why: "a page that starts servers", instead: "commands/email.test.ts" },
  { files: `${TEST}docs/import`, why: "a page that starts servers", instead: "imports.test.ts" },
  { files: `${TEST}docs/launch`, why: "a page that starts servers", instead: "launch.test.ts" },
  { files: `${TEST}docs/receipts`, why: "a page that starts servers", instead: "tests of transactional" },
  { files: `${FEATURES}demo/month/`, why: "plays a whole month", instead: "tests of what it plays" },
  ...["histories", "hostile", "reverts"].map((tests) => ({
    files: `${FEATURES}sources/git/judging/${tests}`,
    why: "makes many histories of a repository, with a process for each commit",
    instead: "proof.test.ts, claims.pure.test.ts",
  })),
  {
    files: `${FEATURES}push/sending/send/outcomes`,
    why: "waits for slow providers",
    instead: "sending.test.ts",
  },
  {
    files: `${FEATURES}counting/rollups/pieces`,
    why: "counts large tables in pieces",
    instead: "rollups.test.ts",
  },
  { files: `${FEATURES}syncs/parts`, why: "writes large files", instead: "exactly-once.test.ts" },
  { files: `${FEATURES}erasure/races`, why: "plays random rounds", instead: "erasure.test.ts" },
  {
    files: `${FEATURES}ingest/observations/races`,
    why: "plays random rounds",
    instead: "observations.test.ts",
  },
  { files: `${FEATURES}push/sending/send/races`, why: "plays random rounds", instead: "sending.test.ts" },
  {
    files: "apps/server/src/platform/db/embedded/",
    why: "makes data folders anew, and starts a PostgreSQL in each",
    instead: "every run, which starts one",
  },
  { files: "e2e/dashboard-", why: PAGES, instead: ONE_PAGE },
  { files: "e2e/covered", why: "waits for what a page covers", instead: "presentation.test.ts" },
  { files: "e2e/demo", why: PAGES, instead: "tests of features/demo" },
  { files: "e2e/experiment", why: PAGES, instead: "experiment.test.ts of features/demo" },
  { files: "e2e/mail-catcher", why: PAGES, instead: "mail.test.ts" },
  { files: "e2e/phone", why: PAGES, instead: "tests of features/demo and of push" },
];
