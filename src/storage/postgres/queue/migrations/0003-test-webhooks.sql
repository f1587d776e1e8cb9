-- Whether the event is a test webhook, which was not sent by anyone with the flow's key or signing secret.
ALTER TABLE queue_events ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE queue_done ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE queue_dead ADD COLUMN test boolean NOT NULL DEFAULT false;
