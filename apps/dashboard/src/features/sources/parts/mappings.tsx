import { Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { Problem } from "../../../ui/problem.tsx";
import type { Mapping, Source } from "../rules.ts";
import { words } from "../words.ts";
import { MappingForm } from "./mapping-form.tsx";

type OfSource = { scope: string; source: Source };

function Forget({ scope, source, mapping: { id, environment } }: OfSource & { mapping: Mapping }) {
  const removing = useChange(scope, "removeMapping", ["getSource", "listSources", "listAnnouncements"]);
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"owner" as const}
        variant="default"
        size="xs"
        loading={removing.isPending}
        aria-label={words.forgetOf(environment)}
        onClick={() => removing.mutate({ path: { id: source.id, mappingId: id } })}
      >
        {words.forget}
      </RoleButton>
      {removing.error !== null && <Problem error={removing.error} />}
    </>
  );
}

const cellsOf = ({ scope, source }: OfSource, mapping: Mapping) => [
  <div key="environment">
    <Text fw={600} className={classes.long}>
      {mapping.environment}
    </Text>
    {mapping.scope !== null && (
      <Text size="sm" c="dimmed" className={classes.long}>
        {mapping.scope}
      </Text>
    )}
  </div>,
  <Text key="follows" size="sm" className={classes.long}>
    {mapping.follows === null ? words.reported : words.followed(mapping.follows)}
  </Text>,
  <Text key="confirmed" size="sm" className={classes.long}>
    {words.confirmedBy(mapping.confirmedBy, timeOf(mapping.confirmedAt))}
  </Text>,
  <Forget key="forget" scope={scope} source={source} mapping={mapping} />,
];

/** Where changes of a repository have to be live before campaigns that announce them launch. */
export function Mappings({ scope, source }: OfSource) {
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <div>
          <Title order={2} size="h4">
            {words.mappings}
          </Title>
          <Text size="sm" c="dimmed">
            {words.mappingsAbout}
          </Text>
        </div>
        <RoleButton scope={scope} needs={"owner" as const} variant="default" onClick={() => setAdding(true)}>
          {words.addMapping}
        </RoleButton>
      </Group>
      {source.mappings.length === 0 ? (
        <Text>{words.noMappings}</Text>
      ) : (
        <Rows
          heads={[words.environment, words.follows, words.confirmed, words.actions]}
          rows={source.mappings.map((mapping) => ({
            id: mapping.id,
            cells: cellsOf({ scope, source }, mapping),
          }))}
        />
      )}
      {isAdding && <MappingForm scope={scope} sourceId={source.id} close={() => setAdding(false)} />}
    </Stack>
  );
}
