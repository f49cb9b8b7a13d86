import { Alert, Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Page } from "../../ui/page.tsx";
import { SegmentForm } from "./parts/form.tsx";
import { SEGMENT_STALE } from "./parts/stale.ts";
import { newSegmentDraft, ruleOf, segmentBody } from "./rules.ts";
import { words } from "./words.ts";

/** A segment that is not made yet. What is written stays in this tab until it is. */
export function NewSegmentPage({ scope }: { scope: string }) {
  const form = useForm({
    scope,
    operation: "createSegment",
    stale: SEGMENT_STALE,
    key: `new segment ${scope}`,
    initial: newSegmentDraft,
  });
  const { draft, change, fault, refusal } = form;
  const rule = ruleOf(draft);
  const save = async (): Promise<void> => {
    if ("fault" in rule) return;
    const { segment } = await form.send({ body: segmentBody(draft, rule.rule) });
    await form.done({ to: `/p/${scope}/segments/${segment.id}`, message: words.madeIt, replace: true });
  };
  return (
    <Page
      about={words.newAbout}
      actions={
        <FormActions
          form={form}
          label={words.make}
          save={save}
          discard={words.startOver}
          disabled={"fault" in rule}
        />
      }
    >
      <Anchor component={Link} to={`/p/${scope}/segments`} size="sm">
        {words.back}
      </Anchor>
      {refusal !== null && <Alert color="red" title={refusal} role="alert" />}
      <SegmentForm scope={scope} draft={draft} change={change} fault={fault} />
    </Page>
  );
}
