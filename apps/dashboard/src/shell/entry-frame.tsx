import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { words } from "./words.ts";

type Props = { title: string; about?: string; children?: ReactNode };

/** The frame of the pages by which people come in. */
export function EntryFrame({ title, about, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Tidings`;
  }, [title]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p={{ base: "lg", sm: "xl" }} w="100%" maw={440}>
        <Stack>
          <div>
            <Text fw={650} c="tide">
              {words.tidings}
            </Text>
            <Title order={1} size="h2">
              {title}
            </Title>
            {about && <Text c="dimmed">{about}</Text>}
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
