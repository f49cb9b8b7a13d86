import { Alert, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { numberOf, percentOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { utcRangeOf } from "../../platform/times.ts";
import { Figure } from "../../ui/charts/figure.tsx";
import { Rows } from "../../ui/lists/rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { words } from "./words.ts";

type Usage = Answer<"getUsage">;

const USD = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD" });

function Serving({ usage: { serving, emailServing } }: { usage: Usage }) {
  const email = serving === "ok" && emailServing === "paused" ? "pastDue" : emailServing;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Alert color={serving === "ok" ? "tide" : "red"} title={words.states[serving]}>
        {words.statesAbout[serving]}
      </Alert>
      <Alert color={emailServing === "ok" ? "tide" : "red"} title={words.emailStates[emailServing]}>
        {words.emailAbout[email]}
      </Alert>
    </SimpleGrid>
  );
}

/** The credits of the agent, which are counted for each project. */
function Credits({ scope }: { scope: string }) {
  const settings = useOperation(scope, "getAgentSettings");
  return (
    <Loaded query={settings}>
      {({ ai: { creditsUsed, monthlyLimit, limitReached } }) => (
        <Figure
          label={words.credits}
          value={words.creditsOf(numberOf(creditsUsed), numberOf(monthlyLimit))}
          about={limitReached ? words.creditsOver : words.creditsAbout}
        />
      )}
    </Loaded>
  );
}

function Figures({ scope, usage }: { scope: string; usage: Usage }) {
  const { period, estimatedSpendUsd: spend, spendCapUsd: cap, frequencyCapped } = usage;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      <Figure
        label={words.period}
        value={utcRangeOf(Date.parse(period.start), Date.parse(period.end))}
        about={words.boundaries[period.boundary]}
      />
      <Figure label={words.active} value={usage.activeUsers} about={words.activeAbout} />
      <Figure label={words.spend} value={USD.format(spend)} about={words.spendAbout} />
      <Figure
        label={words.cap}
        value={cap === null ? words.noCap : USD.format(cap)}
        about={cap === null || cap === 0 ? words.capAbout : words.ofCap(percentOf(spend / cap))}
      />
      <Figure label={words.capped} value={frequencyCapped} about={words.cappedAbout} />
      <Credits scope={scope} />
    </SimpleGrid>
  );
}

function ByProject({ usage: { projects, activeUsers } }: { usage: Usage }) {
  return (
    <Section title={words.projects}>
      <Rows
        heads={[words.project, words.activeUsers, words.share, words.capped]}
        rows={projects.map((project) => ({
          id: project.id,
          cells: [
            project.name,
            numberOf(project.activeUsers),
            activeUsers === 0 ? words.noShare : percentOf(project.activeUsers / activeUsers),
            numberOf(project.frequencyCapped),
          ],
        }))}
      />
    </Section>
  );
}

export function UsagePage({ scope }: { scope: string }) {
  const usage = useOperation(scope, "getUsage");
  return (
    <Page about={words.about}>
      <Loaded query={usage}>
        {(known) => (
          <Stack gap="lg">
            <Serving usage={known} />
            <Figures scope={scope} usage={known} />
            <Text size="sm" c="dimmed">
              {known.billable ? words.billable : words.notBillable}
            </Text>
            <ByProject usage={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
