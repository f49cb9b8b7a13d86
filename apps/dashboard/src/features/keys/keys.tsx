import { Stack, Text } from "@mantine/core";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { KeysOfKind } from "./parts/keys-of-kind.tsx";
import { KEY_KINDS } from "./rules.ts";
import { words } from "./words.ts";

export function KeysPage({ scope }: { scope: string }) {
  const listed = useOperation(scope, "listKeys");
  return (
    <Page about={words.about}>
      <Loaded query={listed}>
        {({ keys }) => (
          <Stack gap="lg">
            {KEY_KINDS.map((kind) => (
              <KeysOfKind
                key={kind}
                scope={scope}
                kind={kind}
                keys={keys.filter((each) => each.kind === kind)}
              />
            ))}
            <Text size="sm" c="dimmed">
              {`${timesOf()} ${words.stops}`}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
