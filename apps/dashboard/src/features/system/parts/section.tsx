import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type Props = { title: string; about?: string; children: ReactNode };

/** A part of the page with its heading. */
export const Section = ({ title, about, children }: Props) => (
  <Stack component="section" gap="xs">
    <Title order={2} size="h4">
      {title}
    </Title>
    {about !== undefined && (
      <Text size="sm" c="dimmed" maw="44rem">
        {about}
      </Text>
    )}
    {children}
  </Stack>
);
