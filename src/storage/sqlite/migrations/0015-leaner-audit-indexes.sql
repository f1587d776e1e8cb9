-- Every SQLite index entry ends with the row's number. With the number as a column, each entry contained it twice.
DROP INDEX audit_events_of_user;
DROP INDEX audit_events_of_application;
CREATE INDEX audit_events_of_user ON audit_events (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_events_of_application ON audit_events (application_id) WHERE application_id IS NOT NULL;
