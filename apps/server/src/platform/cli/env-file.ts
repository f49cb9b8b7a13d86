import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { decodeUtf8 } from "../text/text.ts";

type Read = { variables: NodeJS.Dict<string> } | { fault: string };

/** The variables of a file, none where there is no such file; or why it cannot be read. */
function readVariables(path: string): Read {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { variables: {} } : { fault: `cannot be read: ${code}` };
  }
  const decoded = decodeUtf8(bytes);
  return "fault" in decoded ? decoded : { variables: parseEnv(decoded.text) };
}

/**
 * Takes the variables of a file into the environment, which goes before them. Node's own `loadEnvFile` takes a byte order mark for a part
 * of the first name, so that the first setting would be ignored. Prints a line and answers false where the file cannot be read.
 */
export function loadEnvFile(path: string): boolean {
  const read = readVariables(path);
  if ("fault" in read) {
    console.error(`${path} ${read.fault}.`);
    process.exitCode = 1;
    return false;
  }
  for (const [name, value] of Object.entries(read.variables)) process.env[name] ??= value;
  return true;
}
