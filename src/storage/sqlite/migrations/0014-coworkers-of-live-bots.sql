-- From here on a deleted bot has no coworkers, and nobody is a coworker of an own bot: so bots are counted by index alone.
DELETE FROM coworkers WHERE EXISTS (
  SELECT 1 FROM bots WHERE bots.id = bot_id AND (deleted_at_ms IS NOT NULL OR owner_id = user_id)
);
