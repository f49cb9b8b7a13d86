import { Stack, Text } from "@mantine/core";
import type { CampaignDetail } from "../../../../platform/api-types.ts";
import { numberOf } from "../../../../platform/figures.ts";
import { Rows } from "../../../../ui/lists/rows.tsx";
import { liveVariants } from "../../rules.ts";
import { callsOf } from "../rules.ts";
import { words } from "../words.ts";

/** What became of the mails of a template, for each of its variants and in all. */
export function TemplateFigures({ template }: { template: CampaignDetail }) {
  const calls = callsOf(template);
  const variants = liveVariants(template);
  const lines = [
    ...(variants.length > 1 ? variants.map(({ id, name, stats }) => ({ id, name, stats })) : []),
    { id: "all", name: words.total, stats: template.stats },
  ];
  return (
    <Stack>
      <Rows
        heads={[words.variant, ...calls.map((name) => words.calls[name])]}
        rows={lines.map(({ id, name, stats }) => ({
          id,
          cells: [name, ...calls.map((each) => numberOf(stats[each]))],
        }))}
      />
      <Text size="sm" c="dimmed" maw="44rem">
        {template.sensitive ? words.figuresOfSecret : words.figuresAbout}
      </Text>
    </Stack>
  );
}
