import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { importCommits } from "../apps/server/test/judging.ts";
import { makeRepository, type Repository } from "../apps/server/test/peers/repository.ts";
import type { TidingsUnderLoad } from "./processes.ts";

const run = promisify(execFile);
const COMMAND = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;
const WAIT_MS = 120_000;
const ASK_EVERY_MS = 50;

const says = (shas: readonly string[]): string => shas.map((sha) => `This reverts commit ${sha}.`).join("\n");

/** Histories that are made to be hard to judge, each on a commit whose fate is asked. */
const HISTORIES: Readonly<Record<string, (repository: Repository, base: string) => void>> = {
  "60 commits beside each other that take back all before them": (repository, base) => {
    const shas = [base];
    for (let index = 0; index < 60; index++) {
      const commit = { message: `Undo\n\n${says(shas)}`, parents: [base], at: 1_700_000_000 - index };
      shas.push(...importCommits(repository, [commit], `arm-${index}`));
    }
    importCommits(repository, [{ message: "Merge", parents: shas }]);
  },
  "20,000 commits that take back one": (repository, base) => {
    const message = `Undo\n\n${says([base])}`;
    const many = Array.from({ length: 20_000 }, (_, index) => ({
      message,
      parents: [index === 0 ? base : index - 1],
    }));
    importCommits(repository, many);
  },
  "60 messages of 90 KB": (repository, base) => {
    const names = Array.from({ length: 1_300 }, (_, index) => index.toString(16).padStart(40, "a"));
    const message = `Add\n\n${says([...names, base])}\n${"reverts ".repeat(2_000)}`;
    const many = Array.from({ length: 60 }, (_, index) => ({
      message,
      parents: [index === 0 ? base : index - 1],
    }));
    importCommits(repository, many);
  },
  "2,000 commits that switch one file back and forth": (repository, base) => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      message: "Switch",
      parents: [index === 0 ? base : index - 1],
      files: { "a.txt": index % 2 === 0 ? "b\n" : "a\n" },
    }));
    importCommits(repository, many);
  },
};

export const HOSTILE = Object.keys(HISTORIES);

/** Makes a repository with such a history as a source of its own, and answers what judges its first commit and waits for the verdict. */
export async function hostileSource(
  { port, dataDir, secretKey }: TidingsUnderLoad,
  name: string,
): Promise<{ judge(): Promise<string>; remove(): void }> {
  const repository = makeRepository();
  const base = repository.commit({ "a.txt": "a\n" });
  HISTORIES[name]?.(repository, base);
  const id = `hostile-${HOSTILE.indexOf(name)}`;
  const env = { ...process.env, DATA_DIR: dataDir };
  await run(
    process.execPath,
    [COMMAND, "source", "add", "--id", id, "--url", repository.url, "--branch", "main"],
    {
      env,
    },
  );
  await run(process.execPath, [COMMAND, "mapping", "add", "--source", id, "--environment", "production"], {
    env,
  });
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const message = { presentation: "toast", title: "Hostile" };
  const changes = [{ sourceId: id, kind: "pull_request", number: 1, shas: [base] }];
  const made = (await ask("/campaigns", { name: id, message, sourceChanges: { changes } })) as {
    campaign: { id: string };
  };
  let deployments = 0;
  return {
    remove: () => repository.remove(),
    async judge() {
      const deploymentId = `${id}-${deployments++}`;
      const sha = repository.tip("main");
      const report = { deploymentId, sourceId: id, environment: "production", sha, status: "success" };
      const { deployment } = (await ask("/deployments", report)) as { deployment: { id: string } };
      for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(ASK_EVERY_MS)) {
        const { coverage } = (await ask(`/campaigns/${made.campaign.id}/activation`)) as {
          coverage: { state: string; evidence: { id: string } | null }[];
        };
        const [one] = coverage;
        if (one?.evidence?.id === deployment.id && one.state !== "unknown") return one.state;
      }
      throw new Error(`${name}: there was no verdict.`);
    },
  };
}
