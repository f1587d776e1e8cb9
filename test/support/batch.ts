/** Runs the test files of one batch in this process. The arguments are their paths. */
for (const file of process.argv.slice(2)) await import(file)
