import type { Mirror } from "./mirror.ts";
import { type GitCall, runGit } from "./running/run.ts";

/** The output of a call that reads a mirror; null where git cannot tell. `codes` are exit codes beside 0 that are answers. */
export async function askGit(
  mirror: Mirror,
  args: readonly string[],
  { codes = [], ...more }: Partial<GitCall> & { codes?: readonly number[] } = {},
): Promise<{ code: number; stdout: string } | null> {
  const ended = await runGit({ ...mirror, args, ...more });
  if (ended.state !== "ended") return null;
  const { code, stdout } = ended;
  return code === 0 || codes.includes(code) ? { code, stdout } : null;
}

export const splitLines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
