import { PasswordInput, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import { words } from "../words.ts";

export type BucketKeys = { accessKeyId: string; secretAccessKey: string };

type Props = {
  keys: BucketKeys;
  change: (keys: BucketKeys) => void;
  /** What the server says of the form, which names the fields below this path. */
  fault: string | null;
  path: string;
  hasFocus?: boolean;
};

/** The key that may write to a bucket. */
export const KeyFields = ({ keys, change, fault, path, hasFocus = false }: Props) => (
  <>
    <TextInput
      label={words.form.accessKeyId}
      description={words.form.accessKeyIdAbout}
      required
      maxLength={128}
      autoComplete="off"
      {...(hasFocus && { "data-autofocus": true })}
      value={keys.accessKeyId}
      error={faultAt(fault, `${path}.accessKeyId`)}
      onChange={({ currentTarget }) => change({ ...keys, accessKeyId: currentTarget.value })}
    />
    <PasswordInput
      name="secretAccessKey"
      label={words.form.secretAccessKey}
      description={words.form.secretAccessKeyAbout}
      required
      maxLength={256}
      autoComplete="off"
      value={keys.secretAccessKey}
      error={faultAt(fault, `${path}.secretAccessKey`)}
      onChange={({ currentTarget }) => change({ ...keys, secretAccessKey: currentTarget.value })}
    />
  </>
);
