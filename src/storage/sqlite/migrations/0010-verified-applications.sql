-- Whether the operator has checked the application's owner. Consent pages show the mark.

ALTER TABLE applications ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
