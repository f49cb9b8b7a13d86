import { Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import type { PlaceDraft } from "../rules.ts";
import { words } from "../words.ts";
import { KeyFields } from "./key-fields.tsx";

type Props = {
  place: PlaceDraft;
  change: (place: PlaceDraft) => void;
  /** Whether the server writes to folders of its own. */
  hasFolders: boolean;
  /** What the server says of the form; null where it was not asked, or has taken it. */
  fault: string | null;
  /** Which of the refusals it is that could be of any field. */
  reason: string | null;
};

type Texts = "folder" | "endpoint" | "region" | "bucket" | "prefix";
const KINDS = ["s3", "folder"] as const;
const MOST = { folder: 100, endpoint: 256, region: 64, bucket: 63, prefix: 300 } as const;

/** Where the files go. */
export function PlaceFields({ place, change, hasFolders, fault, reason }: Props) {
  const taken = reason === "place_taken" ? words.taken : undefined;
  const atEndpoint = reason === "private_address" ? (fault ?? undefined) : undefined;
  const field = (name: Texts, path: string, refused?: string) => ({
    label: words.form[name],
    description: words.form[`${name}About`],
    required: true,
    maxLength: MOST[name],
    autoComplete: "off",
    value: place[name],
    error: refused ?? faultAt(fault, `${path}.${name}`),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ ...place, [name]: currentTarget.value }),
  });
  return (
    <Stack>
      {hasFolders && (
        <Radio.Group
          label={words.form.where}
          value={place.kind}
          onChange={(kind) => change({ ...place, kind: kind === "folder" ? "folder" : "s3" })}
        >
          <Stack gap="xs" mt="xs">
            {KINDS.map((kind) => (
              <Radio
                key={kind}
                value={kind}
                label={words.form.wheres[kind]}
                description={words.form.wheresAbout[kind]}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {place.kind === "folder" ? (
        <TextInput {...field("folder", "to", taken)} />
      ) : (
        <>
          <TextInput {...field("endpoint", "to.s3", atEndpoint)} type="url" />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput {...field("region", "to.s3")} />
            <TextInput {...field("bucket", "to.s3")} />
          </SimpleGrid>
          <TextInput {...field("prefix", "to.s3", taken)} />
          <KeyFields
            keys={place}
            change={(keys) => change({ ...place, ...keys })}
            fault={fault}
            path="to.s3"
          />
        </>
      )}
    </Stack>
  );
}
