import { keyRef, userRef, uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { findUser, type UserRow } from "./store.ts";

/** The user that a request names: by `eu_…`, or by the customer's own id, which may begin with `eu_` as well. */
export async function findNamedUser(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  id: string,
): Promise<UserRow | null> {
  const userKey = uuidOf("eu", id);
  return (
    (userKey === null ? null : await findUser(db, projectId, keyRef(userKey))) ??
    (await findUser(db, projectId, userRef(projectId, id)))
  );
}

/** The same. @throws ApiError not_found when the project has no such user. */
export async function requireUser(ctx: Ctx, id: string): Promise<UserRow> {
  const user = await findNamedUser(ctx, id);
  if (user === null) throw new ApiError("not_found", "User not found");
  return user;
}
