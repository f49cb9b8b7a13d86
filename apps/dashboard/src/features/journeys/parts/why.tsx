import { Paper, Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { WithCampaigns } from "../../../ui/campaigns/campaign-names.ts";
import { words as stepWords } from "../../../ui/journey-steps/words.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { AskUser } from "../../../ui/user/ask-user.tsx";
import { useUserLabel } from "../../../ui/user/names.ts";
import { isOfUnknownUser, UnknownUser } from "../../../ui/user/unknown-user.tsx";
import type { Journey } from "../rules.ts";
import {
  barInWords,
  conditionInWords,
  deedInWords,
  insideInWords,
  isOfNoUser,
  type JourneyExplanation,
  leftInWords,
  MOST_PASSED,
  pathInWords,
} from "../why.ts";
import { words } from "../words.ts";
import { titlesOf } from "./step-titles.ts";

const { why } = words;

type OfUser = { scope: string; journey: Journey; explanation: JourneyExplanation };
type Titled = OfUser & { titleOf: (stepId: string) => string };

/** Where a user is, or that they are not inside, and why. */
function Place({ scope, journey, explanation, titleOf }: Titled) {
  const { userId, inside } = explanation;
  const label = useUserLabel(scope, userId);
  const step = journey.steps.find(({ id }) => id === inside?.stepId);
  const sentences = [
    ...leftInWords(explanation),
    ...(inside === null ? barInWords(explanation) : insideInWords(journey, inside)),
    ...pathInWords(explanation),
  ];
  return (
    <Paper withBorder p="md" role="status">
      <Stack gap={4} align="flex-start">
        <Text fw={700} size="lg" className={long.long}>
          {inside === null ? why.isOut(label) : why.isAt(label, titleOf(inside.stepId))}
        </Text>
        {sentences.map((sentence) => (
          <Text key={sentence} className={long.long}>
            {sentence}
          </Text>
        ))}
        {step?.kind === "send" && (
          <To scope={scope} path={`campaigns/${step.campaignId}`}>
            {why.toMessage}
          </To>
        )}
      </Stack>
    </Paper>
  );
}

/** What each `if` says of a user now. */
function Conditions({ scope, journey, explanation: { conditions }, titleOf }: Titled) {
  if (conditions.length === 0) return null;
  return (
    <Section title={why.conditions} about={why.conditionsAbout}>
      <Stack gap="sm">
        {conditions.map(({ stepId, met }) => {
          const step = journey.steps.find(({ id }) => id === stepId);
          const summary =
            step?.kind === "if" && "summary" in step.audience ? stepWords.ifYes(step.audience.summary) : null;
          return (
            <Stack key={stepId} gap={0} role="group" aria-label={titleOf(stepId)}>
              <Text fw={600}>{titleOf(stepId)}</Text>
              <Text className={long.long}>{conditionInWords(step, met, titleOf)}</Text>
              {summary !== null && (
                <Text size="sm" c="dimmed" className={long.long}>
                  <WithCampaigns scope={scope} text={summary} />
                </Text>
              )}
            </Stack>
          );
        })}
      </Stack>
    </Section>
  );
}

/** The steps that a user has left, the last one first. */
function PassedSteps({ journey, explanation: { inside, passed }, titleOf }: Titled) {
  const isMore = passed.some(({ occasion }) => occasion > 0);
  return (
    <Section
      title={inside === null ? why.passedOut : why.passed}
      {...(passed.length === MOST_PASSED && { about: why.newest })}
    >
      {passed.length === 0 ? (
        <Text>{inside === null ? why.neverIn : why.none}</Text>
      ) : (
        <Rows
          heads={[why.when, words.step, why.what]}
          rows={passed.map((each, index) => {
            const { occasion, stepId, at } = each;
            const step = journey.steps.find(({ id }) => id === stepId);
            return {
              id: `${passed.length - index}`,
              cells: [
                timeOf(at),
                <Stack key="step" gap={0}>
                  <Text size="sm" className={long.long}>
                    {titleOf(stepId)}
                  </Text>
                  {isMore && (
                    <Text size="sm" c="dimmed">
                      {words.nthTime(numberOf(occasion + 1))}
                    </Text>
                  )}
                </Stack>,
                deedInWords(each, step),
              ],
            };
          })}
        />
      )}
    </Section>
  );
}

function Explained(props: OfUser) {
  const { journey, explanation } = props;
  const titled = { ...props, titleOf: titlesOf(journey) };
  return (
    <Stack>
      <Place {...titled} />
      <Conditions {...titled} />
      <PassedSteps {...titled} />
      <Text size="sm" c="dimmed">
        {why.asOf(timeOf(explanation.evaluatedAt))}
      </Text>
    </Stack>
  );
}

/** Where one user is in a journey, and why. The question is in the address, so that it can be sent to a colleague. */
export function WhyHere({ scope, journey }: { scope: string; journey: Journey }) {
  const [{ user = "" }, change] = useAddress();
  const found = useOperation(
    scope,
    "explainJourney",
    { path: { id: journey.id }, body: { userId: user } },
    { enabled: user !== "" },
  );
  const unknown = (
    <UnknownUser
      scope={scope}
      typed={user}
      choose={({ externalUserId }) => change({ user: externalUserId })}
    />
  );
  return (
    <Stack>
      <Text c="dimmed">{why.about}</Text>
      <AskUser user={user} ask={(typed) => change({ user: typed })} />
      {user !== "" &&
        (isOfUnknownUser(found.error) ? (
          unknown
        ) : (
          <Loaded query={found}>
            {(explanation) =>
              isOfNoUser(explanation) ? (
                unknown
              ) : (
                <Explained scope={scope} journey={journey} explanation={explanation} />
              )
            }
          </Loaded>
        ))}
    </Stack>
  );
}
