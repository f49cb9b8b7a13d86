import { Anchor, Group, Stack } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Views } from "../../ui/views.tsx";
import { JourneyActions } from "./parts/actions.tsx";
import { Entries } from "./parts/entries.tsx";
import { Facts } from "./parts/facts.tsx";
import { Paths } from "./parts/paths.tsx";
import { JourneySteps } from "./parts/steps.tsx";
import { WhyHere } from "./parts/why.tsx";
import { type Journey, splitOf } from "./rules.ts";
import { words } from "./words.ts";

type OfJourney = { scope: string; journey: Journey };

function EditButton({ scope, journey: { id, status } }: OfJourney) {
  const navigate = useNavigate();
  if (status === "ended") return null;
  return (
    <RoleButton
      scope={scope}
      needs={"editor" as const}
      variant="default"
      onClick={() => void navigate({ to: `/p/${scope}/journeys/${id}/edit` })}
    >
      {words.edit}
    </RoleButton>
  );
}

const Parts = ({ scope, journey }: OfJourney) => (
  <Views
    label={words.sections}
    views={[
      {
        name: "steps",
        label: words.views.steps,
        content: <JourneySteps scope={scope} journey={journey} />,
      },
      ...(splitOf(journey) === null
        ? []
        : [{ name: "paths", label: words.views.paths, content: <Paths scope={scope} journey={journey} /> }]),
      { name: "users", label: words.views.users, content: <Entries scope={scope} journey={journey} /> },
      { name: "why", label: words.views.why, content: <WhyHere scope={scope} journey={journey} /> },
    ]}
  />
);

/** A journey: how users come in and leave, its steps with who is where, and the users who are and were inside. */
export function JourneyPage({ scope }: { scope: string }) {
  const id = useNamed("journeyId");
  const found = useOperation(scope, "getJourney", { path: { id } });
  const journey = found.data?.journey;
  return (
    <Page
      {...(journey !== undefined && { title: journey.name })}
      actions={
        journey && (
          <Group gap="xs">
            <EditButton scope={scope} journey={journey} />
            <JourneyActions key={journey.id} scope={scope} journey={journey} />
          </Group>
        )
      }
    >
      <Anchor component={Link} to={`/p/${scope}/journeys`} size="sm">
        {words.back}
      </Anchor>
      <Loaded query={found}>
        {({ journey: known }) => (
          <Stack key={known.id} gap="lg">
            <Facts scope={scope} journey={known} />
            <Parts scope={scope} journey={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
