import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isRefused, ORGANIZATION } from "../../../platform/client.ts";
import { useConfirmation } from "../../../platform/confirmation.ts";
import { useMe } from "../../../platform/me.ts";
import { deletePasskey, hasPasskeys, listPasskeys, makePasskey } from "../../../platform/sign-in.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { words } from "../words.ts";

const PASSKEYS = [ORGANIZATION, "passkeys"] as const;

export function Passkeys() {
  const { takesPasskeys } = useMe();
  const queries = useQueryClient();
  const confirm = useConfirmation();
  const passkeys = useQuery({ queryKey: PASSKEYS, queryFn: listPasskeys });
  const changing = useMutation({
    async mutationFn(change: () => Promise<void>) {
      try {
        await change();
      } catch (error) {
        // The sign-in takes a new passkey only where the present sign-in is fresh.
        if (!isRefused(error, 403) || !(await confirm())) throw error;
        await change();
      }
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [ORGANIZATION] }),
  });
  const make = (): void => changing.mutate(() => makePasskey(words.passkeyName(timeOf(Date.now()))));
  return (
    <Card withBorder component="section">
      <Stack>
        <Title order={2} size="h4">
          {words.passkeys}
        </Title>
        <Text c="dimmed">{takesPasskeys && hasPasskeys() ? words.passkeysAbout : words.noPasskeys}</Text>
        {changing.error !== null && <Problem error={changing.error} />}
        <Loaded query={passkeys}>
          {(known) => (
            <Stack gap="xs">
              {known.length === 0 && <Text size="sm">{words.none}</Text>}
              {known.map(({ id, name, createdAt }) => (
                <Group key={id} justify="space-between">
                  <div>
                    <Text size="sm">{name}</Text>
                    {createdAt !== null && (
                      <Text size="xs" c="dimmed">
                        {words.passkeyMade(timeOf(Date.parse(createdAt)))}
                      </Text>
                    )}
                  </div>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => changing.mutate(() => deletePasskey(id))}
                  >
                    {words.removePasskey}
                  </Button>
                </Group>
              ))}
            </Stack>
          )}
        </Loaded>
        {takesPasskeys && hasPasskeys() && (
          <Button variant="default" loading={changing.isPending} onClick={make}>
            {words.makePasskey}
          </Button>
        )}
      </Stack>
    </Card>
  );
}
