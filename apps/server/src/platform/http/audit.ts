import type { Db } from "../db/db.ts";
import { port } from "../runtime.ts";
import { type ChangeDescription, type Ctx, type Endpoint, isManagementWrite } from "./contract/endpoint.ts";
import { NO_PROJECT, type Person } from "./contract/person.ts";

/** A change, with who made it. `projectId` is null where it is about the whole organization. */
export type AuditedChange = {
  organizationId: string;
  projectId: string | null;
  at: number;
  by: { kind: "human" | "command"; id: string | null; name: string };
  /** Id of the operation. */
  operation: string;
  /** Id of what was changed. */
  target: string | null;
  detail: AuditDetail;
  requestId: string | null;
};

/** `fields`: names of the fields that were sent. `before`, `after`: what the operation says of it. */
export type AuditDetail = { fields?: readonly string[]; before?: unknown; after?: unknown };

/** Writes an entry, in the transaction of the change. */
export const auditLog = port<(db: Db, entry: AuditedChange) => Promise<void>>("the audit log");

/** Something that entries tell of: an operation by its id, or a step of the sign-in. */
export type AuditedAct = {
  operation: string;
  tag: string;
  did: string;
  target: "person" | "address" | "source" | "id";
};

/** What entries can tell of, from the contracts and from what changes accounts beside them. */
export const auditedActs = port<readonly AuditedAct[]>("what the audit log tells of");

/** Whether a person's request leaves an entry. */
export const leavesEntry = (endpoint: Endpoint): boolean =>
  endpoint.spec.people !== undefined && (isManagementWrite(endpoint) || endpoint.spec.audited === true);

/** What entries tell of operations. */
export const actsOf = (endpoints: readonly Endpoint[]): readonly AuditedAct[] =>
  endpoints.flatMap(({ spec: { id: operation, tag, audit } }) => {
    if (audit === undefined) return [];
    const act = typeof audit === "string" ? { did: audit, target: "id" as const } : audit;
    return { operation, tag, ...act };
  });

type Input = Parameters<Endpoint["handle"]>[1];

const fieldsOf = (body: unknown): readonly string[] =>
  typeof body === "object" && body !== null ? Object.keys(body).sort() : [];

const idIn = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "id" in value ? value.id : undefined;

/** The id of what an operation made: its answer is the thing, or names it as its first field, as in `{ goal }`. */
const madeIn = (data: unknown): unknown => idIn(data) ?? idIn(Object.values(data ?? {})[0]);

/** The id of what a request changes: the last one in its path, else the one of what it made. */
function targetOf({ params }: Input, data: unknown): string | null {
  const [last] = Object.values((params ?? {}) as Record<string, unknown>).reverse();
  const target = last ?? madeIn(data);
  return target === undefined ? null : String(target);
}

/** A person's request, as its entry tells of it. */
type AuditedRequest = {
  input: Input;
  /** The JSON body as it came: its fields are those that were sent. */
  body: unknown;
  requestId: string;
};

/** The entry of a person's request. @param data what the operation answered, if it has */
export function auditEntry(
  { spec }: Endpoint,
  ctx: Ctx,
  person: Person,
  { input, body, requestId }: AuditedRequest,
  { data = null, change: { target, ...more } = {} }: { data?: unknown; change?: ChangeDescription } = {},
): AuditedChange {
  const fields = fieldsOf(body);
  return {
    organizationId: person.organizationId,
    projectId: ctx.projectId === NO_PROJECT ? null : ctx.projectId,
    at: ctx.now,
    by: { kind: person.id === null ? "command" : "human", id: person.id, name: person.name },
    operation: spec.id,
    target: target ?? targetOf(input, data),
    detail: { ...(fields.length > 0 && { fields }), ...more },
    requestId,
  };
}
