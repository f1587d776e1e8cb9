import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LinkPurpose, OneTimeLinkStore } from '../../src/domain/accounts/recovery/one-time-link-store.ts'
import { AccessEnded } from '../../src/domain/audit/audit.ts'
import type { SecretDigest } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce } from '../support/together.ts'
import {
  acme,
  ada,
  adaSigningUp,
  aKey,
  aNewDigest,
  anApplication,
  anEmail,
  anEvent,
  aSession,
  bob,
  nowMs,
  withAda,
} from './scene.ts'

const newEmail = anEmail('ada@new.example')
const aReset = { passwordHash: 'new', removesAccess: false }

onEachDatabase('OneTimeLinkStore', withAda, (open) => {
  test('exactly one of fifty simultaneous uses of the same link succeeds', async (t) => {
    const { links, users } = await open(t)
    const digest = await aLink(links, 'reset-password', null)
    const uses = await atOnce(50, (index) =>
      links.resetPassword(digest, { ...aReset, passwordHash: `new-${index}` }, 2_000),
    )
    assert.equal(uses.filter(({ kind }) => kind === 'used').length, 1)
    const won = uses.findIndex(({ kind }) => kind === 'used')
    assert.equal((await users.findCredentials(ada))?.passwordHash, `new-${won}`)
  })

  test('what a session adds while a link proves the address for the first time is removed, or not stored', async (t) => {
    const stores = await open(t)
    const { links, applications } = stores
    await applications.addApplication(anApplication('acme'), aKey('first'))
    const by = await aSession(stores)
    const digest = await aLink(links, 'reset-password', adaSigningUp.email.key)
    await atOnce(8, async (n) => {
      if (n === 4) return links.resetPassword(digest, aReset, 2_000)
      const secret = { ...aKey(`${n}`), label: `${n}` }
      const adding = applications.addSecret(acme, ada, secret, { atMost: 9, nowMs }, () => ({ ...anEvent(nowMs), by }))
      return adding.catch((error) => assert(error instanceof AccessEnded))
    })
    assert.deepEqual((await applications.findById(acme))?.secrets, [])
  })

  test('a link changes nothing if its address is no longer the user’s, or now belongs to another user', async (t) => {
    const stores = await open(t)
    const { links, users } = stores
    await users.requestEmail(ada, newEmail, 'de', 1_000)
    const digest = await aLink(links, 'verify-email', newEmail.key)
    await users.putUser(bob, { name: 'Bob', email: newEmail }, 1_000)
    assert.deepEqual(await links.verifyEmail(digest, await aSession(stores), 'de', 2_000), { kind: 'email-taken' })
    assert.equal((await users.findUser(ada))?.email, adaSigningUp.email.address)

    const password = await aLink(links, 'reset-password', adaSigningUp.email.key)
    await users.changeEmail(ada, anEmail('a@b.example'), 2_000)
    assert.equal(await links.findLink(password, 'reset-password', 2_000), undefined)
  })

  test('a new password and a cancelled change of address invalidate the links from before, even if the same address is requested again', async (t) => {
    const { links, users } = await open(t)
    const password = (from: string, to: string) => ({ userId: ada, from, to, keptSession: 0 })
    for (const [way, end] of Object.entries({
      'on the account page': () => users.changePassword(password('ada-password', 'new'), 2_000),
      'by the operator': () => users.putUser(ada, { name: 'Ada', passwordHash: 'newer' }, 2_000),
      'with a link': (reset: SecretDigest) => links.resetPassword(reset, aReset, 2_000),
      cancelled: () => users.dropPendingEmail(ada),
    })) {
      await users.requestEmail(ada, newEmail, 'de', 1_000)
      const digest = await aLink(links, 'verify-email', newEmail.key)
      const reset = await aLink(links, 'reset-password', null)
      await end(reset)
      assert.equal((await users.findUser(ada))?.pendingEmail, null, way)
      await users.requestEmail(ada, newEmail, 'de', 2_000)
      assert.equal(await links.findLink(digest, 'verify-email', 2_000), undefined, way)
      const stays = way === 'cancelled'
      assert.equal((await links.findLink(reset, 'reset-password', 2_000)) !== undefined, stays, way)
    }
  })

  test('a new password does not invalidate the link that verifies the current address', async (t) => {
    const { links, users } = await open(t)
    const digest = await aLink(links, 'verify-email', adaSigningUp.email.key)
    await users.changePassword({ userId: ada, from: adaSigningUp.passwordHash, to: 'newer', keptSession: 0 }, 2_000)
    assert.equal((await links.verifyEmail(digest, undefined, 'de', 2_000)).kind, 'used')
  })

  test('links for different purposes don’t replace each other; expired ones are deleted', async (t) => {
    const { links, pruneExpired } = await open(t)
    for (const purpose of ['verify-email', 'reset-password', 'set-pin'] as const) await aLink(links, purpose, null)
    assert.equal(await pruneExpired('one_time_links', 8_999, 100), 0)
    assert.equal(await pruneExpired('one_time_links', 9_000, 100), 3)
  })

  test('nextDue returns emails in the order they were added, until they are removed; a postponed email is due again later, and counts its attempts', async (t) => {
    const { mail } = await open(t)
    const sent = { userId: null, address: 'a@example.com', language: 'de' } as const
    for (const kind of ['reset-password', 'verify-email'] as const) await mail.addMail({ ...sent, kind }, 1_000)
    assert.equal(await mail.nextDue(999), undefined)
    const first = (await mail.nextDue(1_000))!
    await mail.postponeMail(first.number, 2_000, false)
    const second = (await mail.nextDue(1_999))!
    assert.deepEqual([first.kind, second.kind], ['reset-password', 'verify-email'])
    await mail.removeMail(second.number)
    assert.deepEqual(await mail.nextDue(2_000), first)
    await mail.postponeMail(first.number, 5_000, true)
    assert.equal(await mail.nextDue(4_999), undefined)
    assert.deepEqual(await mail.nextDue(5_000), { ...first, attempts: 1 })
  })
})

async function aLink(links: OneTimeLinkStore, purpose: LinkPurpose, emailKey: string | null): Promise<SecretDigest> {
  const digest = aNewDigest()
  assert.equal(await links.putLink({ userId: ada, purpose, digest, emailKey, expiresAtMs: 9_000 }), 'stored')
  return digest
}
