import { SimpleGrid, Stack, Text } from "@mantine/core";
import type { Input } from "@tidings/client";
import { useOperation } from "../../../platform/operations.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { type Look, LookChoice, useLook } from "../../../ui/preview/look.tsx";
import { DrawnMessage } from "../../../ui/preview/message.tsx";
import { Section } from "../../../ui/section.tsx";
import { type Approval, variantName } from "../rules.ts";
import { words } from "../words.ts";

type Channel = Approval["campaign"]["channel"];
type Message = Input<"previewMessage">["body"]["message"];
type Variants = readonly { id: string; name: string }[];

type DrawnProps = { scope: string; channel: Channel; message: object; look: Look };

/** A message as a user without traits gets it. */
export function Drawn({ scope, channel, message, look }: DrawnProps) {
  // A stored message has the shape that a request sends.
  const body = { channel, message: message as Message };
  const preview = useOperation(scope, "previewMessage", { body }, { refetchInterval: false });
  return (
    <Loaded of={preview}>
      {(found) => (
        <>
          <DrawnMessage preview={found} look={look} />
          {"content" in found && found.content === null && <Text c="dimmed">{words.noPicture}</Text>}
        </>
      )}
    </Loaded>
  );
}

type Changed = Pick<Approval["messages"][number], "variantId" | "before" | "after">;
type Props = { scope: string; channel: Channel; messages: readonly Changed[]; variants: Variants };

/** Each message that changes: what users get now, beside what they would get. */
export function BeforeAndAfter({ scope, channel, messages, variants }: Props) {
  const choice = useLook(true);
  const drawn = (message: object) => <Drawn {...{ scope, channel, message }} look={choice.look} />;
  return (
    <Section title={words.drawn}>
      <Text c="dimmed">{words.drawnAbout}</Text>
      {channel !== "push" && <LookChoice {...choice} />}
      {messages.map(({ variantId, before, after }) => {
        const name = variantName(variants, variantId);
        return (
          <SimpleGrid key={variantId} cols={{ base: 1, md: before === null ? 1 : 2 }}>
            {before !== null && (
              <Stack gap="xs">
                <Text fw={600}>{words.beforeOf(name)}</Text>
                {drawn(before)}
              </Stack>
            )}
            <Stack gap="xs">
              <Text fw={600}>{before === null ? words.variant(name) : words.afterOf(name)}</Text>
              {before === null && <Text c="dimmed">{words.nothingBefore}</Text>}
              {drawn(after)}
            </Stack>
          </SimpleGrid>
        );
      })}
    </Section>
  );
}
