-- Mail about outages of bots is no longer sent, so the addresses are deleted.
DROP TABLE status_mail;
DROP TABLE status_subscribers;

DELETE FROM outgoing_mail WHERE subscriber IS NOT NULL;
DROP INDEX outgoing_mail_of_accounts;
DROP INDEX outgoing_mail_of_subscribers;
ALTER TABLE outgoing_mail DROP COLUMN subscriber, DROP COLUMN detail;
ALTER TABLE outgoing_mail DROP CONSTRAINT outgoing_mail_kind_check;
ALTER TABLE outgoing_mail ADD CONSTRAINT outgoing_mail_kind_check CHECK (kind IN
  ('verify-email', 'reset-password', 'email-changed'));
