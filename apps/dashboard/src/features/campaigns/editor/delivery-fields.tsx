import { Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { instantOf, localTimeOf, zoneName } from "../../../platform/times.ts";
import { GoalField } from "../../../ui/goals/goal-field.tsx";
import { Failed } from "../../../ui/loaded.tsx";
import { PagesField } from "../../../ui/message-fields/pages-field.tsx";
import type { CampaignDraft } from "./draft.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  draft: CampaignDraft;
  faultOf: (field: string) => string | undefined;
  change: (draft: CampaignDraft) => void;
};

/** What an email or push campaign is about. */
export function TopicField({ scope, draft, faultOf, change }: Props) {
  const found = useOperation(scope, "listTopics", {});
  const { topicId } = draft;
  // An archived topic is offered to no campaign but the one that has it.
  const offered = (found.data?.topics ?? []).filter(
    ({ id, status }) => status === "active" || id === topicId,
  );
  if (found.isSuccess && offered.length === 0) return null;
  return (
    <>
      <NativeSelect
        name="topicId"
        label={words.topic}
        description={words.topicAbout}
        error={faultOf("topicId")}
        data={[
          { value: "", label: words.noTopic },
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={topicId ?? ""}
        onChange={({ currentTarget: { value } }) =>
          change({ ...draft, topicId: value === "" ? null : value })
        }
      />
      <Failed query={found} />
    </>
  );
}

/** On which pages, between which instants, and for which goal. */
export function DeliveryFields({ scope, draft, faultOf, change }: Props) {
  const instant = (name: "deliverFrom" | "deliverUntil") => ({
    type: "datetime-local",
    name,
    value: localTimeOf(draft[name]),
    error: faultOf(name),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      change({ ...draft, [name]: instantOf(currentTarget.value) }),
  });
  return (
    <Stack>
      <GoalField
        scope={scope}
        goalId={draft.goalId}
        error={faultOf("goalId")}
        change={(goalId) => change({ ...draft, goalId })}
      />
      {draft.channel !== "web_inapp" && (
        <TopicField scope={scope} draft={draft} faultOf={faultOf} change={change} />
      )}
      {draft.channel === "web_inapp" && (
        <PagesField
          pages={draft.pages}
          error={faultOf("pages")}
          change={(pages) => change({ ...draft, pages })}
        />
      )}
      <Group align="flex-start">
        <TextInput label={words.from} description={words.zone(zoneName())} {...instant("deliverFrom")} />
        <TextInput label={words.until} description={words.zone(zoneName())} {...instant("deliverUntil")} />
      </Group>
    </Stack>
  );
}
