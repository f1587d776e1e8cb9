-- Indexes for the control API's lists, newest first. Deleted applications stay in the index: there are few, and
-- deleting a user needs their rows, too.
CREATE INDEX users_by_age ON users (created_at_ms, id);
CREATE INDEX applications_by_age ON applications (created_at_ms, id);
DROP INDEX applications_of_owner;
CREATE INDEX applications_of_owner ON applications (owner_id, created_at_ms, id);
CREATE INDEX live_bots_by_age ON bots (created_at_ms, id) WHERE deleted_at_ms IS NULL;
DROP INDEX live_bots_of_owner;
CREATE INDEX live_bots_of_owner ON bots (owner_id, created_at_ms, id) WHERE deleted_at_ms IS NULL;
DROP INDEX runtimes_by_age;
CREATE INDEX runtimes_by_age ON runtimes (created_at_ms, id);
DROP INDEX runtimes_of_owner;
CREATE INDEX runtimes_of_owner ON runtimes (owner_id, created_at_ms, id) WHERE owner_id IS NOT NULL;
