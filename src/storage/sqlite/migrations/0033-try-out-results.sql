-- Forms sent after a session had ended are no longer kept. Results of try-outs, which the table holds too, are sealed in
-- another way now and last an hour, so all rows are deleted.
DELETE FROM kept_forms;
ALTER TABLE kept_forms RENAME TO try_out_results;
DROP INDEX kept_forms_of_user;
DROP INDEX kept_forms_by_expiry;
CREATE INDEX try_out_results_of_user ON try_out_results (user_id, expires_at_ms);
CREATE INDEX try_out_results_by_expiry ON try_out_results (expires_at_ms);
