/**
 * A process that runs commands of `tidings` one after the other, each by evaluating `main.ts` anew with its own arguments, environment,
 * input and output. What it imports is loaded once: loading took most of a command's time.
 */
import { Console } from "node:console";
import { writeSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { inspect } from "node:util";
import { leftOpen } from "../runner/left-open.ts";
import { type Command, END_OF_STDERR, type Printed } from "./hosts.ts";

const BIN = new URL("../../bin/tidings.mjs", import.meta.url).pathname;
const STUCK = 70;

class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

function capture(): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

let commands = 0;

async function run({ args, env, input }: Command): Promise<Printed> {
  const [out, errors] = [capture(), capture()];
  const before = leftOpen.now();
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
  process.argv = [process.execPath, BIN, ...args];
  process.exitCode = undefined;
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout: out.stream, stderr: errors.stream };
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  globalThis.console = new Console(out.stream, errors.stream);
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  let code = 0;
  try {
    await import(`../../src/main.ts?command=${commands++}`);
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    code = error instanceof Exit ? error.code : 1;
    if (!(error instanceof Exit)) errors.stream.write(`${inspect(error)}\n`);
  }
  // A process of its own would not end before these are closed.
  const left = await leftOpen.since(before);
  if (left !== "") errors.stream.write(`${args.join(" ")} would not end: it leaves ${left}\n`);
  return { code: left === "" ? code : STUCK, stdout: out.text(), stderr: errors.text() };
}

process.on("message", async (command: Command) => {
  const printed = await run(command);
  writeSync(2, END_OF_STDERR);
  process.send?.(printed);
});
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
