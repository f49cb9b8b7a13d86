-- A link in mail is signed together with the campaign whose mail it stands in. Mail that left before has signatures of the address
-- alone, which go on leading there: for the campaigns that are here now, and for none that is made later.
alter table campaigns add column has_unbound_links boolean not null default false;
update campaigns set has_unbound_links = true where channel = 'email';
