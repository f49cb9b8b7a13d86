-- What evaluating an audience needs: what a user did in one place, and the one reading of a time in a trait or property.

-- How often one user did something since then is read from the key's own index, where all events of the user lie together: a
-- further index by name would cost the ingest 7 µs of 33 per event, and one of the counts 8 µs. What a whole project did is found by
-- its time, and who ever did it by reading the counts.
alter table events drop constraint events_pkey, add primary key (lane, user_key, event_id) include (name, ts);

-- Epoch milliseconds of a JSON string that is an ISO-8601 date-time with an explicit offset, else null: the twin of parseIso
-- in platform/http/fields.ts, so that SQL and the server never disagree. Years 0001 to 9999, hours to 23, no leap seconds,
-- only days that their month has; what is finer than a millisecond is cut off. (A regular expression for the form takes
-- twice as long as the look-up of all forms that there are.)
create function iso_instant(value jsonb) returns bigint
language plpgsql immutable strict parallel safe as $$
declare
  t constant text collate "C" := value #>> '{}';
  has_offset constant boolean := right(t, 1) <> 'Z';
  l constant text collate "C" := left(t, case when has_offset then -6 else -1 end);
  y integer;
  local_ms bigint;
begin
  if jsonb_typeof(value) <> 'string' then return null; end if;
  if translate(l, '123456789', '000000000') <> all (array[
      '0000-00-00T00:00', '0000-00-00T00:00:00', '0000-00-00T00:00:00.0', '0000-00-00T00:00:00.00',
      '0000-00-00T00:00:00.000', '0000-00-00T00:00:00.0000', '0000-00-00T00:00:00.00000',
      '0000-00-00T00:00:00.000000', '0000-00-00T00:00:00.0000000', '0000-00-00T00:00:00.00000000',
      '0000-00-00T00:00:00.000000000'])
    or has_offset and translate(right(t, 6), '123456789', '000000000') not in ('+00:00', '-00:00') then
    return null;
  end if;
  if left(l, 4) = '0000' or substr(l, 6, 2) not between '01' and '12' or substr(l, 9, 2) not between '01' and '31'
    or substr(l, 12, 2) > '23' or substr(l, 15, 2) > '59' or substr(l, 18, 2) > '59'
    or has_offset and (substr(right(t, 5), 1, 2) > '23' or right(t, 2) > '59') then
    return null;
  end if;
  if substr(l, 9, 2) > '28' then
    y := left(l, 4)::integer;
    if substr(l, 9, 2)::integer > (case
      when substr(l, 6, 2) in ('04', '06', '09', '11') then 30
      when substr(l, 6, 2) <> '02' then 31
      when y % 4 = 0 and (y % 100 <> 0 or y % 400 = 0) then 29
      else 28 end) then
      return null;
    end if;
  end if;
  local_ms := date_part('epoch', left(l, 23)::timestamp) * 1000;
  if not has_offset then return local_ms; end if;
  return local_ms - (substr(right(t, 6), 1, 1) || '1')::integer
    * (substr(right(t, 5), 1, 2)::integer * 60 + right(t, 2)::integer) * 60000;
end
$$;
