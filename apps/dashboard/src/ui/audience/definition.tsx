import { Text } from "@mantine/core";
import { counted } from "../../platform/figures.ts";
import { warningText } from "../findings/rules.pure.ts";
import type { NodeCounts } from "./node-counts.ts";
import { type ExpressionRemark, isAt } from "./remark.ts";
import { describeCondition } from "./sentences.pure.ts";
import classes from "./trace.module.css";
import { type Expression, type Node, ONCE, type WhereNode } from "./tree.pure.ts";
import { words } from "./words.ts";

type Known = { counts: NodeCounts; remarks: readonly ExpressionRemark[] };
type LineProps = Known & { node: Node | WhereNode; place: string };

/** What a part of an audience is made of. A single property that an event has to have says no more than the event with it. */
function partsOf(node: Node | WhereNode): [Node | WhereNode, string][] {
  if (node.kind === "not") return [[node.child, "child"]];
  if (node.kind === "event") {
    const { where = [], count = ONCE } = node;
    const isSame = where.length === 1 && count.op === ONCE.op && count.value === ONCE.value;
    return isSame ? [] : where.map((condition, index) => [condition, `where/${index}`]);
  }
  return node.kind === "field" ? [] : node.children.map((child, index) => [child, `children/${index}`]);
}

function Line({ node, place, counts, remarks }: LineProps) {
  const found = counts.get(place);
  const parts = partsOf(node);
  return (
    <li className={classes.line}>
      <Text className={classes.condition}>{describeCondition(node)}</Text>
      {found !== undefined && (
        <Text size="sm" c="dimmed" className={classes.saw}>
          {counted(found.users, "user")}
          {found.values.length > 0 && `. ${words.otherValues(found.values)}`}
        </Text>
      )}
      {(node.kind === "field" || node.kind === "event") &&
        remarks
          .filter(({ path }) => isAt(path, place))
          .map((remark) => (
            <Text key={remark.path + remark.message} size="sm" c="dimmed" className={classes.saw}>
              {warningText(remark)}
            </Text>
          ))}
      {parts.length > 0 && (
        <ul className={classes.parts}>
          {parts.map(([part, step]) => (
            <Line key={step} node={part} place={`${place}/${step}`} counts={counts} remarks={remarks} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** An audience condition by condition, with how many users meet each by itself as far as that is known, and what the server says of it. */
export const Definition = ({ expression, ...known }: Known & { expression: Expression }) => (
  <ul className={classes.parts}>
    <Line node={expression.root} place="/root" {...known} />
  </ul>
);
