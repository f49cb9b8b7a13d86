import { Accordion, Text } from "@mantine/core";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { JsonBlock } from "../../../ui/texts/json.tsx";
import { To } from "../../../ui/to.tsx";
import { namesOf, withNames } from "../../../ui/with-names.ts";
import { type Approval, variantName } from "../rules.ts";
import { words } from "../words.ts";

/** The agent's reason, what its change claims, and the run in which it said so. */
export function ProposalEvidence({ scope, approval }: { scope: string; approval: Approval }) {
  const { review, claims, campaign } = approval;
  const { evidence } = review;
  const rationale = evidence?.rationale ?? null;
  return (
    <Section title={words.evidence}>
      <Text className={long.long}>
        {evidence === null
          ? words.noEvidence
          : rationale === null
            ? words.noRationale
            : withNames(rationale, namesOf(campaign.variants))}
      </Text>
      {claims.map(({ variantId, is }) => (
        <Text key={variantId} size="sm" className={long.long}>
          {approval.isSplitBroken
            ? words.brokenClaim(variantName(campaign.variants, variantId))
            : words.claims[is](variantName(campaign.variants, variantId))}
        </Text>
      ))}
      {evidence !== null && (
        <>
          <To scope={scope} path={`agent/runs/${evidence.runId}`}>
            {words.run}
          </To>
          {evidence.output !== null && (
            <Accordion variant="contained">
              <Accordion.Item value="output">
                <Accordion.Control>{words.evidenceData}</Accordion.Control>
                <Accordion.Panel>
                  <JsonBlock value={evidence.output} label={words.evidenceJson} />
                </Accordion.Panel>
              </Accordion.Item>
            </Accordion>
          )}
        </>
      )}
    </Section>
  );
}
