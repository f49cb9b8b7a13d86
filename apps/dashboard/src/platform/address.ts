import { useNavigate, useParams, useSearch } from "@tanstack/react-router";

type Address = Readonly<Record<string, string>>;

/** What stands behind the "?" of an address, as plain texts. */
export const readAddress = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

export function writeAddress(address: Record<string, unknown>): string {
  const texts = Object.entries(address).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  const search = String(new URLSearchParams(texts));
  return search === "" ? "" : `?${search}`;
}

/** What stands behind the "?", for a link or a step: the router's types know no names of it. */
export const search = (address: Address): never => readAddress(writeAddress(address)) as never;

/**
 * What a page shows, as its address says it: reload, back and a link to a colleague give the same picture. Changes replace the names
 * that they give, and an empty text takes a name away; `isStep` makes the change one that "back" takes back.
 */
export function useAddress(): [Address, (changes: Address, isStep?: boolean) => void] {
  const address = useSearch({ strict: false }) as Address;
  const navigate = useNavigate();
  const change = (changes: Address, isStep = true): void => {
    const next = search({ ...address, ...changes });
    void navigate({ to: ".", search: next, replace: !isStep, resetScroll: false });
  };
  return [address, change];
}

/** The page of a list that an address names: 1 where it names none, or none that there can be. */
export const pageIn = ({ page }: Address): number => Math.max(1, Math.trunc(Number(page)) || 1);

/** A part of the path by its name, such as `campaignId`. */
export const useNamed = (name: string): string =>
  (useParams({ strict: false }) as Readonly<Record<string, string | undefined>>)[name] ?? "";
