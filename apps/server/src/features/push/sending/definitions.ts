import type { Db } from "../../../platform/db/db.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { derivedKey, newUuid } from "../../../platform/uuid.ts";
import type { PushContent, PushSettings } from "../../content/push/message.pure.ts";
import { type CompiledPush, compilePush } from "../../content/push/payload.pure.ts";
import { fingerprint } from "../../content/push/public.ts";
import {
  type CampaignSpec,
  insertDefinitions,
  readCampaignSpec,
  readDefinition,
} from "./definition-store.ts";

/** What a variant says under some settings, ready to be filled in. */
export type Definition = {
  id: string;
  variantId: string;
  /** SHA-256 of content and settings, hexadecimal. */
  fingerprint: string;
  content: PushContent;
  settings: PushSettings;
  compiled: CompiledPush;
};

/** A push campaign as it stands: what it says by variant, to which devices, until when. */
export type Wording = Omit<CampaignSpec, "variants"> & {
  variants: readonly { id: string; weight: number }[];
  definitions: ReadonlyMap<string, Definition>;
  /** What selects devices; it changes with app and selection. */
  selectedBy: string;
};

/** Wordings that are kept; a process rarely sends more at once. */
const MAX_KEPT = 1_000;

const kept = resource(() => {
  const byId = new Map<string, Definition>();
  const byText = new Map<string, Definition>();
  return {
    byId,
    byText,
    keep(definition: Definition): Definition {
      if (byId.size >= MAX_KEPT) {
        byId.clear();
        byText.clear();
      }
      byId.set(definition.id, definition);
      byText.set(definition.variantId + definition.fingerprint, definition);
      return definition;
    },
  };
});

const selectedBy = ({ appId, selection }: PushSettings): string =>
  derivedKey(appId, selection.kind, "installationId" in selection ? selection.installationId : "");

/** The wording of a push campaign at this moment, written down where it is new; null where there is no such campaign. */
export async function currentWording(
  app: App,
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<Wording | null> {
  const spec = await readCampaignSpec(db, projectId, campaignId);
  if (spec === null) return null;
  const { byText, keep } = app.get(kept);
  const { settings } = spec;
  const asked = spec.variants.map(({ id, content }) => ({
    variantId: id,
    content,
    fingerprint: fingerprint(content, settings),
  }));
  const unknown = asked.filter((each) => !byText.has(each.variantId + each.fingerprint));
  if (unknown.length > 0) {
    const rows = unknown.map((each) => ({ ...each, id: newUuid(app.clock()), settings }));
    const ids = await insertDefinitions(db, projectId, campaignId, rows, app.clock());
    for (const each of unknown) {
      const id = ids.get(each.variantId + each.fingerprint);
      if (id === undefined) throw new Error("A wording that was written is not there.");
      keep({ ...each, id, settings, compiled: compilePush(each.content) });
    }
  }
  const definitions = new Map<string, Definition>();
  for (const each of asked) {
    const known = byText.get(each.variantId + each.fingerprint);
    if (known !== undefined) definitions.set(each.variantId, known);
  }
  return { ...spec, definitions, selectedBy: selectedBy(settings) };
}

/** A wording that was sent. */
export async function definitionOf(app: App, projectId: string, id: string): Promise<Definition> {
  const { byId, keep } = app.get(kept);
  const known = byId.get(id);
  if (known !== undefined) return known;
  const row = await readDefinition(app.database.kysely, projectId, id);
  if (row === null) throw new Error("A wording that was sent is not there.");
  return keep({ ...row, compiled: compilePush(row.content) });
}
