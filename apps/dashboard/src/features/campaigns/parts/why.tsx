import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Rows } from "../../../ui/rows.tsx";
import type { CampaignDetail, Explanation, Gate } from "../rules.ts";
import { words } from "../words.ts";

function Answer({ passes }: { passes: boolean | null }) {
  if (passes === null) return <Text c="dimmed">{words.notAsked}</Text>;
  return passes ? (
    <Text>{words.passes}</Text>
  ) : (
    <Text fw={700} c="var(--mantine-color-error)">
      {words.fails}
    </Text>
  );
}

const cellsOf = ({ gate, passes, note }: Gate) => [
  words.gates[gate],
  <Answer key="answer" passes={passes} />,
  <Text key="found" size="sm">
    {note}
  </Text>,
];

function Explained({ of: { outcome, blockedBy, gates, userId, evaluatedAt } }: { of: Explanation }) {
  const first = gates.find(({ gate }) => gate === blockedBy);
  const isGood = outcome === "would_receive" || outcome === "delivered";
  return (
    <Stack>
      <Alert color={isGood ? "green" : "gray"} title={words.outcome(userId, words.outcomes[outcome])}>
        {first?.note}
      </Alert>
      <Rows
        heads={[words.condition, words.answer, words.found]}
        rows={gates.map((gate) => ({ id: gate.gate, cells: cellsOf(gate) }))}
      />
      <Text size="sm" c="dimmed">
        {words.evaluatedAt(timeOf(evaluatedAt))}
      </Text>
    </Stack>
  );
}

/** Why one user gets a campaign now, or does not. The question is in the address, so that it can be sent to a colleague. */
export function Why({ scope, campaign: { id, channel } }: { scope: string; campaign: CampaignDetail }) {
  const [{ user = "", path = "" }, change] = useAddress();
  const explanation = useOperation(
    scope,
    "explainCampaign",
    { path: { id }, body: { userId: user, ...(path !== "" && { path }) } },
    { enabled: user !== "" },
  );
  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    change({ user: String(typed.get("user") ?? ""), path: String(typed.get("path") ?? "") });
  };
  return (
    <Stack>
      <Text c="dimmed">{words.whyAbout}</Text>
      {/* The key brings what "back" leads to into the fields. */}
      <form onSubmit={ask} key={JSON.stringify([user, path])}>
        <Group align="flex-end">
          <TextInput
            name="user"
            label={words.whyUser}
            description={words.whyUserAbout}
            defaultValue={user}
            maxLength={256}
            required
          />
          {channel === "web_inapp" && (
            <TextInput
              name="path"
              label={words.whyPath}
              description={words.whyPathAbout}
              defaultValue={path}
              maxLength={2_048}
            />
          )}
          <Button type="submit">{words.ask}</Button>
        </Group>
      </form>
      {user !== "" && <Loaded of={explanation}>{(of) => <Explained of={of} />}</Loaded>}
    </Stack>
  );
}
