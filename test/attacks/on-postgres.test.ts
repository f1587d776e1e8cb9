/**
 * What the store decides, attacked on PostgreSQL too: codes and tokens in the wrong hands, accounts taken over, guesses made at once, what answers
 * tell, more than can be done, and some odd requests. All but what is asked of SQLite's files passes there: `GATEHOUSE_TEST_STORAGE=postgres node --test test/attacks/`.
 */
process.env.GATEHOUSE_TEST_STORAGE = 'postgres'
process.env.ODD_REQUESTS ??= '600'
// Read by the world when it is loaded, so what needs a world is loaded after it.
for (const family of ['tokens', 'enumeration', 'account-takeover', 'lockout', 'overload', 'odd-requests'])
  await import(`./${family}.test.ts`)
