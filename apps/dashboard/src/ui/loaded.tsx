import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import classes from "./loaded.module.css";
import { Problem } from "./problem.tsx";
import { words } from "./words.ts";

type Props<Data> = { query: UseQueryResult<Data>; children: (data: Data) => ReactNode };

/** Why there is nothing to choose from in a field that an answer fills, below the field; nothing while all is well. */
export function Failed({ query: { data, error, refetch } }: { query: UseQueryResult<unknown> }) {
  return error !== null && data === undefined && <Problem error={error} retry={() => void refetch()} />;
}

/** A part of a page that an answer fills: its outline while it comes, the answer, or what went wrong. Old rows stay, dimmed. */
export function Loaded<Data>({ query: { data, error, isPlaceholderData, refetch }, children }: Props<Data>) {
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined)
    return (
      <Stack className={classes.late} gap="sm" role="status">
        <VisuallyHidden>{words.loading}</VisuallyHidden>
        {[1, 2, 3].map((row) => (
          <Skeleton key={row} height={36} />
        ))}
      </Stack>
    );
  return (
    <div className={isPlaceholderData ? classes.old : undefined} aria-busy={isPlaceholderData}>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {children(data)}
    </div>
  );
}
