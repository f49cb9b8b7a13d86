import { Alert, Badge, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useId } from "react";
import { percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { channelNames } from "../../../ui/campaigns/campaign-statuses.ts";
import { describeTiming } from "../../../ui/campaigns/timing-words.ts";
import { StepList } from "../../../ui/journey-steps/step-list.tsx";
import { type JourneyStep, nthTitle } from "../../../ui/journey-steps/titles.ts";
import long from "../../../ui/look/long.module.css";
import { Messages, type ShownMessage } from "../../../ui/preview/messages.tsx";
import { variantShare } from "../../../ui/preview/share.pure.ts";
import { words as shared } from "../../../ui/preview/words.ts";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { isNowhere, type JourneyReview, type Mark, markOf, type UsersHere } from "../journey-change.ts";
import type { Approval } from "../rules.ts";
import { words } from "../words.ts";

const { steps: stepWords } = words;
type Props = { scope: string; journey: JourneyReview };

const LOOKS = {
  changed: { variant: "light" },
  gone: { variant: "light", color: "red" },
  added: { variant: "filled" },
} as const satisfies Readonly<Record<Exclude<Mark, "stays">, object>>;

const MarkBadge = ({ mark }: { mark: Mark }) =>
  mark === "stays" ? null : <Badge {...LOOKS[mark]}>{stepWords.becomes[mark]}</Badge>;

/** How many users are at a step now, and what becomes of them. */
function Here({ journey, users }: { journey: JourneyReview; users: UsersHere | undefined }) {
  if (users === undefined) return null;
  const index = journey.after.findIndex(({ id }) => id === users.to);
  const target = journey.after[index];
  const isLost = isNowhere(users, journey);
  const way =
    users.to === null ? null : target === undefined ? stepWords.toEnd : stepWords.to(nthTitle(target, index));
  return (
    <>
      <Text size="sm" fw={600}>
        {stepWords.here(users.users)}
      </Text>
      {(isLost || way !== null) && (
        <Text size="sm" className={long.long} {...(isLost && { c: "var(--mantine-color-error)" })}>
          {isLost ? stepWords.nowhere : way}
        </Text>
      )}
    </>
  );
}

function Side({ scope, journey, side }: Props & { side: "before" | "after" }) {
  const id = useId();
  const own: readonly JourneyStep[] = journey[side];
  const others = journey[side === "before" ? "after" : "before"];
  const here = new Map(journey.here.map((users) => [users.stepId, users]));
  return (
    <Stack gap="xs" component="section" aria-labelledby={id}>
      <Title order={3} size="h5" id={id}>
        {stepWords.sides[side]}
      </Title>
      <StepList
        scope={scope}
        steps={own}
        label={stepWords.sides[side]}
        order={4}
        beside={(step) => <MarkBadge mark={markOf(step, others, side)} />}
        below={(step) => (side === "before" ? <Here journey={journey} users={here.get(step.id)} /> : null)}
      />
    </Stack>
  );
}

type Added = Extract<JourneyReview["after"][number], { kind: "send" }> & {
  added: NonNullable<Extract<JourneyReview["after"][number], { kind: "send" }>["added"]>;
};

/** The messages that the change adds, with their steps. */
const addedTo = ({ after }: JourneyReview): { step: Added; title: string }[] =>
  after.flatMap((step, index) =>
    step.kind === "send" && step.added !== null
      ? [{ step: { ...step, added: step.added }, title: nthTitle(step, index) }]
      : [],
  );

/** How a message that is added goes, in sentences: when, about what, on which pages, to which app. */
function settingsOf({ channel, added }: Added, topicOf: (id: string) => string): string[] {
  const { topicId, pages, push, sendTime, priority, patienceHours } = added;
  return [
    ...(channel === "web_inapp"
      ? [pages === null ? stepWords.everyPage : stepWords.pages(pages.join(", "))]
      : [describeTiming({ sendTime, priority, patienceHours, urgent: false })]),
    ...(topicId === null ? [] : [stepWords.topic(topicOf(topicId))]),
    ...(push === null ? [] : [stepWords.app(push.appId)]),
  ];
}

/** A message that is added, one a variant, as it is drawn. */
function shownOf(
  { step, title }: { step: Added; title: string },
  settings: readonly string[],
): ShownMessage[] {
  const { variants } = step.added;
  return variants.map((variant) => ({
    id: `${step.id} ${variant.name}`,
    name: variants.length === 1 ? title : stepWords.variantOf(title, variant.name),
    isControl: variant.isControl && variants.length > 1,
    message: variant.content,
    about: (
      <>
        {variants.length > 1 && (
          <Text size="sm">{shared.share(percentOf(variantShare(variant, variants)))}</Text>
        )}
        {settings.map((sentence) => (
          <Text key={sentence} size="sm" className={long.long}>
            {sentence}
          </Text>
        ))}
      </>
    ),
  }));
}

/** The messages that the change adds, as users get them, channel by channel. */
function AddedMessages({ scope, journey }: Props) {
  const added = addedTo(journey);
  const hasTopic = added.some(({ step }) => step.added.topicId !== null);
  const topics = useOperation(scope, "listTopics", {}, { enabled: hasTopic });
  const topicOf = (id: string): string => topics.data?.topics.find((topic) => topic.id === id)?.name ?? id;
  const channels = [...new Set(added.map(({ step }) => step.channel))];
  if (added.length === 0) return null;
  return (
    <Section title={stepWords.added}>
      {channels.map((channel) => (
        <Stack key={channel}>
          {channels.length > 1 && <Text fw={600}>{channelNames[channel]}</Text>}
          <Messages
            scope={scope}
            channel={channel}
            groups={added
              .filter(({ step }) => step.channel === channel)
              .map((each) => shownOf(each, settingsOf(each.step, topicOf)))}
          />
        </Stack>
      ))}
    </Section>
  );
}

/** Where links of added messages lead that the journey has not used, before anything else of the change. */
function NewHosts({ journey: { newHosts, after } }: Pick<Props, "journey">) {
  const titles = new Map(after.map((step, index) => [step.id, nthTitle(step, index)]));
  if (newHosts.length === 0) return null;
  return (
    <Alert color="red" title={stepWords.newHostsTitle}>
      <Stack gap="xs">
        <Text size="sm">{words.newHostsAbout}</Text>
        {newHosts.map(({ stepId, variant, field, host }) => (
          <Text key={`${stepId} ${variant} ${field} ${host}`} size="sm" className={long.long}>
            <Text span fw={700} ff="monospace" dir="ltr">
              {host}
            </Text>{" "}
            {stepWords.newHost(titles.get(stepId) ?? stepId, variant, field)}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

/** A journey whose steps would change: before and after, who is where, and the messages that are added. */
export function ProposedJourney({ scope, approval }: { scope: string; approval: Approval }) {
  const { journey } = approval.review;
  if (journey === null) return null;
  const known = new Set(journey.before.map(({ id }) => id));
  const others = journey.here.filter(({ stepId }) => !known.has(stepId));
  return (
    <>
      <NewHosts journey={journey} />
      <Section
        title={stepWords.title}
        about={stepWords.about}
        actions={
          <To scope={scope} path={`journeys/${journey.id}`}>
            {stepWords.open(journey.name)}
          </To>
        }
      >
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Side scope={scope} journey={journey} side="before" />
          <Side scope={scope} journey={journey} side="after" />
        </SimpleGrid>
        {others.map((users) => (
          <Stack key={users.stepId} gap={0}>
            <Text size="sm">{stepWords.atGone(users.stepId)}</Text>
            <Here journey={journey} users={users} />
          </Stack>
        ))}
      </Section>
      <AddedMessages scope={scope} journey={journey} />
    </>
  );
}
