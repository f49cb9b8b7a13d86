import { newId } from "./ids.ts";
import { pairIn, type Store } from "./store.ts";

/**
 * Gives the random id, by which a browser is known while its user is not, to a user, or to none (empty). It is a new one where there was
 * none, or where it was another user's before: the server has made it that user's for good.
 * @param key of the entry that has both, `<id> <user id>`
 * @returns the id
 */
export function giveVisitor(store: Store, key: string, userId: string): string {
  const [id = newId(), before] = pairIn(store, key);
  const given = before && before !== userId ? newId() : id;
  store.set(key, `${given} ${userId}`);
  return given;
}
