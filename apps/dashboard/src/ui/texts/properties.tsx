import { Text } from "@mantine/core";
import classes from "../look/long.module.css";
import { valueText } from "./value-text.ts";

type Props = {
  values: Readonly<Record<string, unknown>> | null;
  /** The most lines; all where it is left out. */
  lines?: number;
};

/** What an event says of itself, in one text. */
export const Properties = ({ values, lines }: Props) => (
  <Text size="sm" className={classes.long} {...(lines !== undefined && { lineClamp: lines })}>
    {Object.entries(values ?? {})
      .map(([name, value]) => `${name}: ${valueText(value)}`)
      .join(", ")}
  </Text>
);
