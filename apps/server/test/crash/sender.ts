import { keysFrom } from "../commands/spawned.ts";
import type { CrashServer } from "./server.ts";

/**
 * Gives the project that a server made at its first start the right to send all the mail that a test has for one user, by a mail server on
 * this machine. Answers the keys of the project.
 * @param connections how many the server opens to it at most
 */
export async function sendingKeys(
  server: CrashServer,
  smtp: { port: number; connections: number },
  ...more: string[]
): Promise<ReturnType<typeof keysFrom>> {
  const keys = keysFrom(server.lastLog());
  await server.command(
    "settings",
    "set",
    "--project",
    keys.projectId,
    "--json",
    "email.from=Acme <news@acme.example>",
    "email.postalAddress=Acme, 1 Main Street",
    "email.domainVerified=true",
    "email.capMax=0",
    `email.smtpUrl=smtp://127.0.0.1:${smtp.port}?connections=${smtp.connections}`,
    ...more,
  );
  return keys;
}
