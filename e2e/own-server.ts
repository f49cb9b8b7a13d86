import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";

/** A server with a data folder of its own, and the link that makes the account of its first person. */
export type OwnServer = { link: string; stop(): Promise<void> };

/** `npm start` in a new folder, until it prints the link for the first person. */
export async function startOwnServer(): Promise<OwnServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "tidings-own-"));
  const child = spawn("npm", ["start"], {
    cwd: new URL("..", import.meta.url).pathname,
    env: { ...process.env, DATA_DIR: dataDir, PORT: "0", HOST: "127.0.0.1" },
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own: npm starts others, and all of them are to end.
    detached: true,
  });
  const group = child.pid;
  const link = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /https?:\S+\/app\/welcome#\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    link,
    async stop() {
      const ended = once(child, "close");
      if (group !== undefined) process.kill(-group, "SIGTERM");
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Makes the first account, and has the demo filled; answers where its pages are. */
export async function comeIn(page: Page, link: string): Promise<string> {
  await page.goto(link);
  await page.getByLabel("Your name").fill("Grace");
  await page.getByLabel("Email").fill("grace@example.com");
  await page.locator("input[type=password]").first().fill("correct horse battery");
  await page.getByRole("button", { name: "Make my account" }).click();
  await page.getByRole("button", { name: "Fill with a month of the shop" }).click();
  await page.getByRole("heading", { name: "Demo shop", level: 1 }).waitFor();
  return page.url().replace(/overview$/, "");
}
