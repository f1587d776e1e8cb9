-- The health check writes what is there already.
DROP TABLE probe;
