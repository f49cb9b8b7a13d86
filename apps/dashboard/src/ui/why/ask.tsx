import { Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { CampaignDetail } from "../../platform/api-types.ts";
import { problemOf, reasonOf } from "../../platform/client.ts";
import { faultAt } from "../../platform/faults.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../loaded.tsx";
import { isOfUnknownUser } from "../user/unknown-user.tsx";
import { Explained } from "./explained.tsx";
import { audienceExpression } from "./rules.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  campaign: Pick<CampaignDetail, "id" | "channel" | "audience">;
  user: string;
  /** The page that is asked about; empty for any. */
  path: string;
  /** The form of the question, with the field of a page in it where the channel has pages. */
  form: (path: ReactNode) => ReactNode;
  /** Stands in place of an answer where no user has the id. */
  unknownUser: (typed: string) => ReactNode;
};

/** Asks why one user gets a campaign, or does not, and answers it below the question. */
export function AskWhy({ scope, campaign, user, path, form, unknownUser }: Props) {
  const { id, channel } = campaign;
  const explanation = useOperation(
    scope,
    "explainCampaign",
    { path: { id }, body: { userId: user, ...(channel === "web_inapp" && path !== "" && { path }) } },
    { enabled: user !== "" && id !== "" },
  );
  const { error } = explanation;
  const pathFault = error !== null && faultAt(problemOf(error).message, "path") !== undefined;
  const isUnknown = isOfUnknownUser(error);
  const isOfStep = reasonOf(error) === "journey_step";
  return (
    <Stack>
      {form(
        channel === "web_inapp" && (
          <TextInput
            name="path"
            label={words.whyPath}
            description={words.whyPathAbout}
            error={pathFault && words.whyPathFault}
            defaultValue={path}
            maxLength={2_048}
          />
        ),
      )}
      {user !== "" && isUnknown && unknownUser(user)}
      {isOfStep && <Text>{words.ofStep}</Text>}
      {user !== "" && !isUnknown && !pathFault && !isOfStep && (
        <Loaded query={explanation}>
          {(found) =>
            found.outcome === "unknown_user" ? (
              unknownUser(found.userId)
            ) : (
              <Explained scope={scope} explanation={found} expression={audienceExpression(campaign)} />
            )
          }
        </Loaded>
      )}
    </Stack>
  );
}
