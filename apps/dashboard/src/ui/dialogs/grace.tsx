import { Select } from "@mantine/core";
import { optionsOf } from "../options.ts";
import { words } from "../words.ts";

/** How many minutes a former secret goes on where a person says nothing else: a day. */
export const USUAL_GRACE = 1_440;

type Props = { label: string; minutes: number; choose: (minutes: number) => void };

/** For how long a secret that is replaced goes on. */
export const Grace = ({ label, minutes, choose }: Props) => (
  <Select
    label={label}
    data={optionsOf(words.graces)}
    value={String(minutes)}
    allowDeselect={false}
    onChange={(chosen) => choose(Number(chosen ?? USUAL_GRACE))}
  />
);
