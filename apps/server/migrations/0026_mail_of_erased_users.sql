-- What a report, a link or an answer needs to be heard after its user was erased.

-- Where a message went, by a hash of its token that only this house can make: whoever has the message may still unsubscribe, and
-- whoever returns it is heard. Neither says who its user was.
create table erased_messages (
  lane smallint not null,
  message_key uuid not null,
  project_id uuid not null,
  address_lane smallint not null,
  address_key uuid not null,
  -- What a machine reported of it: a repeat does not stop mail again, which may have been allowed since.
  reported text[] not null default '{}',
  primary key (lane, message_key)
);

-- Under which key a message is on the wire whose user was erased meanwhile: its outcome comes under that one.
alter table email_sends add column moved_from uuid;
create index email_sends_moved on email_sends (lane, campaign_id, moved_from) where moved_from is not null;

-- Who else has an address, when one of its users is erased.
create index email_sends_address on email_sends (address_lane, address_key) where address_key is not null;

-- What devices of erased users had reported named its target and attempt by the key of a slot that there is no more.
update push_observations
set digest = 'erased', command = command || jsonb_build_object(
  'targetId', regexp_replace(command ->> 'targetId', '[0-9a-f]{32}', replace(slot_key::text, '-', '')),
  'attemptId', regexp_replace(command ->> 'attemptId', '[0-9a-f]{32}', replace(slot_key::text, '-', ''))
)
where installation_id = 'erased' and slot_key is not null and command ? 'targetId' and command ? 'attemptId';
