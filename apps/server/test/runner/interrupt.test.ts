import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcessesOf, processesOf } from "./processes.ts";

const STARTS_MS = 150_000;
const ROOT = new URL("../../../../", import.meta.url).pathname;
const RUN = new URL("../run.ts", import.meta.url).pathname;

/** A folder for temporary files with a short name, because the sockets of the PostgreSQL in it have long ones. */
async function shortFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "r-"));
  await chmod(folder, 0o755);
  return folder;
}

const commandsIn = (folder: string): string[] => processesOf(folder).map(({ command }) => command);

describe("a run that is asked to end", () => {
  for (const [signal, code, command, args] of [
    ["SIGTERM", 143, process.execPath, [RUN]],
    ["SIGINT", 130, process.execPath, [RUN]],
    // Without its builds, because other tests read what those would write anew.
    ["SIGTERM", 143, "npm", ["run", "--ignore-scripts", "test", "--"]],
  ] as const)
    it(`leaves no process and no folder after ${signal} to ${basename(command)}`, async () => {
      const folder = await shortFolder();
      let ended: Promise<unknown> = Promise.resolve();
      try {
        const runner = spawn(command, [...args, "apps/server/test/commands/settings.test.ts"], {
          cwd: ROOT,
          env: { ...process.env, TMPDIR: folder },
          stdio: "ignore",
        });
        ended = once(runner, "exit");
        const isThere = (pattern: RegExp): boolean =>
          commandsIn(folder).some((command) => pattern.test(command));
        const isServing = (): boolean =>
          isThere(/tidings\.mjs serve/) && isThere(/worker\.ts/) && isThere(/postgres .*tidings-process-/);
        for (const end = Date.now() + STARTS_MS; !isServing(); await sleep(250))
          assert.ok(Date.now() < end, "a worker's server and its PostgreSQL run");
        runner.kill(signal);
        assert.deepEqual(await ended, [code, null]);
        assert.deepEqual([commandsIn(folder), await readdir(folder)], [[], []]);
      } finally {
        await endProcessesOf(folder);
        await ended;
        await rm(folder, { recursive: true, force: true });
      }
    });

  const begin = (folder: string) =>
    spawn(process.execPath, [RUN, "apps/server/src/platform/text/exact-json.test.ts"], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "ignore"],
    });
  const early: readonly [when: string, code: number, end: (runner: ReturnType<typeof begin>) => unknown][] = [
    [
      "when it has only just begun",
      143,
      async (runner) => {
        // Its first line, right before it makes its database.
        await once(runner.stdout, "data");
        runner.kill("SIGTERM");
      },
    ],
    ["after its reader closed the pipe", 1, (runner) => runner.stdout.destroy()],
  ];
  for (const [when, code, end] of early)
    it(`leaves none ${when}`, async () => {
      const folder = await shortFolder();
      const runner = begin(folder);
      try {
        const ended = once(runner, "exit");
        await end(runner);
        assert.deepEqual(await ended, [code, null]);
        assert.deepEqual([commandsIn(folder), await readdir(folder)], [[], []]);
      } finally {
        runner.kill("SIGKILL");
        await endProcessesOf(folder);
        await rm(folder, { recursive: true, force: true });
      }
    });
});
