-- A key that the flow's owner made stays required, whatever provisioning says of requires_key, until the owner switches that off.
-- Of the keys made before nothing tells whose they are, so what they require stays as it is.
ALTER TABLE flows ADD COLUMN owner_requires_key bigint NOT NULL DEFAULT 0;
