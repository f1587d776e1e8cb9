-- Number of the bot's last event before the flow was created. Earlier events are of a removed flow with the same ID.
ALTER TABLE flows ADD COLUMN events_before bigint NOT NULL DEFAULT 0;
CREATE INDEX flows_in_strict_order ON flows (bot_id, id) WHERE webhook_ordered = 1;
