import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { asClientId, parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { sqlApplications } from '../../src/storage/sql/applications/applications.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { ada, aNewDigest, anApplication, withPeople } from '../contract/scene.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'
import { budget } from '../support/budget.ts'

const seed = 20_260_728
const names = ['one', 'two', 'three']
const idOf = (name: string) => parseApplicationId(name)!
const clientIdOf = (name: string) => asClientId(`svc_ci_${name}`)

/**
 * Changes to an application. In the same tick, the clients in `asked` authenticate just before the change, and those in
 * `askedLater` just after it.
 */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('add', 'replace', 'second', 'remove', 'use', 'delete', 'by hand', 'undone'),
    name: fc.constantFrom(...names),
    asked: fc.array(fc.constantFrom(...names, 'none', 'odd\0name'), { maxLength: 4 }),
    askedLater: fc.array(fc.constantFrom(...names), { maxLength: 4 }),
  }),
  { maxLength: 25 },
)

for (const { name: engine, open } of identityEngines) {
  test(`${engine}: client authentication finds the same secret digests as a plain database read, even during concurrent changes`, async (t) => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { applications, database, change } = await openScene(t, open)
        const plain = sqlApplications(database)
        const fast = (name: string) => applications.findForAuthentication(clientIdOf(name))
        const plainly = (name: string) => plain.findForAuthentication(clientIdOf(name))
        for (const { kind, name, asked, askedLater } of steps) {
          const before = new Map(await Promise.all(names.map(async (each) => [each, await plainly(each)] as const)))
          const early = asked.map(fast)
          const changed = change(kind, name)
          const late = askedLater.map(fast)
          await changed
          const after = new Map(await Promise.all(names.map(async (each) => [each, await plainly(each)] as const)))
          for (const [at, found] of (await Promise.all([...early, ...late])).entries()) {
            const of = [...asked, ...askedLater][at] as string
            const isKnown = [before, after].some((known) => isEqual(found, known.get(of) ?? []))
            assert.ok(isKnown, `${of} is neither as it was nor as it is after "${kind}" of ${name}`)
          }
          for (const each of names) assert.deepEqual(plainRows(await fast(each)), plainRows(after.get(each) ?? []))
        }
      }),
      { seed, numRuns: (engine === 'sqlite' ? 20 : 5) * budget, endOnFailure: true },
    )
  })
}

async function openScene(t: TestContext, open: (typeof identityEngines)[number]['open']) {
  const { applications, database } = await withPeople(await open(t))
  const aSecret = () => ({ digest: aNewDigest(), lastFour: 'abcd' })
  const undone = new Error('undone')

  /** Makes one change, unless there is nothing to change. */
  async function change(kind: string, name: string): Promise<unknown> {
    const id = idOf(name)
    switch (kind) {
      case 'add':
        return applications.addApplication(anApplication(name), aSecret())
      case 'replace':
        return applications.replaceSecrets(id, ada, aSecret(), 1)
      case 'second':
        return applications.addSecret(id, ada, { ...aSecret(), label: 'second' }, { atMost: 2, nowMs: 1 })
      case 'remove': {
        const number = (await applications.findById(id))?.secrets[0]?.number
        return number === undefined ? undefined : applications.removeSecret(id, ada, number)
      }
      case 'use':
        return applications.recordSecretUse(new Map([[1, 5]]))
      case 'delete':
        return applications.deleteApplication(id, ada, 2)
      case 'by hand':
        return database.write({}, () =>
          sql`UPDATE client_secrets SET digest = ${aSecret().digest} WHERE application_id = ${id}`.run(),
        )
      default:
        return assert.rejects(
          database.write({}, function* () {
            yield* sql`DELETE FROM client_secrets WHERE application_id = ${id}`.changes()
            throw undone
          }),
          undone,
        )
    }
  }
  return { applications, database, change }
}

/** Normalizes rows for comparison: sorts them, drops extra columns and converts digests to hexadecimal. */
function plainRows(rows: readonly { id: string; number: number | null; digest: Uint8Array | null }[]) {
  return rows
    .map(({ id, number, digest }) => ({ id, number, digest: digest && Buffer.from(digest).toString('hex') }))
    .sort((one, other) => (one.number ?? 0) - (other.number ?? 0))
}

function isEqual(one: Parameters<typeof plainRows>[0], other: Parameters<typeof plainRows>[0]): boolean {
  return JSON.stringify(plainRows(one)) === JSON.stringify(plainRows(other))
}
