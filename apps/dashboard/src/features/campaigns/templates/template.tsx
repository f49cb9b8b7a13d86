import { Anchor, Code, Group, Stack, Text } from "@mantine/core";
import { Link, Navigate, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../../../platform/address.ts";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Page } from "../../../ui/page.tsx";
import { ReachRemarks } from "../../../ui/reach/reach.tsx";
import { type View, Views } from "../../../ui/views.tsx";
import { PausedLine } from "../parts/paused-line.tsx";
import { datesOf } from "../rules.ts";
import { HowToSend } from "./parts/how-to-send.tsx";
import { Receipts } from "./parts/receipts.tsx";
import { TemplateActions } from "./parts/template-actions.tsx";
import { TemplateBadge } from "./parts/template-badge.tsx";
import { TemplateFigures } from "./parts/template-figures.tsx";
import { TemplateMessage } from "./parts/template-message.tsx";
import { OWN_MAIL } from "./rules.ts";
import { useTemplateData } from "./use-template-data.ts";
import { words } from "./words.ts";

type OfTemplate = { scope: string; template: CampaignDetail };

/** Why no mail of the project arrives yet. Receipts go to addresses that requests name, so users need none. */
function ReachOfReceipts({ scope }: { scope: string }) {
  const { data, isPlaceholderData } = useOperation(scope, "getSetup");
  if (data === undefined || isPlaceholderData) return null;
  return <ReachRemarks scope={scope} remarks={data.reach.email.filter((each) => each !== "no_address")} />;
}

function Facts({ scope, template }: OfTemplate) {
  const { key, sensitive, status, effectiveStatus } = template;
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <TemplateBadge status={effectiveStatus} />
        {key !== null && key !== OWN_MAIL && <Code>{words.keyOf(key)}</Code>}
        <Text size="sm" c="dimmed">
          {datesOf(template).join(", ")}
        </Text>
      </Group>
      {key === OWN_MAIL && <Text size="sm">{words.ownKey}</Text>}
      {sensitive && <Text size="sm">{words.isSensitive}</Text>}
      <PausedLine campaign={template} />
      {status === "paused" && <Text size="sm">{words.paused}</Text>}
      {status !== "ended" && <ReachOfReceipts scope={scope} />}
    </Stack>
  );
}

function Parts({ scope, template }: OfTemplate) {
  const { views } = words;
  const data = useTemplateData(template.id);
  const message: View = {
    name: "message",
    label: views.message,
    content: <TemplateMessage scope={scope} template={template} data={data} />,
  };
  const how: View = {
    name: "how",
    label: views.how,
    content: <HowToSend scope={scope} template={template} data={data} />,
  };
  const others: View[] = [
    { name: "figures", label: views.figures, content: <TemplateFigures template={template} /> },
    {
      name: "sends",
      label: views.sends,
      content: <Receipts scope={scope} templateKey={template.key ?? ""} />,
    },
  ];
  const isOwn = template.key === OWN_MAIL;
  return (
    <Views label={words.partsOfTemplate} views={isOwn ? [message, ...others] : [message, how, ...others]} />
  );
}

function EditButton({ scope, template: { id, key, status } }: OfTemplate) {
  const navigate = useNavigate();
  if (status === "ended" || key === OWN_MAIL) return null;
  return (
    <RoleButton
      scope={scope}
      needs={"editor" as const}
      variant="default"
      onClick={() => void navigate({ to: `/p/${scope}/templates/${id}/edit` })}
    >
      {words.edit}
    </RoleButton>
  );
}

/** One template of receipts. A campaign has a page of its own. */
export function TemplatePage({ scope }: { scope: string }) {
  const id = useNamed("templateId");
  const found = useOperation(scope, "getCampaign", { path: { id } });
  const template = found.data?.campaign;
  if (template?.purpose === "marketing" && template.id === id)
    return <Navigate to={`/p/${scope}/campaigns/${id}`} replace />;
  return (
    <Page
      {...(template !== undefined && { title: template.name })}
      actions={
        template && (
          <Group gap="xs">
            <EditButton scope={scope} template={template} />
            <TemplateActions key={id} scope={scope} template={template} />
          </Group>
        )
      }
    >
      <Anchor component={Link} to={`/p/${scope}/templates`} size="sm">
        {words.back}
      </Anchor>
      <Loaded query={found}>
        {({ campaign: known }) => (
          <Stack>
            <Facts scope={scope} template={known} />
            <Parts key={known.id} scope={scope} template={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
