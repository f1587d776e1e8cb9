-- Every SQLite index entry ends with the row's number. Naming it as a column stored it twice.
DROP INDEX audit_events_of_user;
DROP INDEX audit_events_of_application;
CREATE INDEX audit_events_of_user ON audit_events (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id) WHERE application_id IS NOT NULL;
