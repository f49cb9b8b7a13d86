import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

type Props = {
  title: string;
  about?: string;
  /** Set apart from others by a border, as the parts of a form are. */
  isFramed?: boolean;
  /** What can be done about all of it, beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A part of a page under its own heading. */
export function Section({ title, about, isFramed = false, actions, children }: Props) {
  const id = useId();
  const heading = (
    <>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {about !== undefined && (
        <Text size="sm" c="dimmed" maw="44rem">
          {about}
        </Text>
      )}
    </>
  );
  const content = (
    <>
      {actions === undefined ? (
        heading
      ) : (
        <Group justify="space-between" align="flex-start">
          <Box maw="40rem">{heading}</Box>
          {actions}
        </Group>
      )}
      {children}
    </>
  );
  if (isFramed)
    return (
      <Paper component="section" withBorder p="md" aria-labelledby={id}>
        <Stack>{content}</Stack>
      </Paper>
    );
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      {content}
    </Stack>
  );
}
