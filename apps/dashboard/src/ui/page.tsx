import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import classes from "./long.module.css";

type Props = { title: string; about?: string; actions?: ReactNode; children: ReactNode };

/** The frame of a page: its name, a sentence, what can be done, and its parts. */
export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Tidings`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" className={classes.long}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" maw="44rem">
              {about}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
