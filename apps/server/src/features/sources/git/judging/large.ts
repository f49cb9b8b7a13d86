import { areFew, type History, linesIn, literal } from "./history.ts";

/**
 * Whether commits may be in a history without a proof that finds them: they change a file that is compared as a whole, since it is large or no
 * text, and so does a commit of the range that is not on its first-parent line. There, what they did may stand beside what others did.
 */
export async function mayHide(
  history: History,
  shas: readonly string[],
  { range, line }: { range: string; line: ReadonlySet<string> },
): Promise<boolean> {
  const which = ["--no-walk=unsorted", "--no-merges", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const { stdout } = await history.run(["log", "--format=", "--numstat", "-z", ...which, ...shas]);
  const whole = stdout.split("\0").flatMap((record) => /^\s*-\t-\t(.+)$/s.exec(record)?.[1] ?? []);
  if (whole.length === 0) return false;
  // Of more paths than a command is given, any change counts.
  const paths = areFew(whole) ? whole.map(literal) : [];
  const others = await history.run(["rev-list", "--no-merges", "--full-history", range, "--", ...paths]);
  return linesIn(others.stdout).some((commit) => !line.has(commit));
}
