const BETWEEN = "----- next step -----";

/** A command of a page, and the answer that is shown after it. */
type Step = { command: string; answer: string };

/** The commands of a page (`bash`), each with the block after it; as one script, and what that printed for each of them. */
export type Steps = Step[] & { script: string; answersIn(output: string): string[] };

export function stepsOf(page: string): Steps {
  const blocks = [...page.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, language = "", text = ""]) => ({
    language,
    text: text.trim(),
  }));
  const steps = blocks.flatMap(({ language, text }, index) =>
    language === "bash" ? [{ command: text, answer: blocks[index + 1]?.text ?? "" }] : [],
  );
  return Object.assign(steps, {
    script: steps.map(({ command }) => command).join(`\necho; echo "${BETWEEN}"\n`),
    answersIn: (output: string) =>
      output.split(BETWEEN).map((answer) => answer.trim().replace(/\s*\n\s*/g, "\n")),
  });
}
