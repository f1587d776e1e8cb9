-- Recent requests of applications, shown to their owners: figures per day, and the latest failed requests.
CREATE TABLE application_days (
  application_id    TEXT NOT NULL,
  day               INTEGER NOT NULL,     -- days since the epoch, UTC
  grants            INTEGER NOT NULL,
  refreshes         INTEGER NOT NULL,
  errors            INTEGER NOT NULL,
  PRIMARY KEY (application_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX application_days_by_day ON application_days (day);

CREATE TABLE failed_requests (
  number            INTEGER PRIMARY KEY,
  application_id    TEXT NOT NULL,
  at_ms             INTEGER NOT NULL,
  place             TEXT NOT NULL,
  error             TEXT,
  description       TEXT NOT NULL,
  redirect_uri      TEXT
) STRICT;
CREATE INDEX failed_requests_of_application ON failed_requests (application_id, number);
CREATE INDEX failed_requests_by_time ON failed_requests (at_ms);

-- Index for counting the users of an application.
CREATE INDEX consents_of_application ON consents (application_id);
