import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcessesOf, processesOf } from "./processes.ts";

const STARTS_MS = 150_000;
const RUN = new URL("../run.ts", import.meta.url).pathname;

describe("a run that is asked to end", () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)
    it(`leaves no process and no folder after ${signal}`, async () => {
      // A short name: the sockets of the PostgreSQL in it have long ones.
      const folder = await mkdtemp(join(tmpdir(), "r-"));
      await chmod(folder, 0o755);
      let ended: Promise<unknown> = Promise.resolve();
      try {
        const runner = spawn(process.execPath, [RUN, "apps/server/test/commands/settings.test.ts"], {
          env: { ...process.env, TMPDIR: folder },
          stdio: "ignore",
        });
        ended = once(runner, "exit");
        const commands = (): string[] => processesOf(folder).map(({ command }) => command);
        const isThere = (pattern: RegExp): boolean => commands().some((command) => pattern.test(command));
        const isServing = (): boolean =>
          isThere(/tidings\.mjs serve/) && isThere(/worker\.ts/) && isThere(/postgres .*tidings-process-/);
        for (const end = Date.now() + STARTS_MS; !isServing(); await sleep(250))
          assert.ok(Date.now() < end, "a worker's server and its PostgreSQL run");
        runner.kill(signal);
        assert.deepEqual(await ended, [code, null]);
        assert.deepEqual([commands(), await readdir(folder)], [[], []]);
      } finally {
        await endProcessesOf(folder);
        await ended;
        await rm(folder, { recursive: true, force: true });
      }
    });
});
