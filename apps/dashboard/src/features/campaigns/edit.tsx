import { Anchor, Stack, Text } from "@mantine/core";
import { Link, Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAddress, useNamed } from "../../platform/address.ts";
import type { CampaignDetail } from "../../platform/api-types.ts";
import { problemOf } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";
import { ClosedFields, useIsBelowLaunchRole } from "../../ui/campaigns/launch-role.tsx";
import { Leaving } from "../../ui/dialogs/leaving.tsx";
import { useChangedBy } from "../../ui/form/use-changed-by.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Apply } from "./editor/apply.tsx";
import { Editor } from "./editor/editor.tsx";
import { SavingBar } from "./editor/saving-bar.tsx";
import { Stale } from "./editor/stale.tsx";
import { TestSend } from "./editor/test-send.tsx";
import { useDraft } from "./editor/use-draft.ts";
import { words } from "./editor/words.ts";
import { CampaignActions } from "./parts/actions.tsx";
import { deliveredOf, pathOf } from "./rules.ts";
import { TemplateIdentity } from "./templates/parts/identity-fields.tsx";
import { TemplateActions } from "./templates/parts/template-actions.tsx";
import { useTemplateData } from "./templates/use-template-data.ts";

/** What people change a campaign by. */
const CHANGES = ["updateCampaign", "setCampaignStatus"] as const;

type Props = { scope: string; campaign: CampaignDetail };

function Editing({ scope, campaign }: Props) {
  const editing = useDraft(scope, campaign);
  const [isApplying, setApplying] = useState(false);
  const [{ variant = "1", as = "" }] = useAddress();
  const savesItself = campaign.status === "draft";
  const isGoing = campaign.effectiveStatus === "running" || campaign.effectiveStatus === "scheduled";
  const isTemplate = campaign.purpose === "transactional";
  const data = useTemplateData(campaign.id);
  const isClosed = useIsBelowLaunchRole(scope) && isGoing;
  const { draft, patch, problem, isStale, save } = editing;
  const shown = draft.variants[Number(variant) - 1];
  const delivered = deliveredOf(campaign);
  const changedBy = useChangedBy(scope, CHANGES, campaign.id, {
    revision: editing.revision,
    isInSync: campaign.revision === editing.revision,
  });
  return (
    <>
      <SavingBar editing={editing} savesItself={savesItself} review={() => setApplying(patch !== null)}>
        {campaign.channel !== "web_inapp" && (
          <TestSend
            scope={scope}
            campaign={campaign}
            variantId={shown?.id ?? null}
            content={shown?.content ?? {}}
            userId={as}
            data={data.value}
            save={async () => !savesItself || save()}
          />
        )}
        {patch === null &&
          (isTemplate ? (
            <TemplateActions scope={scope} template={campaign} />
          ) : (
            <CampaignActions scope={scope} campaign={campaign} />
          ))}
      </SavingBar>
      {isStale && <Stale scope={scope} campaign={campaign} editing={editing} changedBy={changedBy} />}
      <ClosedFields isClosed={isClosed} reason={isTemplate ? words.templateRuns : words.needsApprover}>
        <Editor
          scope={scope}
          draft={draft}
          delivered={delivered}
          isSaving={editing.isSaving}
          isStep={campaign.journeyStep !== null}
          change={editing.change}
          fault={problem === null ? null : problemOf(problem).message}
          data={data}
          wasTried={problem !== null && editing.wasRequested}
          identity={() => draft.template !== null && <TemplateIdentity template={draft.template} />}
        />
      </ClosedFields>
      <Apply
        scope={scope}
        campaign={campaign}
        editing={editing}
        opened={isApplying && !isStale}
        close={() => setApplying(false)}
      />
      <Leaving isUnsaved={() => patch !== null} save={async () => (savesItself ? save() : patch === null)} />
    </>
  );
}

type OfPage = { scope: string; id: string; purpose: CampaignDetail["purpose"] };

/** A campaign or a template as a person changes it; one of the other kind leads to its own page. */
export function EditPage({ scope, id, purpose }: OfPage) {
  const found = useOperation(scope, "getCampaign", { path: { id } });
  const opened = found.data?.campaign;
  if (opened !== undefined && opened.id === id && opened.purpose !== purpose)
    return <Navigate to={`/p/${scope}/${pathOf(opened)}/edit`} replace />;
  const isTemplate = purpose === "transactional";
  return (
    <Page title={words.edit(found.data?.campaign.name ?? "")}>
      <Anchor component={Link} to={`/p/${scope}/${pathOf({ id, purpose })}`} size="sm">
        {isTemplate ? words.backToTemplate : words.back}
      </Anchor>
      <Loaded query={found}>
        {({ campaign }) => (
          // A launch or a pause makes another campaign to edit of it: what is not saved is then compared with that one.
          <Stack key={`${campaign.id} ${campaign.status}`}>
            {campaign.status === "ended" ? (
              <Text>{isTemplate ? words.templateEnded : words.ended}</Text>
            ) : (
              <Editing scope={scope} campaign={campaign} />
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** A campaign as a person changes it. */
export const EditCampaignPage = ({ scope }: { scope: string }) => (
  <EditPage scope={scope} id={useNamed("campaignId")} purpose="marketing" />
);
