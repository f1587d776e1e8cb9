-- 1: the flow's owner requires a key, and requires_key = false from provisioning has no effect. Becomes 0 when the
-- owner no longer requires a key, or when provisioning sets or removes the key. Existing rows don't record who made the
-- key, so they get 0.
ALTER TABLE flows ADD COLUMN owner_requires_key bigint NOT NULL DEFAULT 0;
