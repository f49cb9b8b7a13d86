-- Taking back a click once left converted deliveries in the state "clicked", without its instant. Their state becomes the latest
-- thing that did happen.
update deliveries set state = (
  select state from (
    values ('unsubscribed'::delivery_state, unsubscribed_at), ('complained', complained_at), ('bounced', bounced_at),
      ('converted', converted_at)
  ) resolved (state, at)
  where at is not null order by at desc, state desc limit 1
)
where state = 'clicked' and clicked_at is null and converted_at is not null;
