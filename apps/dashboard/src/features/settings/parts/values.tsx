import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useAddress } from "../../../platform/address.ts";
import { ORGANIZATION, problemOf } from "../../../platform/client.ts";
import { faultAt } from "../../../platform/faults.ts";
import { useFocusedField } from "../../../platform/focused-field.ts";
import { useSaveKey } from "../../../platform/use-save-key.ts";
import { Leaving } from "../../../ui/dialogs/leaving.tsx";
import { Discard } from "../../../ui/form/discard.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Search } from "../../../ui/lists/search.tsx";
import {
  type Drafts,
  found,
  grouped,
  IDENTITY_SECRET,
  type ListedSettings,
  occursIn,
  refusedKey,
  settingChanges,
} from "../rules.ts";
import { words } from "../words.ts";
import { SettingsPart } from "./settings-part.tsx";
import { SettingsReview } from "./settings-review.tsx";
import classes from "./values.module.css";

type Props = { scope: string; listed: ListedSettings };
type Refused = { key: string; message: string };

const labelOf = (key: string): string => words.labels[key] ?? key;

/** All settings by what they are about. What is typed gathers here until it is saved, all of it at once. */
export function Values({ scope, listed }: Props) {
  const { settings, identitySecret } = listed;
  const [{ q = "" }, change] = useAddress();
  const [drafts, setDrafts] = useState<Drafts>({});
  const [refused, setRefused] = useState<Refused | null>(null);
  // The list that the person looks at before saving: one that comes meanwhile is not what they saw.
  const [reviewed, setReviewed] = useState<ListedSettings | null>(null);
  const changes = settingChanges(settings, drafts);
  const draft = (next: Drafts): void => {
    setDrafts(next);
    setRefused(null);
  };
  const refuse = (error: unknown): boolean => {
    const { message } = problemOf(error);
    const key = refusedKey(message, settings);
    if (key === null) return false;
    setReviewed(null);
    setRefused({ key, message: faultAt(message, key) ?? message });
    change({ q: "" }, false);
    return true;
  };
  const saved = (count: number): void => {
    setReviewed(null);
    draft({});
    notifications.show({ message: words.done(count) });
  };
  const review = (): void => setReviewed(changes.length > 0 ? listed : null);
  const all = useSaveKey<HTMLDivElement>(review);
  const { title, about } = words.secret;
  // It belongs to a project.
  const isSecretFound = scope !== ORGANIZATION && occursIn(q, [IDENTITY_SECRET, title, about]);
  const parts = grouped(found(settings, q, labelOf), isSecretFound);
  useFocusedField((key) => key);
  return (
    <Stack gap="lg" ref={all}>
      <Search label={words.search} description={words.searchAbout} maxLength={100} maw="28rem" />
      {changes.length > 0 && (
        <Group className={classes.bar} justify="space-between">
          <div role="status">
            <Text fw={600} size="sm">
              {words.gathered(changes.length)}
            </Text>
            {refused !== null && (
              <Text size="sm" c="var(--mantine-color-error)">
                {words.notSaved}
              </Text>
            )}
          </div>
          <Group gap="xs">
            <Discard label={words.discard} discard={() => draft({})} />
            <Button onClick={review}>{words.review}</Button>
          </Group>
        </Group>
      )}
      {parts.map(({ name, settings: own, hasSecret }) => (
        <SettingsPart
          key={name}
          scope={scope}
          name={name}
          drafts={drafts}
          draft={draft}
          refused={refused}
          settings={own}
          {...(hasSecret && { identitySecret })}
        />
      ))}
      {parts.length === 0 && (
        <Empty title="" about="" filtered={{ title: words.noMatch, clear: () => change({ q: "" }) }} />
      )}
      {reviewed !== null && (
        <SettingsReview
          scope={scope}
          changes={settingChanges(reviewed.settings, drafts)}
          drafts={drafts}
          seen={reviewed.newest}
          close={() => setReviewed(null)}
          saved={saved}
          refuse={refuse}
        />
      )}
      <Leaving
        about={words.leaveAbout}
        isUnsaved={() => changes.length > 0}
        save={() => Promise.resolve(changes.length === 0)}
      />
    </Stack>
  );
}
