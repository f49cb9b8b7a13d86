import { Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { optionsOf } from "../../../ui/options.ts";
import type { TypedRepository } from "../rules.ts";
import { words } from "../words.ts";

type Props = {
  typed: TypedRepository;
  change: (typed: TypedRepository) => void;
  /** A new repository, one that has a credential, or one that has none. */
  source: "new" | "sealed" | "open";
};

const isSshKey = (credential: string): boolean => credential.trimStart().startsWith("-----BEGIN");

function CredentialFields({ typed, change, source }: Props) {
  const { credential, knownHosts, dropsCredential } = typed;
  return (
    <>
      <Textarea
        label={words.credential}
        description={source === "sealed" ? words.newCredentialAbout : words.credentialAbout}
        rows={2}
        maxLength={16_000}
        autoComplete="off"
        spellCheck={false}
        disabled={dropsCredential}
        value={credential}
        onChange={({ currentTarget }) => change({ ...typed, credential: currentTarget.value })}
      />
      {isSshKey(credential) && (
        <Textarea
          label={words.knownHosts}
          description={words.knownHostsAbout}
          required
          rows={3}
          maxLength={16_000}
          value={knownHosts}
          onChange={({ currentTarget }) => change({ ...typed, knownHosts: currentTarget.value })}
        />
      )}
      {source === "sealed" && (
        <Checkbox
          label={words.dropCredential}
          checked={dropsCredential}
          onChange={({ currentTarget }) =>
            change({ ...typed, dropsCredential: currentTarget.checked, credential: "" })
          }
        />
      )}
    </>
  );
}

/** What is said of a repository. */
export function SourceFields({ typed, change, source }: Props) {
  const set = (changed: Partial<TypedRepository>): void => change({ ...typed, ...changed });
  return (
    <>
      {source === "new" && (
        <TextInput
          label={words.id}
          description={words.idAbout}
          required
          maxLength={128}
          data-autofocus
          value={typed.id}
          onChange={({ currentTarget }) => set({ id: currentTarget.value })}
        />
      )}
      <Select
        label={words.kind}
        data={optionsOf(words.kindLabels)}
        value={typed.kind}
        allowDeselect={false}
        onChange={(chosen) => set({ kind: chosen === "github" ? "github" : "git" })}
      />
      <TextInput
        label={words.url}
        description={words.urlAbout}
        required
        maxLength={2_048}
        value={typed.url}
        onChange={({ currentTarget }) => set({ url: currentTarget.value })}
      />
      <TextInput
        label={words.branch}
        description={words.branchAbout}
        required
        maxLength={255}
        value={typed.branch}
        onChange={({ currentTarget }) => set({ branch: currentTarget.value })}
      />
      <CredentialFields typed={typed} change={change} source={source} />
      <Textarea
        label={words.instructions}
        description={words.instructionsAbout}
        rows={2}
        maxLength={8_000}
        value={typed.instructions}
        onChange={({ currentTarget }) => set({ instructions: currentTarget.value })}
      />
      {source !== "new" && (
        <>
          <Checkbox
            label={words.isEnabled}
            checked={typed.enabled}
            onChange={({ currentTarget }) => set({ enabled: currentTarget.checked })}
          />
          <Checkbox
            label={words.isPaused}
            checked={typed.paused}
            onChange={({ currentTarget }) => set({ paused: currentTarget.checked })}
          />
        </>
      )}
    </>
  );
}
