import { type UserRef, userRef } from "../../../domain/ids.ts";
import { isVisitorId, visitorIdOf } from "../../../domain/visitors.pure.ts";
import { askOnce } from "../../../platform/db/batch/ask-once.ts";
import { createBatch } from "../../../platform/db/batch/batch.ts";
import { batchQueue } from "../../../platform/db/batch/batch-queue.ts";
import { SQLSTATE, sqlState } from "../../../platform/db/db.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { rememberedSetting } from "../../settings/public.ts";
import type { Named } from "./schema.ts";
import { visitorSettings } from "./settings.pure.ts";
import { type KeyQuestion, type LinkedUser, readLinkedUsers } from "./store.ts";

/** Whom a request is about, as they are kept: a user, or a visitor. */
export type Person = UserRef & {
  projectId: string;
  externalId: string;
  /** A visitor is active in no period. */
  isVisitor: boolean;
  /** The request names a visitor who has become this user: nothing in it proves that who sends it is that user. */
  isByLink: boolean;
};

const enabled = rememberedSetting(visitorSettings, "visitors.enabled", {
  value: false,
  fault: "whether visitors are kept could not be read",
});

/** Whether a project keeps visitors before they sign in (`visitors.enabled`), as of the last seconds. */
export const keepsVisitors = (app: App, projectId: string): Promise<boolean> => enabled(app, projectId);

const linksBatch = resource((app) =>
  createBatch<KeyQuestion, LinkedUser | null | undefined>({
    laneOf: ({ lane }) => lane,
    userOf: ({ userKey }) => userKey,
    queue: batchQueue(app, "visitors"),
    run: (rows) =>
      askOnce(
        rows,
        ({ userKey }) => userKey,
        async (distinct) => {
          const found = await readLinkedUsers(app.database.hotPool, distinct);
          return found.map(({ lane, userKey, externalId }) =>
            lane === null || userKey === null || externalId === null ? null : { lane, userKey, externalId },
          );
        },
      ),
  }),
);

/** The user whom the visitor of a key became; null where the key is none of such a visitor. */
export const linkedUser = async (app: App, key: KeyQuestion): Promise<LinkedUser | null> =>
  (await app.get(linksBatch).add(key)) ?? null;

/** Whether a statement was refused because it would write under the key of a visitor who has become a user. */
const isLinked = (cause: unknown): boolean =>
  sqlState(cause) === SQLSTATE.linked ||
  (cause instanceof Error && sqlState(cause.cause) === SQLSTATE.linked);

export const personOfUser = (projectId: string, userId: string): Person => ({
  ...userRef(projectId, userId),
  projectId,
  externalId: userId,
  isVisitor: isVisitorId(userId),
  isByLink: false,
});

/**
 * The user or the visitor whom a request names, whatever the visitor has become.
 * @throws ApiError invalid_request for a visitor where the project keeps none
 */
export async function personKey(
  app: App,
  projectId: string,
  { userId, anonymousId }: Named,
): Promise<Person> {
  if (userId !== undefined) return personOfUser(projectId, userId);
  if (anonymousId === undefined) throw new Error("A request that names no one.");
  await requireVisitors(app, projectId);
  return personOfUser(projectId, visitorIdOf(anonymousId));
}

/** Whom a request is about now. @throws ApiError invalid_request for a visitor where the project keeps none */
async function personNow(app: App, projectId: string, named: Named): Promise<Person> {
  const visitor = await personKey(app, projectId, named);
  if (!visitor.isVisitor) return visitor;
  const user = await linkedUser(app, visitor);
  return user === null ? visitor : { ...user, projectId, isVisitor: false, isByLink: true };
}

/** @throws ApiError invalid_request where the project keeps no visitors */
export async function requireVisitors(app: App, projectId: string): Promise<void> {
  if (await keepsVisitors(app, projectId)) return;
  throw new ApiError(
    "invalid_request",
    "anonymousId must not be given: this project keeps no visitors (setting visitors.enabled)",
  );
}

/**
 * Whether a request that names a visitor asks for what is its user's, where users have to be proven: a browser that another person uses now may
 * still have the visitor's id.
 */
export const mustBeProven = ({ perimeter }: Pick<Ctx, "perimeter">, { isByLink }: Person): boolean =>
  isByLink && perimeter?.requiresProof === true;

/** A visitor becomes a user once, so who is asked for again was found the second time. */
const MAX_TRIES = 3;

/** Acts as a visitor, or as the user whom the visitor has become. */
async function actAsVisitor<T>(
  app: App,
  projectId: string,
  named: Named,
  act: (person: Person) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const person = await personNow(app, projectId, named);
    try {
      return await act(person);
    } catch (cause) {
      if (!isLinked(cause) || tries === MAX_TRIES) throw cause;
    }
  }
}

/**
 * Does something as the person whom a request names: the user, the visitor, or the user whom that visitor has become. Where they become one
 * while it is being done, nothing of it is written, and it is done as the user.
 */
export const actAs = <T>(
  app: App,
  projectId: string,
  named: Named,
  act: (person: Person) => Promise<T>,
): Promise<T> =>
  named.userId === undefined
    ? actAsVisitor(app, projectId, named, act)
    : act(personOfUser(projectId, named.userId));
