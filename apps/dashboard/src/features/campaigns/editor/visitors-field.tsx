import { NativeSelect } from "@mantine/core";
import { isVisitorsMet, type VisitorsMet, visitorsWords } from "../../../ui/campaigns/visitors-words.ts";
import { optionsOf } from "../../../ui/options.ts";

type Props = { visitors: VisitorsMet; fault: string | undefined; change: (visitors: VisitorsMet) => void };

/** Whether a web campaign is for users, for visitors who are not signed in, or for both. */
export const VisitorsField = ({ visitors, fault, change }: Props) => (
  <NativeSelect
    name="visitors"
    label={visitorsWords.field}
    description={visitorsWords.about}
    error={fault}
    data={optionsOf(visitorsWords.choices)}
    value={visitors}
    onChange={({ currentTarget: { value } }) => {
      if (isVisitorsMet(value)) change(value);
    }}
  />
);
