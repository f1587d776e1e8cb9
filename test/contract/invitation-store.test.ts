import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewInvitation } from '../../src/domain/bots/invitations.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { aBot, ada, bob, botId, cleo, digest, nowMs, withPeople } from './scene.ts'

const one = botId('one')
const expiresAtMs = nowMs + 1_000
const limits = { atMost: 3, nowMs }
const later = { nowMs, expiresAtMs: nowMs + 5_000 }

function anInvitation(token: string, change: Partial<NewInvitation> = {}): NewInvitation {
  const invited = { botId: one, label: token, role: 'editor', capabilities: ['keys'] } as const
  return { ...invited, digest: digest(token), expiresAtMs, ...change }
}

onEachDatabase('InvitationStore', withPeople, (open) => {
  async function withBot(t: TestContext) {
    const stores = await open(t)
    await stores.bots.putBot(one, aBot(1), nowMs)
    return stores
  }

  test('if many accounts accept simultaneously, exactly one succeeds, and the owner sees and confirms that account', async (t) => {
    const { invitations, bots, users, pruneExpired } = await withBot(t)
    const first = digest('first')
    await invitations.addInvitation(anInvitation('first'), limits)
    assert.deepEqual(await invitations.acceptInvitation(first, ada, later), { kind: 'works-already' })
    const outcomes = await atOnce(20, (index) => invitations.acceptInvitation(first, index % 2 ? bob : cleo, later))
    assert.equal(outcomes.filter((outcome) => outcome?.kind === 'accepted').length, 1)
    const [listed] = await invitations.listInvitations(one, expiresAtMs)
    const accepter = listed?.accepter?.userId ?? ada
    const other = accepter === bob ? cleo : bob
    const number = listed?.number ?? 0
    const { name, email, emailVerified } = (await users.findUser(accepter))!
    assert.deepEqual(listed?.accepter, { userId: accepter, name, email, emailVerified })
    assert.deepEqual(await invitations.listInvitations(one, later.expiresAtMs), [], 'it has expired')
    assert.equal(await invitations.findInvitation(first, accepter, later.expiresAtMs), undefined)
    assert.equal(await invitations.declineInvitation(first, other, nowMs), undefined)
    assert.equal(await invitations.declineInvitation(digest('unknown'), other, nowMs), undefined)
    assert.deepEqual(await invitations.confirmInvitation(one, number, other, nowMs), { kind: 'unknown' })
    assert.deepEqual(await invitations.confirmInvitation(one, number, accepter, 6_000 + nowMs), { kind: 'unknown' })
    const collaborator = { userId: accepter, role: 'editor', capabilities: ['keys'] }
    const confirmations = await atOnce(10, () => invitations.confirmInvitation(one, number, accepter, nowMs))
    const confirmed = confirmations.filter(({ kind }) => kind !== 'unknown')
    assert.deepEqual(confirmed, [{ kind: 'created', collaborator }])
    assert.deepEqual(await bots.findCollaborator(one, accepter), collaborator)
    assert.deepEqual(await invitations.listInvitations(one, nowMs), [])
    await invitations.addInvitation(anInvitation('second'), limits)
    const again = await invitations.acceptInvitation(digest('second'), accepter, later)
    assert.deepEqual(again, { kind: 'works-already' })
    assert.equal(await pruneExpired('invitations', expiresAtMs - 1, 10), 0)
    assert.equal(await pruneExpired('invitations', expiresAtMs, 10), 1)
  })

  test('of a concurrent confirmation and revocation, exactly one finds the invitation', async (t) => {
    const { invitations, bots } = await withBot(t)
    for (const token of ['first', 'second', 'third']) {
      await bots.removeCollaborator(one, bob)
      await invitations.addInvitation(anInvitation(token), limits)
      await invitations.acceptInvitation(digest(token), bob, later)
      const [{ number } = { number: 0 }] = await invitations.listInvitations(one, nowMs)
      const [confirmed, revoked] = await Promise.all([
        invitations.confirmInvitation(one, number, bob, nowMs),
        invitations.revokeInvitation(one, number),
      ])
      assert.notEqual(confirmed.kind === 'created', revoked)
      assert.equal((await bots.findCollaborator(one, bob)) !== undefined, confirmed.kind === 'created')
    }
  })

  test('a bot never exceeds its invitation limit, even with concurrent additions; a deleted bot has no invitations', async (t) => {
    const { invitations, bots } = await withBot(t)
    assert.equal(await invitations.addInvitation(anInvitation('x', { botId: botId('none') }), limits), 'bot-unknown')
    const added = await atOnce(10, (index) => invitations.addInvitation(anInvitation(`many-${index}`), limits))
    assert.equal(tally(added).added, 3)
    const next = { atMost: 3, nowMs: expiresAtMs }
    const fresh = anInvitation('fresh', { expiresAtMs: expiresAtMs + 1 })
    assert.equal(await invitations.addInvitation(fresh, next), 'added', 'those that expired do not count')
    await bots.removeBot(one, nowMs)
    assert.equal(await invitations.findInvitation(fresh.digest, bob, nowMs), undefined)
    await bots.putBot(one, aBot(1), nowMs)
    assert.equal(await invitations.findInvitation(fresh.digest, bob, nowMs), undefined)
  })
})
