import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import { join } from "node:path";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { cpuMs } from "./cpu.ts";
import { leftOpen } from "./left-open.ts";
import { takeOutside } from "./outside.ts";
import { type Counts, type Failure, NO_TESTS, type Outcome } from "./protocol.ts";

type Progress = (type: "began" | "ended", test: string) => void;

/** What Node says of a test beyond its published types. */
type Tested = {
  name: string;
  nesting: number;
  testId?: number;
  parentId?: number;
  skip?: string | boolean;
  details?: { type?: string; error?: Error & { failureType?: string } };
};

/** The root of a file ends when all its tests and its last hook have ended; Node says so on this channel. */
const ENDED = "tracing:node.test:end";
/** What Node says of the whole run at the end of a file; the runner counts by itself. */
const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** A file whose tests were all filtered out ends at once, one without any tests never does. */
const EMPTY_FILE_MS = 1_000;

/** The first line of what went wrong. */
const reasonOf = (error: unknown): string => {
  const { cause = error } = error as { cause?: unknown };
  return String((cause as Error | undefined)?.message ?? cause).split("\n")[0] ?? "";
};

/** Follows the events of a file: counts, failures by their full names, and which tests are under way. */
function createFollower(progress: Progress) {
  const underWay = new Set<string>();
  const names = new Map<number, string>();
  const counts: Counts = { ...NO_TESTS };
  const failures: Failure[] = [];
  const nameOf = ({ name, testId, parentId }: Tested): string => {
    const above = parentId === undefined ? undefined : names.get(parentId);
    const full = above === undefined ? name : `${above} > ${name}`;
    if (testId !== undefined) names.set(testId, full);
    return full;
  };
  const follow = ({ type, data }: TestEvent): void => {
    const tested = data as unknown as Tested;
    if (type === "test:enqueue") nameOf(tested);
    if (type === "test:dequeue") {
      underWay.add(nameOf(tested));
      progress("began", nameOf(tested));
    }
    if (type === "test:complete") {
      underWay.delete(nameOf(tested));
      progress("ended", nameOf(tested));
    }
    if (type !== "test:pass" && type !== "test:fail") return;
    const { error, type: kind } = tested.details ?? {};
    if (type === "test:fail" && error?.failureType !== "subtestsFailed")
      failures.push({ test: nameOf(tested), reason: reasonOf(error) });
    if (kind === "suite") return;
    counts.tests++;
    if (type === "test:fail") counts.failed++;
    else if (tested.skip !== undefined) counts.skipped++;
    else counts.passed++;
  };
  const fail = (error: unknown): void => {
    const during = [...underWay].at(-1) ?? "no test";
    const stack = String((error as Error | undefined)?.stack ?? error);
    failures.push({ test: "outside of its tests", reason: `${stack}\nThen under way: ${during}` });
  };
  return { counts, failures, follow, fail, hasTests: () => names.size > 0 };
}

/** Gathers what a reporter of Node's says. */
function createText(): { write(event: TestEvent): void; read(): Promise<string> } {
  const reporter = new spec();
  const chunks: string[] = [];
  reporter.on("data", (chunk: Buffer | string) => chunks.push(chunk.toString()));
  return {
    write: (event) => reporter.write(event),
    async read() {
      reporter.end();
      await once(reporter, "end");
      return chunks.join("");
    },
  };
}

/** Resolves when the last hook of the file that runs has ended. */
function untilRootEnded(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listen = (message: unknown): void => {
    if ((message as { name?: string }).name !== "<root>") return;
    diagnostics.unsubscribe(ENDED, listen);
    resolve();
  };
  diagnostics.subscribe(ENDED, listen);
  return promise;
}

/**
 * Runs one file in this process, which may have run others before. Node's `run()` makes a root for it, the import adds its tests and
 * hooks; where a process of its own would now end, `beforeExit` makes Node sum up and take its listeners away.
 */
export async function runFile(root: string, file: string, progress: Progress): Promise<Outcome> {
  const start = performance.now();
  const cpuBefore = cpuMs();
  const url = pathToFileURL(join(root, file)).href;
  const { counts, failures, follow, fail, hasTests } = createFollower(progress);
  const [all, failing] = [createText(), createText()];
  const before = leftOpen.now();
  const rootEnded = untilRootEnded();
  const load = async (): Promise<void> => {
    try {
      await import(url);
    } catch (error) {
      failures.push({ test: "the file itself", reason: String((error as Error).stack ?? error) });
    }
  };
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const stream = run({ files: [], isolation: "none", cwd: root, setup: () => isReady() });
  stream.on("data", (event: TestEvent) => {
    follow(event);
    if (event.type === "test:fail") failing.write(event);
    if (event.type === "test:diagnostic" && event.data.nesting === 0) {
      if (SUMMARY.test(event.data.message)) return;
      // An error outside of any test; a rejection is reported with its stack already.
      if (/^Error:(?!.*unhandledRejection)/s.test(event.data.message))
        failures.push({ test: "outside of its tests", reason: event.data.message });
    }
    if (event.type !== "test:summary") all.write(event);
  });
  const ended = once(stream, "end");
  await ready;
  process.on("unhandledRejection", fail);
  // The root takes tests once it has looked at its own files, which are none.
  await setImmediate();
  await load();
  if (hasTests()) await rootEnded;
  else await Promise.race([rootEnded, sleep(EMPTY_FILE_MS)]);
  await setImmediate();
  process.emit("beforeExit", 0);
  await ended;
  process.off("unhandledRejection", fail);
  process.exitCode = 0;

  const left = await leftOpen.since(before);
  if (left !== "") failures.push({ test: "the file itself", reason: `It leaves open: ${left}` });
  const outside = takeOutside();
  if (outside !== "")
    failures.push({ test: "the file itself", reason: `It asks outside of this machine: ${outside}` });
  const beside = failures.filter(({ test }) => test === "the file itself" || test === "outside of its tests");
  return {
    file,
    ms: performance.now() - start,
    cpuMs: cpuMs() - cpuBefore,
    counts,
    failures,
    text: await all.read(),
    failingText: [await failing.read(), ...beside.map(({ test, reason }) => `✖ ${test}\n${reason}\n`)].join(
      "",
    ),
  };
}
