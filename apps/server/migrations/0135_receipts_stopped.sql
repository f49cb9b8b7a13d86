-- Mail of campaigns and receipts are stopped apart: a bounce and the word of the team stop both, a complaint the one that it was about, and
-- unsubscribing leaves receipts alone. What stood before this keeps receipts from an address where it was about the address itself.
alter table email_addresses
  add column receipts_stopped_at int8,
  add column receipts_stopped_by text;
update email_addresses set receipts_stopped_at = suppressed_at, receipts_stopped_by = suppressed_by
where suppressed_by in ('bounced', 'manual');
alter table email_addresses add constraint email_addresses_receipts_stopped check (
  (receipts_stopped_at is null) = (receipts_stopped_by is null) and receipts_stopped_by in ('bounced', 'complained', 'manual')
);
-- The list has addresses of which any mail is stopped, by when that of campaigns was, and without that by when receipts were.
drop index email_addresses_suppressed;
create index email_addresses_stopped on email_addresses (project_id, coalesce(suppressed_at, receipts_stopped_at), address_key)
where coalesce(suppressed_at, receipts_stopped_at) is not null;
-- Few: receipts are mostly stopped for the reason for which the mail of campaigns is.
create index email_addresses_receipts_apart on email_addresses (project_id, receipts_stopped_at)
where receipts_stopped_by is not null and suppressed_by is distinct from receipts_stopped_by;
