import { Button, Group } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { words } from "../words.ts";

/** Which entries of a log the address asks for: those before an id, or the newest. */
export function useBefore(): { before?: number } {
  const [{ before = "" }] = useAddress();
  return /^[1-9]\d{0,8}$/.test(before) ? { before: Number(before) } : {};
}

/** The ways through a log that is read from its newest entry back. @param next id before which the older ones are; null for the last of them */
export function Older({ next }: { next: number | string | null }) {
  const [{ before = "" }, change] = useAddress();
  return (
    <Group>
      {before !== "" && (
        <Button variant="default" onClick={() => change({ before: "" })}>
          {words.newest}
        </Button>
      )}
      {next !== null && (
        <Button variant="default" onClick={() => change({ before: String(next) })}>
          {words.older}
        </Button>
      )}
    </Group>
  );
}
