-- Tables and columns that were named before the words of docs/glossary.md get the name that code and documents use. Names alone change,
-- so nothing is rewritten, however large a table is.

-- Which process has the lease of a message, and until when.
alter table email_attempts rename column fence to lease_owner;
alter table email_sends rename column fence to lease_owner;
alter table email_sends rename column claimed_until to leased_until;
alter index email_sends_claimed rename to email_sends_leased;
alter table push_attempts rename column fence to lease_owner;
alter table push_slots rename column fence to lease_owner;

-- The last instant over which messages that have to wait for the pace are spread out.
alter table email_throttles rename column told_until to spread_until;

-- Hits on links and images of mail, and which of them were a bot's.
alter table email_touches rename to email_hits;
alter table email_hits rename column machine to bot;
alter table email_hits rename constraint email_touches_pkey to email_hits_pkey;
alter table email_touch_heads rename to email_hit_heads;
alter table email_hit_heads rename column touches to hits;
alter table email_hit_heads rename column trap_at to honeypot_at;
alter table email_hit_heads rename constraint email_touch_heads_pkey to email_hit_heads_pkey;

-- What statements add to the rollups.
alter table rollup_notes rename to rollup_deltas;
alter table rollup_deltas rename column noted_at to recorded_at;
alter table rollup_deltas rename constraint rollup_notes_pkey to rollup_deltas_pkey;
alter index rollup_notes_due rename to rollup_deltas_due;
alter sequence rollup_notes_id_seq rename to rollup_deltas_id_seq;

-- Mail of projects without a mail server.
alter table outbox_messages rename to caught_messages;
alter table caught_messages rename constraint outbox_messages_pkey to caught_messages_pkey;
alter table caught_messages rename constraint outbox_messages_project_id_fkey to caught_messages_project_id_fkey;
alter index outbox_messages_project rename to caught_messages_project;
