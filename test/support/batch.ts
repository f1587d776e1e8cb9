import asyncHooks from 'node:async_hooks'

/**
 * Runs the test files of one batch in this process. The arguments are their paths.
 *
 * `node:test` follows every promise and timer so that it can name the test that caused an uncaught exception. That
 * takes a tenth of the processor time, so it is switched off here. An uncaught exception still fails the batch and is
 * printed.
 */
asyncHooks.createHook = () => {
  const hook = { enable: () => hook, disable: () => hook }
  return hook
}

for (const file of process.argv.slice(2)) await import(file)
