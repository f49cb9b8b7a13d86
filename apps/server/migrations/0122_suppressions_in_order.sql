-- Suppressed addresses are read in pages, by when mail to them ended and then by the address. Where mail to many ended at one instant, each
-- page read all of them: the index now says where the page before ended.
drop index email_addresses_suppressed;
create index email_addresses_suppressed on email_addresses (project_id, suppressed_at, address_key) where suppressed_at is not null;
