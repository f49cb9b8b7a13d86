import { Text } from "@mantine/core";
import type { CampaignDetail } from "../../../../platform/api-types.ts";
import { percentOf } from "../../../../platform/figures.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { Messages } from "../../../../ui/preview/messages.tsx";
import { variantShare } from "../../../../ui/preview/share.pure.ts";
import { words as shared } from "../../../../ui/preview/words.ts";
import { Section } from "../../../../ui/section.tsx";
import { liveVariants } from "../../rules.ts";
import { previewBodyOf } from "../preview-body.ts";
import { OWN_MAIL } from "../rules.ts";
import type { TemplateData } from "../use-template-data.ts";
import { words } from "../words.ts";
import { DataField } from "./data-field.tsx";

type Props = { scope: string; template: CampaignDetail; data: TemplateData };

/** What recipients read of a template, filled with the data of a request. */
export function TemplateMessage({ scope, template, data }: Props) {
  const isOwn = template.key === OWN_MAIL;
  const body = previewBodyOf(template, data);
  const preview = useOperation(
    scope,
    "previewMessage",
    { body },
    { refetchInterval: false, enabled: !isOwn },
  );
  if (isOwn) return <Text>{words.ownText}</Text>;
  const variants = liveVariants(template);
  const shown = variants.map((variant) => {
    const share = variantShare(variant, template.variants);
    return {
      id: variant.id,
      name: variant.name,
      message: variant.content,
      isControl: variant.isControl && variants.length > 1,
      about: variants.length > 1 && (
        <Text size="sm">{share === 0 ? shared.noShare : shared.share(percentOf(share))}</Text>
      ),
    };
  });
  const sample = preview.data?.channel === "email" ? preview.data.sample : null;
  return (
    <Section title={words.views.message}>
      <Messages
        scope={scope}
        channel="email"
        groups={[shown]}
        template={{ data: data.value, field: <DataField data={data} sample={sample} /> }}
      />
    </Section>
  );
}
