import { execFileSync } from "node:child_process";

/**
 * Files that differ from a revision, as paths from a folder: changed, added, gone, committed or not.
 * @throws Error with what git says, where there is no git or no such revision
 */
export function changedSince(root: string, revision: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
      .split("\0")
      .filter((path) => path !== "");
  return [
    ...git("diff", "--name-only", "--no-renames", "--relative", "-z", revision, "--"),
    ...git("ls-files", "--others", "--exclude-standard", "-z"),
  ];
}
