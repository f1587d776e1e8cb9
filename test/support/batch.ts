/** The test files of one batch, in one process. Their paths follow in the arguments. */
for (const file of process.argv.slice(2)) await import(file)
