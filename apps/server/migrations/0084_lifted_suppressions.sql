-- When mail to an address was last let through again, by a person or by whoever owns it. A report of a message that left before that
-- does not stop mail to it once more: providers and mail servers tell the same thing several times.
alter table email_addresses add column allowed_at bigint;
update email_addresses a set allowed_at = c.changed_at
from (
  select lane, address_key, max(changed_at) as changed_at from suppression_changes where after is null group by lane, address_key
) c
where c.lane = a.lane and c.address_key = a.address_key;
