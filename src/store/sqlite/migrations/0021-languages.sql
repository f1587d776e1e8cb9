-- The language in which the request that caused the mail was made. Mail of an earlier release is English.
ALTER TABLE outgoing_mail ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
-- Why the request failed, by which its cause is said in the reader's language. Null: stored by an earlier release.
ALTER TABLE failed_requests ADD COLUMN reason TEXT;
-- The parameter at fault, where the reason speaks of one.
ALTER TABLE failed_requests ADD COLUMN parameter TEXT;
