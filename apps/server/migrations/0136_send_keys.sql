-- For servers and tools without code that send transactional mail, and read what became of it: they may do nothing else.
alter type key_kind add value 'send';
