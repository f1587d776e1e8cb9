-- The health check no longer needs a table: it writes the schema version over itself.
DROP TABLE probe;
