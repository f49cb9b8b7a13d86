import { Card, Progress, Text } from "@mantine/core";
import { numberOf } from "../../platform/figures.ts";

type Props = {
  label: string;
  /** A count, or what stands in its place. */
  value: number | string;
  /** What it means. */
  about?: string;
  /** Something is wrong: the value stands out. */
  isWrong?: boolean;
  /** Which part of what is allowed it is, from 0 on. */
  share?: number;
};

/** One figure with its name. */
export function Figure({ label, value, about, isWrong = false, share }: Props) {
  return (
    <Card withBorder h="100%">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={650} {...(isWrong && { c: "red" })}>
        {typeof value === "number" ? numberOf(value) : value}
      </Text>
      {share !== undefined && <Progress value={Math.min(1, share) * 100} size="xs" aria-label={label} />}
      {about !== undefined && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
    </Card>
  );
}
