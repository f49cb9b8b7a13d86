import { Text } from "@mantine/core";
import { counted } from "../../platform/figures.ts";
import { useCampaignNames } from "../campaigns/campaign-names.ts";
import { warningText } from "../findings/rules.pure.ts";
import type { Names } from "../with-names.ts";
import type { NodeCounts } from "./node-counts.ts";
import { type ExpressionRemark, isAt } from "./remark.ts";
import { describeCondition, isOnce } from "./sentences.pure.ts";
import classes from "./trace.module.css";
import { campaignsOf, type Expression, type Node, type WhereNode } from "./tree.pure.ts";
import { words } from "./words.ts";

type Known = { counts: NodeCounts; remarks: readonly ExpressionRemark[] };
type LineProps = Known & { node: Node | WhereNode; place: string; names: Names };

/** What a part of an audience is made of. A single property that an event has to have says no more than the event with it. */
function partsOf(node: Node | WhereNode): [Node | WhereNode, string][] {
  if (node.kind === "not") return [[node.child, "child"]];
  if (node.kind === "event") {
    const { where = [] } = node;
    return where.length === 1 && isOnce(node)
      ? []
      : where.map((condition, index) => [condition, `where/${index}`]);
  }
  return "children" in node ? node.children.map((child, index) => [child, `children/${index}`]) : [];
}

const isCondition = (node: Node | WhereNode): boolean => node.kind !== "not" && !("children" in node);

function Line({ node, place, ...known }: LineProps) {
  const { counts, remarks, names } = known;
  const found = counts.get(place);
  const parts = partsOf(node);
  return (
    <li className={classes.line}>
      <Text className={classes.condition}>{describeCondition(node, names)}</Text>
      {found !== undefined && (
        <Text size="sm" c="dimmed" className={classes.saw}>
          {counted(found.users, "user")}
          {found.values.length > 0 && `. ${words.otherValues(found.values)}`}
        </Text>
      )}
      {isCondition(node) &&
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
            <Line key={step} {...known} node={part} place={`${place}/${step}`} />
          ))}
        </ul>
      )}
    </li>
  );
}

type Props = Known & { scope: string; expression: Expression };

/** An audience condition by condition, with how many users meet each by itself as far as that is known, and what the server says of it. */
export function Definition({ scope, expression: { root }, ...known }: Props) {
  const names = useCampaignNames(scope, campaignsOf(root));
  return (
    <ul className={classes.parts}>
      <Line {...known} node={root} place="/root" names={names} />
    </ul>
  );
}
