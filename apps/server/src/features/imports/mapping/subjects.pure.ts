import { externalUserId } from "../../../domain/fields.ts";
import { parseAddress } from "../../email/addresses/rules.ts";
import type { ImportMapping, ImportOptions, LineFault, MappedUser } from "../schema.ts";
import { isStorable } from "./cells.pure.ts";
import { type ColumnReader, isNothing } from "./columns.pure.ts";
import { faultAt } from "./parts.pure.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An address of a line: as a mail has it, and as the file writes it. */
export type LineAddress = { address: string; written: string };

/** A cell of one line as a text; null for what is neither a text nor a whole number. */
export function idText(value: unknown, isTrimmed: boolean): string | null {
  if (typeof value === "string") return isTrimmed ? value.trim() : value;
  if (typeof value === "bigint") return String(value);
  return Number.isSafeInteger(value) ? String(value) : null;
}

/** Far more domains than most files have; one that has more begins anew. */
const MOST_DOMAINS = 10_000;
/** Local parts that every reader of addresses takes as they are. */
const PLAIN_LOCAL = /^[A-Za-z0-9_+-]{1,30}(?:\.[A-Za-z0-9_+-]{1,30}){0,1}$/;

/** Reads the address of a cell, as mail has it; null where it is none. */
export type AddressParser = (cell: unknown) => string | null;

/** A reader of addresses. It reads each domain once, since a file has few of them and reading one takes long. */
export function addressParser(): AddressParser {
  const domains = new Map<string, string | null>();
  return (cell) => {
    if (typeof cell !== "string") return null;
    const text = cell.trim();
    const at = text.lastIndexOf("@");
    const local = text.slice(0, Math.max(at, 0));
    if (!PLAIN_LOCAL.test(local)) return parseAddress(text)?.address ?? null;
    const written = text.slice(at + 1);
    let domain = domains.get(written);
    if (domain === undefined) {
      if (domains.size >= MOST_DOMAINS) domains.clear();
      domain = parseAddress(`a@${written}`)?.domain ?? null;
      domains.set(written, domain);
    }
    // A long domain may make the whole too long.
    if (domain === null || domain.length > 150) return parseAddress(text)?.address ?? null;
    return `${local}@${domain}`;
  };
}

/** Reads an address; null where there is none, or one that cannot be read, of which the faults tell. */
export function readLineAddress(
  parse: AddressParser,
  field: string,
  value: unknown,
  faults: LineFault[],
): LineAddress | null {
  if (isNothing(value)) return null;
  const address = parse(value);
  if (address !== null) return { address, written: String(value).trim() };
  faults.push(faultAt(field, "address", "is not an email address"));
  return null;
}

/** Reads who a line is about; null where the line does not say it, of which the faults tell. */
export type UserReader = (
  fields: Fields,
  address: LineAddress | null,
  faults: LineFault[],
) => MappedUser | null;

/** Mail goes to the same person however an address is capitalized, so that one of two spellings is one user. */
const idOf = ({ address }: LineAddress): MappedUser => ({ id: address.toLowerCase() });

function readId(field: string, value: unknown, isTrimmed: boolean, faults: LineFault[]): MappedUser | null {
  const id = idText(value, isTrimmed);
  if (id === null) {
    faults.push(faultAt(field, "user_id", "is neither a text nor a whole number that can be kept exactly"));
    return null;
  }
  const parsed = externalUserId.safeParse(id);
  if (parsed.success && isStorable(id)) return { id };
  const ends = parsed.success
    ? "has a NUL character or half of a surrogate pair, which cannot be stored"
    : (parsed.error.issues[0]?.message ?? "is not the id of a user");
  faults.push(faultAt(field, "user_id", ends));
  return null;
}

/**
 * @param elseEmail whether a line without an id is about the user who has its address for an id
 * @param isTrimmed whether blanks around an id are the table's, and not the id's
 */
export function userReader(
  { userId, email = "" }: ImportMapping,
  id: NonNullable<ImportOptions["id"]>,
  read: (column: string) => ColumnReader,
  { elseEmail, isTrimmed }: { elseEmail: boolean; isTrimmed: boolean },
): UserReader {
  if (id !== "column" || userId === undefined)
    return (_fields, address, faults) => {
      if (address !== null) return id === "match" ? { withAddress: address.address } : idOf(address);
      // Where the address is broken, that was reported already.
      if (faults.length === 0)
        faults.push(faultAt(email, "missing", "has no address: the line names no user"));
      return null;
    };
  const readColumn = read(userId);
  return (fields, address, faults) => {
    const value = readColumn(fields);
    if (!isNothing(value)) return readId(userId, value, isTrimmed, faults);
    if (elseEmail && address !== null) return idOf(address);
    faults.push(faultAt(userId, "missing", "is empty: the line names no user"));
    return null;
  };
}
