import { Text } from "@mantine/core";
import classes from "./word-diff.module.css";

type Op = { op: "keep" | "delete" | "insert"; words: string };

/** A text word by word: what goes is struck through, what comes is underlined. */
export function WordDiff({ ops }: { ops: readonly Op[] }) {
  return (
    <Text size="sm" className={classes.diff}>
      {ops.map(({ op, words: text }, index) => {
        const key = `${index}${op}`;
        if (op === "delete")
          return (
            <del key={key} className={classes.gone}>
              {text}
            </del>
          );
        if (op === "insert")
          return (
            <ins key={key} className={classes.come}>
              {text}
            </ins>
          );
        return <span key={key}>{text}</span>;
      })}
    </Text>
  );
}
