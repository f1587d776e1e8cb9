-- Whether the operator has checked who runs an application. The mark is shown where people are asked for consent.

ALTER TABLE applications ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
