import { Badge, Card, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "../../../../ui/look/long.module.css";
import type { StepState } from "../../rules.ts";
import { words } from "../../words.ts";

type Props = {
  number: number;
  title: string;
  /** How far it is; null for one that is never done for good. */
  state: StepState | null;
  about?: string;
  children: ReactNode;
};

/** The state is a word; the look only helps to find it. */
const LOOKS: Readonly<Record<StepState, { variant: string; color?: string }>> = {
  done: { variant: "light" },
  todo: { variant: "filled", color: "yellow" },
  unneeded: { variant: "default" },
};

/** A step of the way to a sender, which says whether it is done. */
export function SenderStep({ number, title, state, about, children }: Props) {
  return (
    <Card withBorder component="section" padding="lg">
      <Stack>
        <Group justify="space-between" align="flex-start">
          <Title order={2} size="h4" flex="1 1 12rem" className={classes.long}>
            {words.step(number, title)}
          </Title>
          {state !== null && <Badge {...LOOKS[state]}>{words.states[state]}</Badge>}
        </Group>
        {about !== undefined && (
          <Text c="dimmed" size="sm" maw="44rem">
            {about}
          </Text>
        )}
        {children}
      </Stack>
    </Card>
  );
}
