import { createServer } from "node:net";
import { type Config, ConfigError } from "../platform/config.ts";

/** Why an address cannot be listened on, with what to do about it. */
function listenFault({ port, host }: Config, cause: NodeJS.ErrnoException): ConfigError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program uses it. Stop that one, or take another port: PORT=${port + 1} npm start`,
    EACCES: "this user may not use it: take one from 1024 up",
    EADDRNOTAVAIL: "no network of this machine has that address",
  };
  const reason = reasons[cause.code ?? ""] ?? "";
  return new ConfigError(
    `PORT ${port} on HOST ${host} cannot be listened on: ${cause.code}${reason && `, ${reason}`}`,
    { cause },
  );
}

export async function orListenFault<T>(config: Config, listening: Promise<T>): Promise<T> {
  return listening.catch((cause: NodeJS.ErrnoException) => {
    throw cause.syscall === undefined ? cause : listenFault(config, cause);
  });
}

/** Tries the address first, so that a taken port is reported at once, and not after the database was made. */
export async function tryAddress(config: Config): Promise<void> {
  const tried = createServer();
  const listening = new Promise<void>((resolve, reject) => {
    tried.once("error", reject);
    tried.listen(config.port, config.host, resolve);
  });
  await orListenFault(config, listening);
  await new Promise((resolve) => tried.close(resolve));
}
