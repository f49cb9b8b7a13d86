import type pg from "pg";

type Taking = {
  name: string;
  leaseOwner: string;
  everyMs: number;
  /** Whether the turn may be taken before it is due. */
  isWanted: boolean;
};

/** `dueInMs`: milliseconds until the next turn; null while another process has the turn, since it is not known then. */
type Taken = { isTaken: boolean; dueInMs: number | null };

/**
 * Takes a turn of a loop for a process, where it is due and no other living process has it, and answers when the next one is due, by the
 * database's clock. A turn that this process has already is taken again: its end could not be written. One that is due later than a period
 * from now is due now: the database's clock was ahead when that was written.
 */
export async function takeTurn(
  pool: pg.Pool,
  { name, leaseOwner, everyMs, isWanted }: Taking,
): Promise<Taken> {
  const { rows } = await pool.query<Taken>({
    name: "take_turn",
    text: `
      with before as (
        select case when lease_owner is null then least($3, extract(epoch from due_at - clock_timestamp())::float8 * 1000) end
          as due_in_ms
        from loop_turns where name = $1
      ),
      taken as (
        insert into loop_turns as t (name, lease_owner, due_at)
        values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
        on conflict (name) do update set lease_owner = excluded.lease_owner, due_at = excluded.due_at
        where case when t.lease_owner is null then $4 or t.due_at <= clock_timestamp()
            or t.due_at > clock_timestamp() + $3 * interval '1 millisecond'
          else t.lease_owner = $2 or not exists (select from processes p where p.lease_owner = t.lease_owner) end
        returning name
      )
      select exists (select from taken) as "isTaken",
        case when exists (select from taken) then $3 else (select due_in_ms from before) end as "dueInMs"`,
    values: [name, leaseOwner, everyMs, isWanted],
  });
  return rows[0] ?? { isTaken: false, dueInMs: null };
}

/**
 * Ends a turn and answers the milliseconds until the next one; null where another process has taken it meanwhile. After a failure the
 * next one comes soon, and twice as late after each further failure, up to a whole period. It is never more than a period away, also where
 * the database's clock was set back during the turn.
 */
export async function endTurn(
  pool: pg.Pool,
  { name, leaseOwner, everyMs, hasFailed }: Omit<Taking, "isWanted"> & { hasFailed: boolean },
): Promise<number | null> {
  const { rows } = await pool.query<{ dueInMs: number }>({
    name: "end_turn",
    text: `
      update loop_turns set lease_owner = null, failures = case when $3 then failures + 1 else 0 end,
        due_at = least(due_at, clock_timestamp() + $4 * interval '1 millisecond',
          case when $3 then clock_timestamp() + power(2, least(failures, 20)) * interval '1 second' end)
      where name = $1 and lease_owner = $2
      returning extract(epoch from due_at - clock_timestamp())::float8 * 1000 as "dueInMs"`,
    values: [name, leaseOwner, hasFailed, everyMs],
  });
  return rows[0]?.dueInMs ?? null;
}
