import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { useAddress } from "../platform/address.ts";

export type View = { name: string; label: string; content: ReactNode };
type Props = {
  /** What the tabs are parts of, for people who do not see them. */
  label: string;
  views: readonly [View, ...View[]];
  /** The name of the one that opens where the address names none; the first where it is left out. */
  opens?: string;
};

/** Parts of a page as tabs. The address names the one that is open, except for the one that opens by itself. */
export function Views({ label, views, opens }: Props) {
  const [{ view = "" }, change] = useAddress();
  const first = views.find(({ name }) => name === opens) ?? views[0];
  const { name: shown } = views.find(({ name }) => name === view) ?? first;
  return (
    <Tabs
      value={shown}
      keepMounted={false}
      onChange={(chosen) => change({ view: chosen === first.name ? "" : (chosen ?? ""), page: "" })}
    >
      <Tabs.List aria-label={label} mb="lg">
        {views.map(({ name, label: text }) => (
          <Tabs.Tab key={name} value={name} px={{ base: 8, xs: "md" }}>
            {text}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {views.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
