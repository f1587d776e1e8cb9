-- Whether the webhooks of a flow are handed out strictly one after the other, in the order accepted.

ALTER TABLE flows ADD COLUMN webhook_ordered INTEGER NOT NULL DEFAULT 0;
