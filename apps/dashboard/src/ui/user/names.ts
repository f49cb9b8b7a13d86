import { useQuery } from "@tanstack/react-query";
import { clientAt, isFinal } from "../../platform/client.ts";
import { gatherer } from "./gather.pure.ts";

/** The most ids that the server takes at once. */
const MOST = 200;
/** How long a name is believed: names change rarely. */
const FRESH_MS = 5 * 60_000;
const TRIES = 2;

const readers = new Map<string, (id: string) => Promise<string | null>>();

/** The reader of names at a project: rows that are drawn together ask together. */
function readerAt(scope: string): (id: string) => Promise<string | null> {
  const known = readers.get(scope);
  if (known !== undefined) return known;
  const readMany = async (userIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const { users } = await clientAt(scope).listUserNames({ body: { userIds: [...userIds] } });
    return new Map(users.flatMap(({ userId, name }) => (name === null ? [] : [[userId, name] as const])));
  };
  const reader = gatherer(readMany, { most: MOST, later: (then) => setTimeout(then) });
  readers.set(scope, reader);
  return reader;
}

/** How a user is called; null where no trait says it, and until it is known. `userId`: either id; an empty one is of no user. */
export function useUserName(scope: string, userId: string): string | null {
  const { data } = useQuery({
    queryKey: [scope, "name of user", userId],
    queryFn: () => readerAt(scope)(userId),
    enabled: userId !== "",
    refetchInterval: false,
    staleTime: FRESH_MS,
    retry: (failures, error) => failures < TRIES && !isFinal(error),
  });
  return data ?? null;
}

/** Keeps a text that people wrote, in whatever direction, from turning the text around it. */
const isolated = (text: string): string => `\u2068${text}\u2069`;

/** A user in a sentence: the name with the id behind it, or the id alone. */
export function useUserLabel(scope: string, userId: string): string {
  const name = useUserName(scope, userId);
  return name === null || name === userId ? userId : `${isolated(name)} (${userId})`;
}
