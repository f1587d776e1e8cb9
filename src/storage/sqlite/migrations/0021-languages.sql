-- Language of the request that caused the mail. Mail queued by an earlier release is English.
ALTER TABLE outgoing_mail ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
-- Key of the translated description of the failure. Null: stored by an earlier release.
ALTER TABLE failed_requests ADD COLUMN reason TEXT;
-- The parameter at fault, if the reason concerns one.
ALTER TABLE failed_requests ADD COLUMN parameter TEXT;
