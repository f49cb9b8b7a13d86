import { Anchor } from "@mantine/core";
import { EntryFrame } from "./entry-frame.tsx";
import { words } from "./words.ts";

export function NotFound() {
  return (
    <EntryFrame title={words.notFound} about={words.notFoundAbout}>
      <Anchor href="/app/">{words.toStart}</Anchor>
    </EntryFrame>
  );
}
