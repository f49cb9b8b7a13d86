-- Browsers are devices too: web push reaches them.
alter type app_platform add value 'web';
