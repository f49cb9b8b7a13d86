import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useId } from "react";
import { useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import long from "../look/long.module.css";
import { isOfUnknownUser, UnknownUser } from "../user/unknown-user.tsx";
import { AsUser } from "./as-user.tsx";
import { type Look, LookChoice, useLook } from "./look.tsx";
import type { Preview } from "./message.tsx";
import classes from "./messages.module.css";
import { StoredMessagePreview } from "./stored-message-preview.tsx";
import { words } from "./words.ts";

/** A message with what a person has to know of it. */
export type ShownMessage = {
  id: string;
  /** Of its variant; says as well which one it is where a variant has two. */
  name: string;
  isControl: boolean;
  /** The users that get it, and what came of it. */
  about: ReactNode;
  message: object;
};

type Data = Readonly<Record<string, unknown>> | null;
type InChannel = { scope: string; channel: Preview["channel"] };

function Message({
  shown,
  ...drawn
}: InChannel & { shown: ShownMessage; userId: string; look: Look; data?: Data }) {
  const { name, isControl, about, message } = shown;
  const id = useId();
  return (
    <Stack component="article" aria-labelledby={id} gap="xs" className={classes.message}>
      <Group gap="xs">
        <Title order={3} size="h5" id={id} className={long.long}>
          {name}
        </Title>
        {isControl && <Badge variant="light">{words.control}</Badge>}
      </Group>
      <Stack gap={2}>{about}</Stack>
      <StoredMessagePreview {...drawn} name={name} message={message} />
    </Stack>
  );
}

/** How long nothing is typed until it is taken for the whole id. */
const TYPED_AFTER_MS = 400;

type Props = InChannel & {
  /** Those of a group stand beside each other, as far as there is room. */
  groups: readonly (readonly ShownMessage[])[];
  /** What fills the messages of a template, with the field where that is typed; left out for those of campaigns. */
  template?: { data: Data; field: ReactNode };
};

/** Messages beside each other, as a user gets them, whom the address names. */
export function Messages({ scope, channel, groups, template }: Props) {
  const choice = useLook(true);
  const [{ as = "" }, go] = useAddress();
  const [typed] = useDebouncedValue(as, TYPED_AFTER_MS);
  const user = useOperation(
    scope,
    "getUser",
    { path: { id: typed } },
    { enabled: typed !== "", refetchInterval: false },
  );
  const isForUnknownUser = typed !== "" && isOfUnknownUser(user.error, "id");
  const choose = (userId: string): void => go({ as: userId }, false);
  return (
    <Stack>
      <Text c="dimmed" size="sm" maw="44rem">
        {words.drawnAbout}
      </Text>
      <Group gap="xl">
        <AsUser scope={scope} userId={as} choose={choose} />
        {channel !== "push" && <LookChoice {...choice} />}
      </Group>
      {template?.field}
      {isForUnknownUser && (
        <UnknownUser scope={scope} typed={typed} choose={({ externalUserId }) => choose(externalUserId)} />
      )}
      {groups.map((group) => (
        <div key={group.map(({ id }) => id).join(" ")} className={classes.messages}>
          {group.map((shown) => (
            <Message
              key={shown.id}
              scope={scope}
              channel={channel}
              shown={shown}
              userId={isForUnknownUser ? "" : typed}
              look={choice.look}
              {...(template !== undefined && { data: template.data })}
            />
          ))}
        </div>
      ))}
    </Stack>
  );
}
