import { Code } from "@mantine/core";
import classes from "./json.module.css";

/** A value as indented JSON, in a box that scrolls where it is long. */
export const JsonBlock = ({ value, label }: { value: unknown; label: string }) => (
  // The box scrolls, so it has to be reached by the keyboard.
  <Code block className={classes.box} tabIndex={0} role="region" aria-label={label}>
    {JSON.stringify(value, null, 2)}
  </Code>
);
