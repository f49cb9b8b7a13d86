import { Group, Select, TextInput } from "@mantine/core";
import { useAddress } from "../../../../platform/address.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { Search } from "../../../../ui/lists/search.tsx";
import { optionsOf } from "../../../../ui/options.ts";
import { words } from "../../words.ts";

const CHOICES = 100;

/** The first and the last day, where people name them. */
function Range() {
  const [{ from = "", to = "" }, change] = useAddress();
  return (
    <>
      <TextInput
        type="date"
        label={words.fromDay}
        value={from}
        {...(to !== "" && { max: to })}
        onChange={({ currentTarget }) => change({ from: currentTarget.value, page: "" })}
      />
      <TextInput
        type="date"
        label={words.toDay}
        value={to}
        {...(from !== "" && { min: from })}
        onChange={({ currentTarget }) => change({ to: currentTarget.value, page: "" })}
      />
    </>
  );
}

/** Which addresses are shown: those like a text, of a reason, of some days, after the mail of a campaign. */
export function SuppressionFilters({ scope }: { scope: string }) {
  const [{ reason = "", when = "", campaign = "" }, change] = useAddress();
  const { data } = useOperation(scope, "listCampaigns", { query: { perPage: CHOICES } });
  const mails = (data?.campaigns ?? []).filter(({ channel }) => channel === "email");
  const known = mails.map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = campaign === "" || known.some(({ value }) => value === campaign);
  return (
    <Group align="flex-end">
      <Search label={words.searchAddress} maxLength={320} />
      <Select
        label={words.reason}
        data={[{ value: "", label: words.anyReason }, ...optionsOf(words.reasons)]}
        value={reason}
        allowDeselect={false}
        onChange={(chosen) => change({ reason: chosen ?? "", page: "" })}
      />
      <Select
        label={words.day}
        data={[{ value: "", label: words.anyTime }, ...optionsOf(words.whens)]}
        value={when}
        allowDeselect={false}
        onChange={(chosen) => change({ when: chosen ?? "", from: "", to: "", page: "" })}
      />
      {when === "range" && <Range />}
      <Select
        label={words.afterCampaign}
        data={[
          { value: "", label: words.anyCampaign },
          ...known,
          ...(isKnown ? [] : [{ value: campaign, label: campaign }]),
        ]}
        value={campaign}
        searchable
        allowDeselect={false}
        onChange={(chosen) => change({ campaign: chosen ?? "", page: "" })}
      />
    </Group>
  );
}
