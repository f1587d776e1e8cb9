-- Whether the event is a test webhook, which was not sent by anyone with the flow's key or signing secret.
ALTER TABLE events ADD COLUMN test INTEGER NOT NULL DEFAULT 0;
