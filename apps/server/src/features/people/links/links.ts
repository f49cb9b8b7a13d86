import { hash, randomBytes } from "node:crypto";
import type { Db } from "../../../platform/db/db.ts";
import type { PersonRole } from "../../../platform/http/contract/person.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { LINK_DAYS, LINK_PAGE, type LinkKind } from "../rules.ts";
import { insertLink } from "./link-store.ts";

/** What a link is for. */
export type LinkFor =
  | { kind: "first" }
  | { kind: "invitation"; email: string; role: PersonRole; projectIds: string[] | null }
  | { kind: "password"; personId: string };

const SECRET_BYTES = 32;

export const digestOf = (token: string): Buffer => hash("sha256", token, "buffer");

const linkTo = (origin: string, kind: LinkKind, token: string): string =>
  // Browsers send no fragment, so no log has the secret.
  `${origin}/app/${LINK_PAGE[kind]}#${token}`;

type Made = { origin: string; organizationId: string; madeBy: string; madeById: string | null; now: number };

/** Makes a link that works once. Answers it in clear, for the only time, with its end (epoch ms). Needs a transaction. */
export async function makeLink(
  db: Db,
  wanted: LinkFor,
  { origin, organizationId, madeBy, madeById, now }: Made,
): Promise<{ link: string; expiresAt: number }> {
  const token = randomBytes(SECRET_BYTES).toString("base64url");
  const expiresAt = now + LINK_DAYS[wanted.kind] * DAY_MS;
  const empty = { email: null, role: null, projectIds: null, personId: null };
  await insertLink(db, {
    ...empty,
    ...wanted,
    digest: digestOf(token),
    organizationId,
    madeBy,
    madeById,
    createdAt: now,
    expiresAt,
  });
  return { link: linkTo(origin, wanted.kind, token), expiresAt };
}
