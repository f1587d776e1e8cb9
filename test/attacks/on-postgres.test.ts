/**
 * What the store decides, attacked on PostgreSQL too: codes and tokens in the wrong hands, guesses made at once, what answers
 * tell, and more than can be done. All the rest passes there as well: `GATEHOUSE_TEST_STORAGE=postgres node --test test/attacks/`.
 */
process.env.GATEHOUSE_TEST_STORAGE = 'postgres'
// Read by the world when it is loaded, so what needs a world is loaded after it.
for (const family of ['tokens', 'enumeration', 'overload']) await import(`./${family}.test.ts`)
