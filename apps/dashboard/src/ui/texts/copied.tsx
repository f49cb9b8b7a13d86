import { Button, Code, CopyButton, Group } from "@mantine/core";
import { words } from "../words.ts";
import classes from "./copied.module.css";

/** A text to copy: a key, a link, a piece of code. */
export function Copied({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Code block className={classes.text} aria-label={label} tabIndex={0}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" className={classes.button} onClick={copy}>
            {copied ? words.copied : words.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
