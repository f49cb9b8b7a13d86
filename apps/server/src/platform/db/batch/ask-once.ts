/**
 * Asks equal questions of a group only once, using the last of them, and gives all of them the same answer.
 * @param sameOf a string that is equal for equal questions
 * @param ask answers one result per question, in order
 */
export async function askOnce<Question, Answer>(
  questions: readonly Question[],
  sameOf: (question: Question) => string,
  ask: (distinct: readonly Question[]) => Promise<readonly Answer[]>,
): Promise<(Answer | undefined)[]> {
  const last = new Map<string, Question>();
  const names = questions.map((question) => {
    const name = sameOf(question);
    last.set(name, question);
    return name;
  });
  const answers = await ask([...last.values()]);
  if (last.size === questions.length) return [...answers];
  const positions = new Map([...last.keys()].map((name, position) => [name, position]));
  return names.map((name) => answers[positions.get(name) ?? -1]);
}
