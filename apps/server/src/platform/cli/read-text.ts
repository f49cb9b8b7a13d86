import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { ConfigError } from "../config.ts";
import { decodeUtf8 } from "../text/text.ts";
import { printable } from "./command.ts";

function asText(bytes: Buffer, name: string): string {
  const decoded = decodeUtf8(bytes);
  if ("fault" in decoded) throw new ConfigError(`${name} ${decoded.fault}.`);
  return decoded.text;
}

/** The text that is piped to a command. @throws ConfigError where it is no UTF-8 */
export const readStdin = async (): Promise<string> => asText(await buffer(process.stdin), "Standard input");

/** The text of a file, or of standard input for `-`. @throws ConfigError where it cannot be read, or is no UTF-8 */
export async function readText(file: string): Promise<string> {
  if (file === "-") return readStdin();
  const name = printable(file);
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`${name} cannot be read: ${cause.code}`, { cause });
  });
  return asText(bytes, name);
}
