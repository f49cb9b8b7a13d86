import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, use, useEffect } from "react";
import { PageContext } from "../platform/pages.ts";
import classes from "./look/long.module.css";

type Props = {
  /** The heading; the name of the page where it is left out. */
  title?: string;
  about?: string;
  actions?: ReactNode;
  children: ReactNode;
};

/** The frame of a page: its name, a sentence, what can be done, and its parts. */
export function Page({ title: given, about, actions, children }: Props) {
  const title = given ?? use(PageContext)?.label ?? "";
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
