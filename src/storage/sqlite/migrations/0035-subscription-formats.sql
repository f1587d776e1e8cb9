-- What is sent: signed events (standard), or messages to a chat.
ALTER TABLE subscriptions ADD COLUMN format TEXT NOT NULL DEFAULT 'standard';
-- The language of messages to a chat.
ALTER TABLE subscriptions ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
-- The URL of a chat contains a token, so it is encrypted here, and shortened in the column url. Null: url is complete.
ALTER TABLE subscriptions ADD COLUMN sealed_url BLOB;
