import {
  keepPreviousData,
  type Query,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { Answer, Input, OperationId } from "@tidings/client";
import { clientAt, isRefused, needsConfirmation } from "./client.ts";
import { useConfirmation } from "./confirmation.ts";

type Calling<Id extends OperationId> = (input?: Input<Id>) => Promise<Answer<Id>>;

const call = <Id extends OperationId>(scope: string, id: Id, input?: Input<Id>): Promise<Answer<Id>> =>
  // A method takes its own input; the type of all of them together cannot say so.
  (clientAt(scope)[id] as unknown as Calling<Id>)(input);

/** Reads by an operation, again and again while the page is visible. Scope, operation and input are the key of what is kept. */
export function useOperation<Id extends OperationId>(
  scope: string,
  id: Id,
  input?: Input<Id>,
  options: Pick<UseQueryOptions<Answer<Id>>, "enabled" | "refetchInterval"> = {},
): UseQueryResult<Answer<Id>> {
  return useQuery({
    ...options,
    queryKey: [scope, id, input ?? null],
    queryFn: () => call(scope, id, input),
    placeholderData: keepPreviousData,
  });
}

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
  return useMutation({
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
}
