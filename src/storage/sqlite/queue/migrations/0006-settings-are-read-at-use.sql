-- Whether an event's flow has strict order is read from the flow at each claim.
ALTER TABLE events DROP COLUMN ordered;
-- When the mark was set, so that a window that was shortened since counts. Null: a mark of an earlier release.
ALTER TABLE marks ADD COLUMN since_ms INTEGER;
