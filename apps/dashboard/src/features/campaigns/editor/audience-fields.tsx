import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { TidingsError } from "@tidings/client";
import { problemOf } from "../../../platform/client.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { AudienceBuilder, type Remark } from "../../../ui/audience/builder.tsx";
import { type Expression, newField } from "../../../ui/audience/tree.pure.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { optionsOf } from "../../../ui/options.ts";
import type { DraftAudience } from "./draft.ts";
import { words } from "./words.ts";

const COUNT_AFTER_MS = 250;
const SAMPLES = 3;

/** All users of a project: they were seen at some time. */
const EVERYONE: Expression = {
  version: 1,
  root: { kind: "field", field: { kind: "user", field: "firstSeenAt" }, op: "exists" },
};

function questionOf(audience: DraftAudience) {
  switch (audience.kind) {
    case "all":
      return { expression: EVERYONE };
    case "expression":
      // Only expressions are written to this field.
      return { expression: audience.expression as Expression };
    case "segment": {
      const { segment, version } = audience;
      return segment === "" ? null : { segment, ...(version !== undefined && { version }) };
    }
    case "invalid":
      return null;
  }
}

const remarksOf = (error: unknown): Remark[] => {
  const body = error instanceof TidingsError ? error.body : null;
  const found = typeof body === "object" && body !== null && "diagnostics" in body ? body.diagnostics : [];
  // The server refuses an expression with all that is wrong with it.
  return Array.isArray(found) ? (found as Remark[]) : [];
};

/** Counts an audience exactly, shortly after the last key. */
function useCount(scope: string, audience: DraftAudience) {
  const [asked] = useDebouncedValue(audience, COUNT_AFTER_MS);
  const question = questionOf(asked);
  const check = useOperation(
    scope,
    "checkAudience",
    { body: { ...question, sampleLimit: SAMPLES } },
    { enabled: question !== null, refetchInterval: false },
  );
  const remarks = check.error === null ? (check.data?.diagnostics ?? []) : remarksOf(check.error);
  return { check, remarks, isOld: asked !== audience || check.isPlaceholderData };
}

type Counted = ReturnType<typeof useCount>;

/** The count of the audience at an instant; while a newer one is on its way, the older one is dimmed. */
function Count({ of: { check, isOld, remarks } }: { of: Counted }) {
  const { data, error } = check;
  const text = error !== null ? words.noCount : data === undefined ? words.counting : null;
  if (text !== null || data === undefined)
    return (
      <div role="status">
        <Text c="dimmed">{text}</Text>
        {error !== null && remarks.length === 0 && <Text size="sm">{problemOf(error).message}</Text>}
      </div>
    );
  const names = data.samples.map(({ externalUserId }) => externalUserId);
  return (
    <div role="status" aria-busy={isOld}>
      <Text fw={600} c={isOld ? "dimmed" : "inherit"}>
        {words.matches(numberOf(data.matchedCount), numberOf(data.totalUsers))}
      </Text>
      <Text size="sm" c="dimmed">
        {words.countedAt(timeWithSecondsOf(data.evaluatedAt))}
        {names.length > 0 && ` · ${words.samples(names.join(", "))}`}
      </Text>
    </div>
  );
}

type Props = {
  scope: string;
  audience: DraftAudience;
  fault: string | undefined;
  change: (audience: DraftAudience) => void;
};

function SegmentField({ scope, audience, change }: Omit<Props, "fault">) {
  const segments = useOperation(scope, "listSegments", { query: { status: "active" } });
  const chosen = audience.kind === "segment" ? audience : { segment: "", version: undefined };
  return (
    <Loaded of={segments}>
      {({ segments: found }) =>
        found.length === 0 ? (
          <Text c="dimmed">{words.noSegments}</Text>
        ) : (
          <NativeSelect
            label={words.segment}
            description={chosen.version === undefined ? undefined : words.version(chosen.version)}
            data={[{ value: "", label: "" }, ...found.map(({ id, name }) => ({ value: id, label: name }))]}
            value={chosen.segment}
            onChange={({ currentTarget: { value } }) => {
              const version = found.find(({ id }) => id === value)?.currentVersion;
              change({ kind: "segment", segment: value, ...(version !== undefined && { version }) });
            }}
          />
        )
      }
    </Loaded>
  );
}

/** Whom a campaign is for, with its exact count. */
export function AudienceFields({ scope, audience, fault, change }: Props) {
  const capabilities = useOperation(
    scope,
    "getAudienceCapabilities",
    {},
    { enabled: audience.kind === "expression", refetchInterval: false },
  );
  const counted = useCount(scope, audience);
  const begin = (kind: string): void => {
    if (kind === "all") change({ kind: "all" });
    if (kind === "segment") change({ kind: "segment", segment: "" });
    if (kind === "expression")
      change({ kind: "expression", expression: { version: 1, root: newField() } satisfies Expression });
  };
  return (
    <Stack>
      {audience.kind === "invalid" && <Alert color="red" title={words.invalidAudience} />}
      <NativeSelect
        aria-label={words.audience}
        error={fault}
        data={[
          ...(audience.kind === "invalid" ? [{ value: "invalid", label: "" }] : []),
          ...optionsOf(words.audienceKinds),
        ]}
        value={audience.kind}
        onChange={({ currentTarget }) => begin(currentTarget.value)}
      />
      {audience.kind === "segment" && <SegmentField {...{ scope, audience, change }} />}
      {audience.kind === "expression" && (
        <Loaded of={capabilities}>
          {({ capabilities: known }) => (
            <AudienceBuilder
              capabilities={known}
              expression={audience.expression as Expression}
              remarks={counted.remarks}
              change={(expression) => change({ ...audience, expression })}
            />
          )}
        </Loaded>
      )}
      <Count of={counted} />
    </Stack>
  );
}
