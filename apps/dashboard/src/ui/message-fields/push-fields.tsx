import { NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useId } from "react";
import { useOperation } from "../../platform/operations.ts";
import { Failed } from "../loaded.tsx";
import { optionsOf } from "../options.ts";
import { destinationOf, fieldWriters, type Push, type TextFields } from "./content.ts";
import { words } from "./words.ts";

/** Parts of a push that the form has no fields for; they stay as they are. */
const KEPT = ["data", "actions", "ios", "android"];

type Destination = ReturnType<typeof destinationOf>;

/** Says of a place in an app that browsers open none, where the app has browsers. */
function NotInBrowsers({ scope, appId }: { scope: string; appId: string }) {
  const known = useOperation(scope, "listPushCredentials", {});
  const credentials = known.data?.credentials ?? [];
  if (!credentials.some((each) => each.appId === appId && each.platform === "web")) return null;
  return (
    <Text span display="block" size="xs" c="var(--mantine-color-text)">
      {words.notInBrowsers(appId)}
    </Text>
  );
}

/** The texts of a push. `appId`: of the app that it goes to. */
export function PushFields({
  scope,
  appId,
  content,
  change,
  faultOf,
  about,
}: TextFields & { scope: string; appId: string }) {
  const { title, body, destination, image } = content as {
    title: string;
    body: string;
    destination?: Destination;
    image?: string;
  };
  const write = fieldWriters(content, change);
  const kept = KEPT.filter((name) => content[name] !== undefined);
  return (
    <Stack>
      <TextInput
        name="title"
        label={words.title}
        maxLength={256}
        value={title}
        error={faultOf("title")}
        description={about("title")}
        onChange={write("title")}
      />
      <Textarea
        name="body"
        label={words.body}
        description={about("body", words.personalAbout)}
        maxLength={2_048}
        autosize
        minRows={3}
        value={body}
        error={faultOf("body")}
        onChange={write("body")}
      />
      <TextInput
        name="destination.url"
        label={words.destination}
        description={
          <>
            {about("destination.url", words.destinationAbout)}
            {destination?.kind === "app" && <NotInBrowsers scope={scope} appId={appId} />}
          </>
        }
        maxLength={2_048}
        value={destination?.url ?? ""}
        error={faultOf("destination.url") ?? faultOf("destination")}
        onChange={({ currentTarget }) =>
          change({ ...content, destination: destinationOf(currentTarget.value) })
        }
      />
      <TextInput
        name="image"
        label={words.pushImage}
        maxLength={2_048}
        value={image ?? ""}
        error={faultOf("image")}
        description={about("image")}
        onChange={write("image")}
      />
      {kept.length > 0 && (
        <Text size="sm" c="dimmed">
          {words.keptParts(kept.join(", "))}
        </Text>
      )}
    </Stack>
  );
}

type SettingsProps = {
  scope: string;
  push: Push;
  faultOf: (field: string) => string | undefined;
  change: (push: Push) => void;
};

const SECONDS_OF_AN_HOUR = 3_600;
const DEFAULT_TTL_HOURS = 24;

/** Which app and which devices a push goes to, and for how long it is worth delivering. */
export function PushSettingsFields({ scope, push, faultOf, change }: SettingsProps) {
  const id = useId();
  const known = useOperation(scope, "listPushCredentials", {});
  const apps = [...new Set((known.data?.credentials ?? []).map(({ appId }) => appId))];
  const { selection, ttlSeconds } = push;
  const select = (kind: string): void =>
    change({
      ...push,
      selection:
        kind === "specific" ? { kind, installationId: "" } : { kind: kind === "all" ? "all" : "last_active" },
    });
  const { replacementKey = "", ...without } = push;
  return (
    <Stack>
      <TextInput
        name="push.appId"
        label={words.app}
        description={words.appAbout}
        maxLength={256}
        list={`${id}-apps`}
        value={push.appId}
        error={faultOf("push.appId")}
        onChange={({ currentTarget }) => change({ ...push, appId: currentTarget.value })}
      />
      <datalist id={`${id}-apps`}>
        {apps.map((app) => (
          <option key={app} value={app} />
        ))}
      </datalist>
      <Failed query={known} />
      <NativeSelect
        label={words.devices}
        data={optionsOf(words.selections)}
        value={selection.kind}
        onChange={({ currentTarget }) => select(currentTarget.value)}
      />
      {selection.kind === "specific" && (
        <TextInput
          name="push.selection.installationId"
          label={words.installation}
          maxLength={128}
          value={selection.installationId}
          error={faultOf("push.selection.installationId")}
          onChange={({ currentTarget }) =>
            change({ ...push, selection: { kind: "specific", installationId: currentTarget.value } })
          }
        />
      )}
      <TextInput
        name="push.ttlSeconds"
        label={words.ttl}
        type="number"
        min={1}
        max={672}
        value={ttlSeconds === undefined ? DEFAULT_TTL_HOURS : ttlSeconds / SECONDS_OF_AN_HOUR}
        error={faultOf("push.ttlSeconds")}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          change({
            ...push,
            ttlSeconds: Math.round((Number.isNaN(valueAsNumber) ? 0 : valueAsNumber) * SECONDS_OF_AN_HOUR),
          })
        }
      />
      <TextInput
        name="push.replacementKey"
        label={words.replacementKey}
        description={words.replacementAbout}
        error={faultOf("push.replacementKey")}
        maxLength={64}
        value={replacementKey}
        onChange={({ currentTarget: { value } }) =>
          change(value === "" ? without : { ...push, replacementKey: value })
        }
      />
    </Stack>
  );
}
