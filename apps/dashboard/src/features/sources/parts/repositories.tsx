import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { words as ui } from "../../../ui/words.ts";
import { foundBy, type Source } from "../rules.ts";
import { words } from "../words.ts";
import { ReportSnippet } from "./report-snippet.tsx";

type Props = { scope: string; connect: () => void };

/** How a repository is: whether it can be read, and what is switched off. */
export function RepositoryState({ source }: { source: Source }) {
  const { state, enabled, paused } = source;
  return (
    <div>
      <Group gap="xs">
        <Badge
          variant={state === "unavailable" ? "filled" : "default"}
          {...(state === "unavailable" && { color: "red" })}
        >
          {words.states[state]}
        </Badge>
        {!enabled && <Badge variant="light">{words.off}</Badge>}
        {paused && <Badge variant="light">{words.paused}</Badge>}
      </Group>
      {state !== "pending" && (
        <Text size="sm" className={classes.long}>
          {foundBy(source)}
        </Text>
      )}
    </div>
  );
}

const cellsOf = (scope: string, source: Source) => [
  <div key="name">
    <Anchor
      component={Link}
      to={`/p/${scope}/sources/${encodeURIComponent(source.id)}`}
      fw={600}
      className={classes.long}
    >
      {source.id}
    </Anchor>
    <Text size="sm" c="dimmed" className={classes.long}>
      {source.repository}
    </Text>
  </div>,
  <RepositoryState key="state" source={source} />,
  <Text key="places" size="sm" className={classes.long}>
    {source.mappings.map(({ environment }) => environment).join(", ") || words.noMapping}
  </Text>,
  source.fetchedAt === null ? ui.never : timeOf(source.fetchedAt),
];

/** The repositories that are connected, with what the last look at each found. */
export function Repositories({ scope, connect }: Props) {
  const found = useOperation(scope, "listSources");
  return (
    <Loaded query={found}>
      {({ sources }) =>
        sources.length === 0 ? (
          <Stack>
            <Empty title={words.none} about={words.noneAbout} filtered={null} />
            <div>
              <RoleButton scope={scope} needs={"owner" as const} variant="default" onClick={connect}>
                {words.connect}
              </RoleButton>
            </div>
            <ReportSnippet sourceId="web" />
          </Stack>
        ) : (
          <Rows
            heads={[words.repository, words.state, words.goesTo, words.lookedAt]}
            rows={sources.map((source) => ({ id: source.id, cells: cellsOf(scope, source) }))}
          />
        )
      }
    </Loaded>
  );
}
