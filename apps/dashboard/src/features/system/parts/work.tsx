import { Badge, Group, SimpleGrid, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { timeOf, timeWithSecondsOf } from "../../../platform/times.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import type { System } from "../rules.ts";
import { words } from "../words.ts";

type Props = { system: System };
type Process = System["processes"][number];
type Turn = System["turns"][number];

const doesOf = ({ serves, works, looksAfter }: Process): string =>
  [serves && words.serves, works && words.works, looksAfter && words.looksAfter]
    .filter((does) => does !== false)
    .join(", ") || words.neither;

const Name = ({ process: { id, isThis } }: { process: Process }) => (
  <Group gap="xs">
    <Text size="sm">{id.slice(-12)}</Text>
    {isThis && <Badge variant="default">{words.thisOne}</Badge>}
  </Group>
);

/** The processes on the database. */
export function Processes({ system: { processes } }: Props) {
  return (
    <Section title={words.processes} about={words.processesAbout}>
      {!processes.some(({ looksAfter, isStale }) => looksAfter && !isStale) && <Text>{words.noAgent}</Text>}
      {processes.length === 0 ? (
        <Text>{words.noProcesses}</Text>
      ) : (
        <Rows
          heads={[words.process, words.does, words.seen, words.state]}
          rows={processes.map((process) => ({
            id: process.id,
            cells: [
              <Name key="name" process={process} />,
              doesOf(process),
              timeWithSecondsOf(process.seenAt),
              process.isStale ? words.gone : words.alive,
            ],
          }))}
        />
      )}
    </Section>
  );
}

/** What waits to leave, over all projects. */
export function Queues({ system: { queues } }: Props) {
  return (
    <Section title={words.queues}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Figure label={words.mailDue} value={queues.mailDue} />
        <Figure label={words.pushDue} value={queues.pushDue} />
        <Figure label={words.mailUnknown} value={queues.mailUnknown} />
      </SimpleGrid>
    </Section>
  );
}

const stateOf = ({ failures, isRunning }: Turn): string => {
  if (failures > 0) return words.failing(failures);
  return isRunning ? words.running : words.waits;
};

const TurnRows = ({ turns }: { turns: readonly Turn[] }) => (
  <Rows
    heads={[words.turn, words.state, words.due]}
    rows={turns.map((turn) => ({
      id: turn.name,
      cells: [turn.name, stateOf(turn), timeOf(turn.dueAt)],
    }))}
  />
);

/** Work that comes round: what fails is shown, the rest on demand. */
export function Turns({ system: { turns } }: Props) {
  const failing = turns.filter(({ failures }) => failures > 0);
  return (
    <Section title={words.turns} about={words.turnsAbout}>
      {turns.length === 0 && <Text>{words.noTurns}</Text>}
      {failing.length > 0 && <TurnRows turns={failing} />}
      {turns.length > 0 && (
        <details>
          <summary>{(failing.length === 0 ? words.allWell : words.allTurns)(numberOf(turns.length))}</summary>
          <TurnRows turns={turns} />
        </details>
      )}
    </Section>
  );
}
