import {
  keepPreviousData,
  type Query,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { Answer, Input, OperationId, PeopleClient } from "@tidings/client";
import { clientAt, clientUntil, isRefused, needsConfirmation } from "./client.ts";
import { useConfirmation } from "./confirmation.ts";

type Calling<Id extends OperationId> = (input?: Input<Id>) => Promise<Answer<Id>>;

const callBy = <Id extends OperationId>(
  client: PeopleClient,
  id: Id,
  input?: Input<Id>,
): Promise<Answer<Id>> =>
  // A method takes its own input; the type of all of them together cannot say so.
  (client[id] as unknown as Calling<Id>)(input);

const call = <Id extends OperationId>(scope: string, id: Id, input?: Input<Id>): Promise<Answer<Id>> =>
  callBy(clientAt(scope), id, input);

type Reading<Id extends OperationId> = Pick<UseQueryOptions<Answer<Id>>, "enabled" | "refetchInterval"> & {
  /** Whether a request ends where the page no longer waits for its answer, because it asks something else by now. */
  isStopped?: boolean;
};

/** Reads by an operation, again and again while the page is visible. Scope, operation and input are the key of what is kept. */
export function useOperation<Id extends OperationId>(
  scope: string,
  id: Id,
  input?: Input<Id>,
  { isStopped = false, ...options }: Reading<Id> = {},
): UseQueryResult<Answer<Id>> {
  return useQuery({
    ...options,
    queryKey: [scope, id, input ?? null],
    // A query that reads the signal has its request ended: the library asks for nothing else.
    queryFn: (reading) =>
      isStopped ? callBy(clientUntil(scope, reading.signal), id, input) : call(scope, id, input),
    placeholderData: keepPreviousData,
  });
}

/** What is done after a change, once what it made old was read anew. */
type Afterwards<A> = { onSuccess?(answer: A): void; onError?(error: Error): void; onEnd?(): void };

/**
 * Changes something by an operation. Where the server wants a fresh sign-in, the person is asked for it, and the change is sent again.
 * @param stale operations that may be on screen, whose answers the change makes old; all others of the scope are read anew when they are
 * shown next
 */
export function useChange<Id extends OperationId>(scope: string, id: Id, stale: readonly OperationId[]) {
  const queries = useQueryClient();
  const confirm = useConfirmation();
  const refresh = async () => {
    // A change may show anywhere in its project: a page that is opened next reads anew.
    await queries.invalidateQueries({
      predicate: ({ queryKey: [at] }) => at === scope,
      refetchType: "none",
    });
    const isStale = { predicate: ({ queryKey: [, name] }: Query) => stale.some((each) => each === name) };
    // A first read that began before the change would answer what was before it, and be taken for what is now.
    await queries.cancelQueries(isStale);
    await queries.invalidateQueries(isStale);
  };
  const change = useMutation({
    async mutationFn(input: Input<Id>) {
      try {
        return await call(scope, id, input);
      } catch (error) {
        if (!needsConfirmation(error) || !(await confirm())) throw error;
        return call(scope, id, input);
      }
    },
    onSuccess: refresh,
    // A conflict says that what the person sees is old.
    onError: (error) => (isRefused(error, 409) ? refresh() : undefined),
  });
  const { mutateAsync } = change;
  // What is read anew may take away the part of the page that made the change. The library then drops what was to be done after it.
  const mutate = (input: Input<Id>, { onSuccess, onError, onEnd }: Afterwards<Answer<Id>> = {}): void =>
    void mutateAsync(input).then(
      (answer) => {
        onSuccess?.(answer);
        onEnd?.();
      },
      (error: Error) => {
        onError?.(error);
        onEnd?.();
      },
    );
  return { ...change, mutate };
}
