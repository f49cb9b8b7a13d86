import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { ConfigError } from "../config.ts";

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Where a command puts what it writes, a text after the other. */
export type Write = (text: string) => Promise<void>;

/** Writes to standard output. @throws ConfigError where that was closed */
export const toOutput: Write = (text) =>
  new Promise((done, failed) => {
    process.stdout.write(text, (error) => {
      if (error) failed(new ConfigError(`Standard output was closed: ${codeOf(error)}.`, { cause: error }));
      else done();
    });
  });

/** Writes a file that appears under its name only when it is complete, and that only its owner can read. */
export async function toFile<T>(path: string, act: (write: Write) => Promise<T>): Promise<T> {
  const unfinished = `${path}.unfinished`;
  let file: FileHandle;
  try {
    file = await open(unfinished, "w", 0o600);
  } catch (cause) {
    throw new ConfigError(`${path} cannot be written: ${codeOf(cause)}.`, { cause });
  }
  try {
    const result = await act(async (text) => {
      await file.write(text);
    });
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}
