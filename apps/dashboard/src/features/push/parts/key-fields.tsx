import { Checkbox, Group, Textarea, TextInput } from "@mantine/core";
import type { TypedCredential, Way } from "../rules.ts";
import { words } from "../words.ts";

type FieldsProps = {
  typed: TypedCredential;
  change: (typed: TypedCredential) => void;
  /** What the server says of a field of the credential. */
  faultOf: (field: string) => string | undefined;
};

/** The JSON that Google gave, whose parts are named in what the server says of it. */
const AccountField = ({ typed, change }: FieldsProps) => (
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

/** Whom push services of browsers turn to, and a key where a person brings one. */
function BrowserFields({ typed, change, faultOf }: FieldsProps) {
  const { subject, vapidKey } = typed;
  return (
    <>
      <TextInput
        label={words.subject}
        description={words.subjectAbout}
        placeholder="mailto:push@your-domain.com"
        required
        maxLength={256}
        value={subject}
        error={faultOf("subject")}
        onChange={({ currentTarget }) => change({ ...typed, subject: currentTarget.value })}
      />
      <Checkbox
        label={words.bringsKey}
        description={words.bringsKeyAbout}
        checked={vapidKey !== null}
        onChange={({ currentTarget }) => change({ ...typed, vapidKey: currentTarget.checked ? "" : null })}
      />
      {vapidKey !== null && (
        <TextInput
          label={words.vapidKey}
          description={words.vapidKeyAbout}
          required
          maxLength={256}
          autoComplete="off"
          spellCheck={false}
          value={vapidKey}
          error={faultOf("privateKey")}
          onChange={({ currentTarget }) => change({ ...typed, vapidKey: currentTarget.value })}
        />
      )}
    </>
  );
}

/** The key that Apple gave, with its ids. */
function AppleFields({ appId, typed, change, faultOf }: FieldsProps & { appId: string }) {
  return (
    <>
      <Group grow align="flex-start">
        <TextInput
          label={words.teamId}
          required
          maxLength={10}
          value={typed.teamId}
          error={faultOf("teamId")}
          onChange={({ currentTarget }) => change({ ...typed, teamId: currentTarget.value })}
        />
        <TextInput
          label={words.keyId}
          required
          maxLength={10}
          value={typed.keyId}
          error={faultOf("keyId")}
          onChange={({ currentTarget }) => change({ ...typed, keyId: currentTarget.value })}
        />
      </Group>
      <TextInput
        label={words.topic}
        description={words.topicAbout}
        placeholder={appId}
        maxLength={256}
        value={typed.topic}
        error={faultOf("topic")}
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
        error={faultOf("privateKey")}
        onChange={({ currentTarget }) => change({ ...typed, privateKey: currentTarget.value })}
      />
    </>
  );
}

/** What the provider of a platform asks for. */
export function KeyFields({
  platform,
  appId,
  ...fields
}: FieldsProps & { platform: Way["platform"]; appId: string }) {
  if (platform === "android") return <AccountField {...fields} />;
  return platform === "web" ? <BrowserFields {...fields} /> : <AppleFields appId={appId} {...fields} />;
}
