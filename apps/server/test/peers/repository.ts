import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Whether this machine has the git command. Tests that need it are skipped without, and say so. */
export const WITHOUT_GIT: string | false = (() => {
  try {
    execFileSync("git", ["version"], { stdio: "ignore" });
    return false;
  } catch {
    return "this machine has no git command";
  }
})();

/** A real repository in a folder of its own, worked on with the real command. */
export type Repository = {
  folder: string;
  /** As a source names it. */
  url: string;
  /** Runs git in it; answers what it prints, without the last line break. */
  git(...args: string[]): string;
  /** Writes files and commits them; answers the commit. Without a message it is called after the first file. */
  commit(files: Readonly<Record<string, string>>, message?: string): string;
  /** The commit at the tip of a branch, or of what is checked out. */
  tip(ref?: string): string;
  /** Checks out a new branch, from where it is unless said otherwise. */
  branch(name: string, from?: string): void;
  checkout(name: string): void;
  remove(): void;
};

/** The commit that is checked out, as git writes it down; null where it lies elsewhere. To start git for it takes many times as long. */
function checkedOut(folder: string): string | null {
  const read = (name: string): string => readFileSync(join(folder, ".git", name), "utf8").trim();
  try {
    const head = read("HEAD");
    return head.startsWith("ref: ") ? read(head.slice("ref: ".length)) : head;
  } catch {
    // References are packed into one file now and then.
    return null;
  }
}

/** Makes an empty repository, with a first commit on main. Nothing of this machine's configuration counts in it. */
export function makeRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), "tidings-repository-"));
  let at = Date.UTC(2026, 0, 1) / 1_000;
  const git = (...args: string[]): string => {
    // Commits of one second would be in no order.
    const date = `${at++} +0000`;
    const identityOf = (role: "AUTHOR" | "COMMITTER") => ({
      [`GIT_${role}_NAME`]: "Grace",
      [`GIT_${role}_EMAIL`]: "grace@acme.example",
      [`GIT_${role}_DATE`]: date,
    });
    return execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH ?? "",
        HOME: "/nonexistent",
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_EDITOR: "true",
        ...identityOf("AUTHOR"),
        ...identityOf("COMMITTER"),
      },
    }).trimEnd();
  };
  const repository: Repository = {
    folder,
    url: `file://${folder}`,
    git,
    commit(files, message = Object.keys(files)[0] ?? "empty") {
      for (const [name, text] of Object.entries(files)) {
        const path = join(folder, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      if (Object.keys(files).length > 0) git("add", "--", ...Object.keys(files));
      git("commit", "--quiet", "--allow-empty", "-m", message);
      return repository.tip();
    },
    tip: (ref = "HEAD") => (ref === "HEAD" ? checkedOut(folder) : null) ?? git("rev-parse", ref),
    branch: (name, from = "HEAD") => void git("checkout", "--quiet", "-b", name, from),
    checkout: (name) => void git("checkout", "--quiet", name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  git("init", "--quiet", "-b", "main");
  git("config", "uploadpack.allowAnySHA1InWant", "true");
  repository.commit({ "README.md": "Acme\n" });
  return repository;
}
