-- A click proves that its mail was delivered. A provider's report of that may come later, and has to stay known on its own: the click may
-- turn out to be a scanner's, which takes back what only it had proven. Null for what was reported before this column was there.
alter table deliveries add column delivered_reported_at bigint;
