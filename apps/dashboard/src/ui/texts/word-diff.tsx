import { Text } from "@mantine/core";
import type { WordOp } from "@tidings/client/word-ops";
import classes from "./word-diff.module.css";

export type WordOps = readonly WordOp[];

/** A text word by word: what goes is struck through, what comes is underlined. */
export function WordDiff({ ops }: { ops: WordOps }) {
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
