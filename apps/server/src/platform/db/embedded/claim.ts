import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Names of the sockets with which processes stand for a folder; as short as PostgreSQL's own. */
const CLAIM = "owner.";
const HELD = "held";

type Claim = { server: Server; hold(): void };

/** Stands for a folder: whoever connects is told whether it is held already. */
const claimAt = (path: string): Promise<Claim> =>
  new Promise((resolve, reject) => {
    let said = "";
    const server = createServer((socket) => socket.on("error", () => undefined).end(said));
    server.once("error", reject);
    const hold = (): void => {
      said = HELD;
    };
    server.listen(path, () => resolve({ server, hold }));
  });

/** What the process behind a claim says, or null when it is gone. */
const askClaim = (path: string): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = createConnection(path);
    let said = "";
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    socket.once("end", () => resolve(said));
    socket.once("error", () => resolve(null));
  });

/** Whether another process holds the folder, or will: of those that ask at once, the first by name gets it. */
async function isTaken(folder: string, mine: string): Promise<boolean> {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(CLAIM) && each !== mine)) {
    // One that asks too and comes later either gives way, or did not see us and holds the folder by now.
    for (let said = await askClaim(join(folder, name)); said !== null; ) {
      if (said === HELD || name < mine) return true;
      await sleep(10);
      said = await askClaim(join(folder, name));
    }
    rmSync(join(folder, name), { force: true });
  }
  return false;
}

/**
 * Takes the folder for this process: a listening socket is let go by the kernel however the process ends, so a
 * lock is never left behind. Each process has a name of its own, so that none ever removes another's by mistake.
 * Answers null when another process holds it.
 */
export async function takeFolder(folder: string): Promise<Server | null> {
  const mine = CLAIM + randomBytes(4).toString("hex");
  const { server, hold } = await claimAt(join(folder, mine));
  server.unref();
  if (await isTaken(folder, mine)) {
    server.close();
    return null;
  }
  hold();
  return server;
}
