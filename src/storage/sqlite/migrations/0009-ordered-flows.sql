-- Whether the flow's webhooks are delivered strictly one after the other, in the order accepted.

ALTER TABLE flows ADD COLUMN webhook_ordered INTEGER NOT NULL DEFAULT 0;
