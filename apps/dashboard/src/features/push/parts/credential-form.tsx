import { Alert, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { faultAt } from "../../../platform/faults.ts";
import { useMe } from "../../../platform/me.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { optionsOf } from "../../../ui/options.ts";
import {
  type Credential,
  contactOf,
  credentialOf,
  PLATFORMS,
  type TypedCredential,
  type Way,
} from "../rules.ts";
import { words } from "../words.ts";
import { KeyFields } from "./key-fields.tsx";

type Props = {
  scope: string;
  /** The credential whose place the new one takes; null for another app, platform or environment. */
  replaces: Credential | null;
  known: readonly Credential[];
  close: () => void;
};

type Place = Pick<Way, "appId" | "platform" | "environment">;

const AT_FIRST: Place = { appId: "", platform: "ios", environment: "production" };
const NOTHING_TYPED: TypedCredential = {
  teamId: "",
  keyId: "",
  topic: "",
  privateKey: "",
  account: "",
  subject: "",
  vapidKey: null,
};

/** What is typed for each platform that a refusal may be about, by the names that the credential has. */
const FIELDS: Readonly<Record<Way["platform"], readonly string[]>> = {
  ios: ["teamId", "keyId", "topic", "privateKey"],
  // They are all in one file.
  android: [],
  web: ["subject", "privateKey"],
};

const aboutOf = (platform: Way["platform"], isReplaced: boolean): string => {
  if (platform !== "web") return words.putAbout;
  return isReplaced ? words.replaceAboutWeb : words.putAboutWeb;
};

function PlaceFields({
  place,
  isFixed,
  change,
}: {
  place: Place;
  isFixed: boolean;
  change: (place: Place) => void;
}) {
  const { appId, platform, environment } = place;
  return (
    <>
      <TextInput
        label={words.appId}
        description={words.appIdAbout[platform]}
        required
        maxLength={256}
        disabled={isFixed}
        value={appId}
        data-autofocus={!isFixed}
        onChange={({ currentTarget }) => change({ ...place, appId: currentTarget.value })}
      />
      <Group grow align="flex-start">
        <Select
          label={words.place}
          data={optionsOf(words.platforms)}
          value={platform}
          disabled={isFixed}
          allowDeselect={false}
          onChange={(chosen) =>
            change({ ...place, platform: PLATFORMS.find((each) => each === chosen) ?? platform })
          }
        />
        <Select
          label={words.environment}
          data={optionsOf(words.environments)}
          value={environment}
          disabled={isFixed}
          allowDeselect={false}
          onChange={(chosen) =>
            change({ ...place, environment: chosen === "development" ? "development" : "production" })
          }
        />
      </Group>
      <Text size="sm" c="dimmed">
        {words.environmentAbout[platform]}
      </Text>
    </>
  );
}

/** Asks for a credential; the server tries it out before it is kept. Nothing of the key outlives the form. */
export function CredentialForm({ scope, replaces, known, close }: Props) {
  const [place, setPlace] = useState<Place>(replaces ?? AT_FIRST);
  const { email } = useMe();
  const [typed, setTyped] = useState<TypedCredential>({ ...NOTHING_TYPED, subject: contactOf(email) });
  const validating = useChange(scope, "validatePushCredential", []);
  const putting = useChange(scope, "putPushCredential", ["listPushCredentials", "getPushStanding"]);
  const { appId, platform, environment } = place;
  const credential = credentialOf(platform, { ...typed, topic: typed.topic || appId });
  const isUnreadable = platform === "android" && typed.account.trim() !== "" && credential === null;
  const before =
    known.find(
      (each) => each.appId === appId && each.platform === platform && each.environment === environment,
    )?.revision ?? 0;
  const error = validating.error ?? putting.error;
  const fault = error === null ? null : problemOf(error).message;
  const faultOf = (field: string): string | undefined => faultAt(fault, `credential.${field}`);
  const isAtField = FIELDS[platform].some((field) => faultOf(field) !== undefined);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (credential === null) return;
    putting.reset();
    try {
      await validating.mutateAsync({ body: { credential } });
      await putting.mutateAsync({
        body: { appId, platform, environment, expectedRevision: before, credential },
      });
    } catch {
      // The form shows it.
      return;
    }
    notifications.show({ message: platform === "web" ? words.isKeptWeb : words.isKept });
    close();
  };
  return (
    <Dialog opened close={close} title={replaces === null ? words.putTitle : words.replaceTitle}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Text size="sm">{aboutOf(platform, before > 0)}</Text>
          <PlaceFields place={place} isFixed={replaces !== null} change={setPlace} />
          <KeyFields platform={platform} appId={appId} typed={typed} change={setTyped} faultOf={faultOf} />
          {isUnreadable && <Alert color="red">{words.noAccount}</Alert>}
          <DialogEnd
            change={{ error: isAtField ? null : error, isPending: validating.isPending || putting.isPending }}
            action={words.keep}
            close={close}
            disabled={credential === null}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
