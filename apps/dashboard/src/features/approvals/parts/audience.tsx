import { SimpleGrid, Text } from "@mantine/core";
import { Figure } from "../../../ui/figure.tsx";
import long from "../../../ui/long.module.css";
import { Section } from "../../../ui/section.tsx";
import type { Approval } from "../rules.ts";
import { words } from "../words.ts";

/** Whom the campaign is for, and how many of them have it. */
export const Audience = ({ of }: { of: Approval["review"]["audience"] }) => (
  <Section title={words.audience}>
    <Text className={long.long}>{of.summary}</Text>
    <SimpleGrid cols={{ base: 1, xs: 3 }} maw="44rem">
      <Figure label={words.matched} value={of.matched} />
      <Figure label={words.delivered} value={of.delivered} />
      <Figure label={words.left} value={of.left} />
    </SimpleGrid>
  </Section>
);
