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

/** The content of a variant with the settings of its campaign, compiled so that personal fields can be filled in. */
export type PushDefinition = {
  id: string;
  variantId: string;
  /** SHA-256 of content and settings, hexadecimal. */
  fingerprint: string;
  content: PushContent;
  settings: PushSettings;
  compiled: CompiledPush;
};

/** The current content revision of a push campaign: definitions by variant, selection of devices, delivery window. */
export type ContentRevision = Omit<CampaignSpec, "variants"> & {
  variants: readonly { id: string; weight: number }[];
  definitions: ReadonlyMap<string, PushDefinition>;
  /** A key that changes with the app and the selection of devices. */
  selectedBy: string;
};

/** Definitions that are kept in memory; a process rarely sends more at once. */
const MAX_KEPT = 1_000;

const kept = resource(() => {
  const byId = new Map<string, PushDefinition>();
  const byText = new Map<string, PushDefinition>();
  return {
    byId,
    byText,
    keep(definition: PushDefinition): PushDefinition {
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

/** The current content revision of a push campaign, whose new definitions are inserted; null where there is no such campaign. */
export async function ensureContentRevision(
  app: App,
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<ContentRevision | null> {
  const spec = await readCampaignSpec(db, projectId, campaignId);
  if (spec === null) return null;
  const { byText, keep } = app.get(kept);
  const { settings } = spec;
  const contents = spec.variants.map(({ id, content }) => ({
    variantId: id,
    content,
    fingerprint: fingerprint(content, settings),
  }));
  const unknown = contents.filter((each) => !byText.has(each.variantId + each.fingerprint));
  if (unknown.length > 0) {
    const rows = unknown.map((each) => ({ ...each, id: newUuid(app.clock()), settings }));
    const ids = await insertDefinitions(db, projectId, campaignId, rows, app.clock());
    for (const each of unknown) {
      const id = ids.get(each.variantId + each.fingerprint);
      if (id === undefined) throw new Error("A definition that was inserted is not there.");
      keep({ ...each, id, settings, compiled: compilePush(each.content) });
    }
  }
  const definitions = new Map<string, PushDefinition>();
  for (const each of contents) {
    const known = byText.get(each.variantId + each.fingerprint);
    if (known !== undefined) definitions.set(each.variantId, known);
  }
  return { ...spec, definitions, selectedBy: selectedBy(settings) };
}

/** The definition of an earlier target. */
export async function definitionOf(app: App, projectId: string, id: string): Promise<PushDefinition> {
  const { byId, keep } = app.get(kept);
  const known = byId.get(id);
  if (known !== undefined) return known;
  const row = await readDefinition(app.database.kysely, projectId, id);
  if (row === null) throw new Error("A definition that was sent is not there.");
  return keep({ ...row, compiled: compilePush(row.content) });
}
