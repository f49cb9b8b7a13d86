import { Alert, List, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import type { ReactNode } from "react";
import { numberOf } from "../../platform/figures.ts";
import long from "../look/long.module.css";
import { To } from "../to.tsx";
import {
  type FieldGap,
  fieldName,
  traitName,
  type Warning,
  warningPlace,
  warningText,
} from "./rules.pure.ts";
import { words } from "./words.ts";

type Census = Pick<
  Answer<"takeCampaignCensus">,
  "campaignId" | "channel" | "missing" | "uncountedFields" | "warnings"
>;

type Props = {
  scope: string;
  census: Census;
  /** The variants of the campaign, in its order. */
  variants: readonly { name: string }[];
  /** Where the texts are changed in the editor of the campaign: what else happens on the way there. Left out where they are no texts of it. */
  edit?: () => void;
  /** What stands there where nothing is wrong. */
  none?: ReactNode;
};

const MissingField = ({ missing: { field, users, of: all } }: { missing: FieldGap }) => (
  <List.Item>{words.missing(numberOf(users), numberOf(all), traitName(field))}</List.Item>
);

/** A warning with the variant and the field that it is about, and the way there. */
function FoundWarning({ scope, census, variants, edit, warning }: Props & { warning: Warning }) {
  const place = warningPlace(warning.path);
  const variant = place === null || variants.length < 2 ? null : (variants[place.variant]?.name ?? null);
  return (
    <List.Item>
      {place !== null && words.at(variant, fieldName(place.field))}
      {warningText(warning)}{" "}
      {place !== null && edit !== undefined && (
        <To
          isOnColour
          scope={scope}
          onClick={edit}
          path={`campaigns/${census.campaignId}/edit`}
          search={{ variant: String(place.variant + 1), field: place.field }}
        >
          {words.edit}
        </To>
      )}
    </List.Item>
  );
}

/** What is wrong with messages before they go out: which users lack what they say, and likely slips in them. */
export function Findings(props: Props) {
  const { scope, edit, none = null } = props;
  const { campaignId, channel, missing, uncountedFields, warnings } = props.census;
  if (missing.length === 0 && warnings.length === 0 && uncountedFields === 0) return none;
  return (
    <Alert color="yellow" title={words.title}>
      <Stack gap="xs">
        {missing.length > 0 && (
          <>
            <List size="sm" className={long.long}>
              {missing.map((each) => (
                <MissingField key={each.field} missing={each} />
              ))}
            </List>
            <Text size="sm">{words.effect[channel]}</Text>
            {edit !== undefined && (
              <To isOnColour scope={scope} path={`campaigns/${campaignId}/edit`} onClick={edit}>
                {words.edit}
              </To>
            )}
          </>
        )}
        {uncountedFields > 0 && <Text size="sm">{words.uncounted(uncountedFields)}</Text>}
        {warnings.length > 0 && (
          <List size="sm" className={long.long}>
            {warnings.map((each) => (
              <FoundWarning key={each.path + each.message} {...props} warning={each} />
            ))}
          </List>
        )}
      </Stack>
    </Alert>
  );
}
