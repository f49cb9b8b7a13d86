import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Beginning of the names of the sockets with which processes claim a folder; as short as PostgreSQL's own. */
const CLAIM = "owner.";
const OWNED = "held";

type Claim = { server: Server; own(): void };

/** Claims a folder by listening on a socket, which answers whether this process owns the folder already. */
const claimAt = (path: string): Promise<Claim> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const server = createServer((socket) => socket.on("error", () => undefined).end(answer));
    server.once("error", reject);
    const own = (): void => {
      answer = OWNED;
    };
    server.listen(path, () => resolve({ server, own }));
  });

/** The answer of the process behind a claim, or null when it is gone. */
const askClaim = (path: string): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = createConnection(path);
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.once("end", () => resolve(answer));
    socket.once("error", () => resolve(null));
  });

/** Whether another process owns the folder, or will: of several that claim it at once, the first by name gets it. */
async function isTaken(folder: string, mine: string): Promise<boolean> {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(CLAIM) && each !== mine)) {
    // A process with a later name gives way to us, unless it owned the folder before it could see our claim.
    for (let answer = await askClaim(join(folder, name)); answer !== null; ) {
      if (answer === OWNED || name < mine) return true;
      await sleep(10);
      answer = await askClaim(join(folder, name));
    }
    rmSync(join(folder, name), { force: true });
  }
  return false;
}

/**
 * Takes the folder for this process. The kernel closes a listening socket however the process ends, so a lock is never left behind.
 * Each process has a socket of its own name, so that none ever removes another's by mistake. Null when another process owns the folder.
 */
export async function takeFolder(folder: string): Promise<Server | null> {
  const mine = CLAIM + randomBytes(4).toString("hex");
  const { server, own } = await claimAt(join(folder, mine));
  server.unref();
  if (await isTaken(folder, mine)) {
    server.close();
    return null;
  }
  own();
  return server;
}
