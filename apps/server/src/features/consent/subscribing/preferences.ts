import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { escapeHtml } from "../../../platform/text/html.ts";
import { listTopicRows, type TopicRow } from "../../campaigns/topics/public.ts";
import { readAddress } from "../../email/addresses/public.ts";
import {
  deadLinkPage,
  FROM_EVERYTHING,
  type Linked,
  offPage,
  readerPage,
  readLinked,
  recipientOf,
  resumeMail,
} from "../../email/feedback/public.ts";
import { chooseForAddress, ofAddress, readChoices, wantsTopic } from "../choices/public.ts";
import { proofOfReader } from "./proof.ts";

/** What a reader may choose of: each topic, and whether they get it. */
type Offered = { topic: TopicRow; isIn: boolean };

type Reader = Linked & {
  address: { lane: number; addressKey: string };
  /** Whether they have unsubscribed from everything. */
  isOut: boolean;
  offered: readonly Offered[];
};

/** The reader of a link; null where it does not work, and `off` where mail to the address was stopped for good. */
async function readReader(app: App, request: PublicRequest): Promise<Reader | "off" | null> {
  const linked = await readLinked(app, request);
  if (linked === null) return null;
  const { projectId } = linked;
  const recipient = await recipientOf(app, linked);
  if (recipient === null) return null;
  const address = { lane: recipient.addressLane, addressKey: recipient.addressKey };
  const { kysely } = app.database;
  const known = await readAddress(kysely, projectId, address, 0);
  if (known?.isSuppressed && known.suppressedBy !== "unsubscribed") return "off";
  const topics = await listTopicRows(kysely, projectId, { status: "active" });
  const chosen = await readChoices(kysely, projectId, ofAddress(address));
  const offered = topics.map((topic) => {
    const choice = chosen.find(({ topicId }) => topicId === topic.id);
    return { topic, isIn: wantsTopic(topic, choice?.isIn ?? null) };
  });
  return { ...linked, address, isOut: known?.isSuppressed === true, offered };
}

function checkbox({ topic: { key, name, description }, isIn }: Offered, isOut: boolean): string {
  const id = `topic-${escapeHtml(key)}`;
  const about =
    description === "" ? "" : `<span class="soft" id="${id}-about">${escapeHtml(description)}</span>`;
  const described = description === "" ? "" : ` aria-describedby="${id}-about"`;
  return `<div class="choice"><input type="hidden" name="shown" value="${escapeHtml(key)}">
<input type="checkbox" id="${id}" name="topic" value="${escapeHtml(key)}"${described}${isIn && !isOut ? " checked" : ""}>
<label for="${id}"><strong>${escapeHtml(name)}</strong></label>${about}</div>`;
}

function formOf({ offered, isOut }: Reader): string {
  const boxes = offered.map((each) => checkbox(each, isOut)).join("\n");
  return `<form method="post" action="preferences">
<fieldset><legend>By email I get</legend>
${boxes}
</fieldset>
<button>Save</button>
</form>`;
}

function textOf({ about: { sender }, isOut, offered }: Reader, isSaved: boolean): string {
  if (isOut)
    return `You have unsubscribed from all email from ${sender}. Tick what you would like to get again.`;
  if (offered.length === 0) return `${sender} has no topics to choose from.`;
  return isSaved
    ? `From now on ${sender} sends you what is ticked.`
    : `Choose what ${sender} may send to your address.`;
}

function preferencesPage(reader: Reader, isSaved: boolean): PublicAnswer {
  const { about, isOut, offered } = reader;
  const title = isSaved ? "Saved" : "What you get by email";
  const text = [textOf(reader, isSaved)];
  const actions = isOut
    ? []
    : [{ to: FROM_EVERYTHING, label: `Stop all email from ${about.sender}`, isQuiet: true as const }];
  return readerPage(200, { title, text }, { form: offered.length === 0 ? "" : formOf(reader), actions });
}

/** Shows what a reader gets, and changes nothing. */
const showPreferences: PublicRoute = {
  method: "GET",
  path: "/e/{token}/preferences",
  async respond(app, request) {
    const reader = await readReader(app, request);
    if (reader === "off") return offOf(app, request);
    return reader === null ? deadLinkPage() : preferencesPage(reader, false);
  },
};

async function offOf(app: App, request: PublicRequest): Promise<PublicAnswer> {
  const linked = await readLinked(app, request);
  return linked === null ? deadLinkPage() : offPage(linked.about.sender);
}

/**
 * Saves what a reader ticked. A topic that the page did not show, because it was made since, stays as it is. A reader who had unsubscribed from
 * everything and ticks something gets that again; with nothing ticked they stay out.
 */
async function save(app: App, request: PublicRequest, reader: Reader): Promise<void> {
  const { projectId, address, isOut, offered } = reader;
  const sent = new URLSearchParams(request.body.toString("utf8"));
  const [shown, ticked] = [new Set(sent.getAll("shown")), new Set(sent.getAll("topic"))];
  const choices = offered.flatMap(({ topic, isIn: wasIn }) => {
    if (!shown.has(topic.key)) return [];
    const isIn = ticked.has(topic.key);
    return isIn === wasIn && !isOut ? [] : [{ topicId: topic.id, isIn }];
  });
  if (choices.length === 0 || (isOut && !choices.some(({ isIn }) => isIn))) return;
  await app.database.kysely.transaction().execute(async (tx) => {
    const proof = await proofOfReader(tx, projectId, request, "preferences");
    await chooseForAddress(tx, projectId, { ...address, address: null }, choices, proof);
    if (isOut) await resumeMail(tx, projectId, address, proof);
  });
}

const savePreferences: PublicRoute = {
  method: "POST",
  path: "/e/{token}/preferences",
  async respond(app, request) {
    const reader = await readReader(app, request);
    if (reader === null) return deadLinkPage();
    if (reader === "off") return offOf(app, request);
    await save(app, request, reader);
    const saved = await readReader(app, request);
    return saved === null || saved === "off" ? deadLinkPage() : preferencesPage(saved, true);
  },
};

export const preferenceRoutes: readonly PublicRoute[] = [showPreferences, savePreferences];
