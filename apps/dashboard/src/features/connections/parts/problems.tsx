import { Badge, Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { callName, type IntakeProblem, idOfProblem, libraryName } from "../rules.ts";
import { words } from "../words.ts";

/** Why a call was not taken, or what of it was changed, and what it was about. */
const Why = ({ text, names }: Pick<IntakeProblem, "text" | "names">) => (
  <Stack gap={2}>
    <Text size="sm">{text}</Text>
    {names.length > 0 && (
      <Text size="xs" c="dimmed" className={long.long}>
        {words.names(names.join(", "))}
      </Text>
    )}
  </Stack>
);

/** What was not taken, or not as it came, by reason, the most frequent first. */
export const Problems = ({ problems }: { problems: readonly IntakeProblem[] }) => (
  <Section title={words.problems} about={words.problemsAbout}>
    {problems.length === 0 ? (
      <Text>{words.noProblems}</Text>
    ) : (
      <Rows
        heads={[words.why, words.outcome, words.from, words.count, words.last]}
        rows={problems.map((problem) => ({
          id: idOfProblem(problem),
          cells: [
            <Why key="why" text={problem.text} names={problem.names} />,
            <Badge key="outcome" variant={problem.isRefused ? "filled" : "default"}>
              {problem.isRefused ? words.refused : words.changed}
            </Badge>,
            <Text key="from" size="sm" className={long.long}>
              {words.callOf(callName(problem.call), libraryName(problem.library))}
            </Text>,
            numberOf(problem.count),
            <Text key="last" size="sm" style={{ whiteSpace: "nowrap" }}>
              {timeOf(problem.lastAt)}
            </Text>,
          ],
        }))}
      />
    )}
  </Section>
);
