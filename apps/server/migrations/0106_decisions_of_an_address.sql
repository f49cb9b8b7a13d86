-- The last decision about an address was looked for among all decisions of its project. Only decisions of people and imports write here.
create index suppression_changes_address on suppression_changes (lane, address_key, id desc);
