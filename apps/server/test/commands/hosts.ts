import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { leftOpen } from "../runner/left-open.ts";

/** A command for a process that runs one after the other. */
export type Command = {
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  input: string;
};

/** What a command printed, and how it ended. */
export type Printed = { code: number | null; stdout: string; stderr: string };

/** Ends what a command says past its output stream, on the process' own standard error. */
export const END_OF_STDERR = "\0end of a command\0";

type Host = { child: ChildProcess; run(command: Command): Promise<Printed> };

const free: Host[] = [];
const all = new Set<Host>();

function startHost(): Host {
  const child = fork(new URL("host.ts", import.meta.url), {
    cwd: tmpdir(),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const gone = once(child, "exit");
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const host: Host = {
    child,
    async run(command) {
      stderr = "";
      const { promise: whole, resolve } = Promise.withResolvers<void>();
      const listen = (): void => {
        if (stderr.includes(END_OF_STDERR)) resolve();
      };
      child.stderr?.on("data", listen);
      const answer = once(child, "message").then(([printed]) => printed as Printed);
      child.send(command);
      const printed = await Promise.race([
        answer,
        gone.then(([code]) => ({ code, stdout: "", stderr: "" }) as Printed),
      ]);
      if (child.connected) await Promise.race([whole, gone]);
      child.stderr?.off("data", listen);
      return { ...printed, stderr: stderr.replace(END_OF_STDERR, "") + printed.stderr };
    },
  };
  all.add(host);
  void gone.then(() => all.delete(host));
  // Its standard error and its channel.
  leftOpen.share(() => (all.has(host) ? { ProcessWrap: 1, PipeWrap: 2 } : {}));
  return host;
}

/** Runs a command in a process that is free, or in a new one. */
export async function runHosted(command: Command): Promise<Printed> {
  const host = free.pop() ?? startHost();
  const printed = await host.run(command);
  if (all.has(host)) free.push(host);
  return printed;
}

/** Ends the processes that run commands, but for one that is free: it has loaded what the commands of the next file need. */
export async function endHosts(): Promise<void> {
  free.length = Math.min(free.length, 1);
  await Promise.all(
    [...all].map(async (host) => {
      if (free.includes(host)) return;
      const { child } = host;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }),
  );
}
