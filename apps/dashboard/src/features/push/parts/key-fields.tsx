import { Group, Textarea, TextInput } from "@mantine/core";
import type { TypedCredential, Way } from "../rules.ts";
import { words } from "../words.ts";

type Props = {
  platform: Way["platform"];
  appId: string;
  typed: TypedCredential;
  change: (typed: TypedCredential) => void;
};

/** What Apple or Google gave: a key with its ids, or a service account. */
export function KeyFields({ platform, appId, typed, change }: Props) {
  if (platform === "android")
    return (
      <Textarea
        label={words.account}
        description={words.accountAbout}
        required
        rows={6}
        maxLength={32_000}
        autoComplete="off"
        spellCheck={false}
        value={typed.account}
        onChange={({ currentTarget }) => change({ ...typed, account: currentTarget.value })}
      />
    );
  return (
    <>
      <Group grow align="flex-start">
        <TextInput
          label={words.teamId}
          required
          maxLength={10}
          value={typed.teamId}
          onChange={({ currentTarget }) => change({ ...typed, teamId: currentTarget.value })}
        />
        <TextInput
          label={words.keyId}
          required
          maxLength={10}
          value={typed.keyId}
          onChange={({ currentTarget }) => change({ ...typed, keyId: currentTarget.value })}
        />
      </Group>
      <TextInput
        label={words.topic}
        description={words.topicAbout}
        placeholder={appId}
        maxLength={256}
        value={typed.topic}
        onChange={({ currentTarget }) => change({ ...typed, topic: currentTarget.value })}
      />
      <Textarea
        label={words.privateKey}
        description={words.privateKeyAbout}
        required
        rows={5}
        maxLength={16_384}
        autoComplete="off"
        spellCheck={false}
        value={typed.privateKey}
        onChange={({ currentTarget }) => change({ ...typed, privateKey: currentTarget.value })}
      />
    </>
  );
}
