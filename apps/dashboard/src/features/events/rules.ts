import type { Answer } from "@tidings/client";

export type Event = Answer<"listEvents">["events"][number];
export type EventName = Answer<"getAudienceCapabilities">["capabilities"]["events"][number];

/** What an address says of the stream: which events, up to which instant, and which one is open. */
export type ShownEvents = {
  name: string;
  user: string;
  /** The stream stands still at this instant (epoch ms); null while it goes on. */
  stillAt: number | null;
  /** Id of the event that is open; empty for none. */
  open: string;
};

const instantIn = (text: string | undefined): number | null => {
  const at = Number(text ?? "");
  return Number.isSafeInteger(at) && at > 0 ? at : null;
};

/** `until` is chosen by hand; `at` belongs to the open event, so that the stream goes on when it is closed. */
export const shownBy = ({
  name = "",
  user = "",
  until,
  at,
  event = "",
}: Readonly<Record<string, string>>): ShownEvents => ({
  name,
  user,
  open: event,
  stillAt: instantIn(until) ?? (event === "" ? null : instantIn(at)),
});

/** The body of the request that would track the same again; null for an event of a user who was erased. */
export const trackBodyOf = ({ name, props, externalUserId }: Event) =>
  externalUserId === "" ? null : { userId: externalUserId, event: name, ...(props !== null && { props }) };

/** The properties that events of a name have had, with their types. */
export const propertiesOf = ({ properties }: EventName): string =>
  properties.map(({ key, types }) => `${key} (${Object.keys(types).join(", ")})`).join(", ");
