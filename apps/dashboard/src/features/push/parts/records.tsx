import { Anchor, Code, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { exactTimeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { UserName } from "../../../ui/user/user-name.tsx";
import { type View, Views } from "../../../ui/views.tsx";
import { describePushReason, describeSlotState, type Inspection, outcomeSentence } from "../rules.ts";
import { words } from "../words.ts";

type Collection = keyof Inspection["records"];
type Row = { id: string; cells: readonly ReactNode[] };

/** The end of a slot's id, by which records of one device are matched. */
const SHOWN = 8;

const Slot = ({ id }: { id: string }) => <Code>{id.slice(-SHOWN)}</Code>;

const DeviceLink = ({ scope, id }: { scope: string; id: string }) => (
  <Anchor
    component={Link}
    to={`/p/${scope}/push/devices/${encodeURIComponent(id)}`}
    size="sm"
    className={classes.long}
  >
    {id}
  </Anchor>
);

const LongText = ({ text }: { text: string }) => (
  <Text size="sm" className={classes.long}>
    {text}
  </Text>
);

const reasonIn = (state: object): string | null =>
  "reason" in state && typeof state.reason === "string" ? state.reason : null;

const recipientRows = (scope: string, { recipients }: Inspection): Row[] =>
  recipients.map(({ id, userId, externalId, state }) => {
    const reason = reasonIn(state);
    const is = words.states[state.kind];
    return {
      id,
      cells: [
        <UserName key="user" scope={scope} userId={userId} externalUserId={externalId} size="sm" />,
        <LongText key="state" text={reason === null ? is : `${is}: ${describePushReason(reason)}`} />,
      ],
    };
  });

const slotRows = (scope: string, { slots }: Inspection): Row[] =>
  slots.map(({ id, installationId, state, uncertain, submissionsUsed }) => ({
    id,
    cells: [
      <DeviceLink key="device" scope={scope} id={installationId} />,
      <LongText
        key="state"
        text={describeSlotState({ state: state.kind, reason: reasonIn(state), uncertain })}
      />,
      words.times(submissionsUsed),
      <Slot key="slot" id={id} />,
    ],
  }));

const targetRows = (scope: string, { targets }: Inspection): Row[] =>
  targets.map(({ id, installationId, content, generation, createdAt, slotId }) => ({
    id,
    cells: [
      <DeviceLink key="device" scope={scope} id={installationId} />,
      <LongText key="title" text={String(content.title)} />,
      String(generation),
      exactTimeOf(createdAt),
      <Slot key="slot" id={slotId} />,
    ],
  }));

const attemptRows = ({ attempts }: Inspection): Row[] =>
  attempts.map(({ id, slotId, ordinal, startedAt }) => ({
    id,
    cells: [words.attempted(ordinal), exactTimeOf(startedAt), <Slot key="slot" id={slotId} />],
  }));

const outcomeRows = ({ outcomes }: Inspection): Row[] =>
  outcomes.map(({ id, slotId, observedAt, submission, result }) => ({
    id,
    cells: [
      <LongText key="outcome" text={outcomeSentence(submission, result)} />,
      exactTimeOf(observedAt),
      <Slot key="slot" id={slotId} />,
    ],
  }));

/** What there is of a campaign, a page of each collection. */
export function Records({ scope, inspection }: { scope: string; inspection: Inspection }) {
  const view = (name: Collection & keyof typeof words.records, heads: string[], rows: Row[]): View => ({
    name,
    label: words.records[name],
    content: (
      <PagedRows
        paging={{
          page: inspection.page,
          pageCount: inspection.pageCounts[name],
          total: inspection.records[name],
        }}
        heads={heads}
        rows={rows}
        empty={<Text>{words.noRecords}</Text>}
      />
    ),
  });
  return (
    <Views
      label={words.campaignSections}
      views={[
        view("recipients", [words.user, words.status], recipientRows(scope, inspection)),
        view(
          "slots",
          [words.device, words.status, words.submissions, words.push],
          slotRows(scope, inspection),
        ),
        view(
          "targets",
          [words.device, words.title, words.generation, words.made, words.push],
          targetRows(scope, inspection),
        ),
        view("attempts", [words.attempt, words.began, words.push], attemptRows(inspection)),
        view("outcomes", [words.outcome, words.answered, words.push], outcomeRows(inspection)),
      ]}
    />
  );
}
