import { Badge } from "@mantine/core";
import { lookOf, type ReceiptState } from "../rules.ts";
import { words } from "../words.ts";

/** The state of a receipt as a word; the look only helps to find it. */
export const ReceiptBadge = ({ state }: { state: ReceiptState }) => (
  <Badge {...lookOf(state)}>{words.states[state]}</Badge>
);
