import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { useRef } from "react";
import { useOperation } from "../../platform/operations.ts";
import type { VisitorsMet } from "../campaigns/visitors-words.ts";
import { Loaded } from "../loaded.tsx";
import { optionsOf } from "../options.ts";
import { AudienceBuilder } from "./builder.tsx";
import { type DraftAudience, questionOf } from "./choice.ts";
import { Count, useCount } from "./count.tsx";
import { useCountsWithin } from "./node-counts.ts";
import { type Expression, newField } from "./tree.pure.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  audience: DraftAudience;
  /** Whether visitors are counted beside; none where it is left out. */
  visitors?: VisitorsMet;
  fault: string | undefined;
  /** Whether the server was asked to take it, and has not. */
  wasTried: boolean;
  change: (audience: DraftAudience) => void;
};

function SegmentField({ scope, audience, change }: Pick<Props, "scope" | "audience" | "change">) {
  const segments = useOperation(scope, "listSegments", { query: { status: "active" } });
  const chosen = audience.kind === "segment" ? audience : { segment: "", version: undefined };
  const isListed = segments.data?.segments.some(({ id }) => id === chosen.segment) ?? true;
  // An archived segment is in no list, and what was made with it keeps the version that it pinned.
  const unlisted = useOperation(
    scope,
    "getSegment",
    { path: { id: chosen.segment } },
    { enabled: chosen.segment !== "" && !isListed },
  );
  return (
    <Loaded query={segments}>
      {({ segments: found }) =>
        found.length === 0 && chosen.segment === "" ? (
          <Text c="dimmed">{words.noSegments}</Text>
        ) : (
          <NativeSelect
            label={words.segment}
            description={chosen.version === undefined ? undefined : words.pinnedTo(chosen.version)}
            data={[
              { value: "", label: "" },
              ...found.map(({ id, name }) => ({ value: id, label: name })),
              ...(chosen.segment === "" || isListed
                ? []
                : [{ value: chosen.segment, label: unlisted.data?.segment.name ?? "" }]),
            ]}
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

/** Whom something is for, with the exact count. */
export function AudienceFields({ scope, audience, visitors = "none", fault, wasTried, change }: Props) {
  const capabilities = useOperation(
    scope,
    "getAudienceCapabilities",
    {},
    { enabled: audience.kind === "expression", refetchInterval: false },
  );
  const counted = useCount(scope, questionOf(audience));
  const counts = useCountsWithin(scope, counted, audience.kind === "expression");
  // A person who chooses another kind, and comes back, finds the conditions that they have built.
  const former = useRef(new Map<string, DraftAudience>());
  const begin = (kind: string): void => {
    former.current.set(audience.kind, audience);
    const known = former.current.get(kind);
    if (known !== undefined) change(known);
    else if (kind === "all") change({ kind: "all" });
    else if (kind === "segment") change({ kind: "segment", segment: "" });
    else if (kind === "expression")
      change({ kind: "expression", expression: { version: 1, root: newField() } satisfies Expression });
  };
  return (
    <Stack>
      {audience.kind === "invalid" && <Alert color="red" title={words.invalid} />}
      <NativeSelect
        aria-label={words.chosen}
        error={fault}
        data={[
          ...(audience.kind === "invalid" ? [{ value: "invalid", label: "" }] : []),
          ...optionsOf(words.kinds),
        ]}
        value={audience.kind}
        onChange={({ currentTarget }) => begin(currentTarget.value)}
      />
      {audience.kind === "segment" && <SegmentField scope={scope} audience={audience} change={change} />}
      {audience.kind === "expression" && (
        <Loaded query={capabilities}>
          {({ capabilities: known }) => (
            <AudienceBuilder
              scope={scope}
              capabilities={known}
              expression={audience.expression as Expression}
              remarks={counted.remarks}
              counts={counts}
              wasTried={wasTried}
              change={(expression) => change({ ...audience, expression })}
            />
          )}
        </Loaded>
      )}
      <Count counted={counted} visitors={visitors} />
    </Stack>
  );
}
