import { Anchor } from "@mantine/core";
import { Entry } from "./entry.tsx";
import { words } from "./words.ts";

export function NotFound() {
  return (
    <Entry title={words.notFound} about={words.notFoundAbout}>
      <Anchor href="/app/">{words.toStart}</Anchor>
    </Entry>
  );
}
