import { keyRef, userRef, uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { findUser, type UserRow } from "./store.ts";

/**
 * The user that a path names: by `eu_…`, or by the customer's own id, which may begin with `eu_` as well.
 * @throws ApiError not_found when the project has no such user.
 */
export async function requireUser({ db, projectId }: Ctx, id: string): Promise<UserRow> {
  const userKey = uuidOf("eu", id);
  const user =
    (userKey === null ? null : await findUser(db, projectId, keyRef(userKey))) ??
    (await findUser(db, projectId, userRef(projectId, id)));
  if (user === null) throw new ApiError("not_found", "User not found");
  return user;
}
