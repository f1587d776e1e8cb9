-- From this migration on, a deleted bot has no coworkers, and no owner is a coworker of the same bot. Bots can then be
-- counted from the index.
DELETE FROM coworkers WHERE EXISTS (
  SELECT 1 FROM bots WHERE bots.id = bot_id AND (deleted_at_ms IS NOT NULL OR owner_id = user_id)
);
