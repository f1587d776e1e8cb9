import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { UserId } from '../../src/domain/ids-and-secrets.ts'
import { collaboratorsPerBot } from '../../src/domain/limits/limits.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { aBot, ada, anInvitation, bob, botId, cleo, digest, nowMs, userId, withPeople } from './scene.ts'

const one = botId('one')
const limits = { atMost: 3, nowMs }
const later = { nowMs, expiresAtMs: nowMs + 5_000 }

onEachDatabase('InvitationStore', withPeople, (open) => {
  async function withBot(t: TestContext) {
    const stores = await open(t)
    await stores.bots.putBot(one, aBot(1), nowMs)
    return stores
  }

  test('if many accounts accept simultaneously, exactly one succeeds, and so does one of many confirmations of it', async (t) => {
    const { invitations, bots } = await withBot(t)
    await invitations.addInvitation(anInvitation('first'), limits)
    const accept = (index: number) => invitations.acceptInvitation(digest('first'), index % 2 ? bob : cleo, later)
    const outcomes = await atOnce(20, accept)
    assert.equal(outcomes.filter((outcome) => outcome?.kind === 'accepted').length, 1)
    const [{ number, accepter } = assert.fail()] = await invitations.listInvitations(one, nowMs)
    const winner = accepter?.userId ?? ada
    const confirmations = await atOnce(10, () => invitations.confirmInvitation(one, number, winner, nowMs))
    assert.deepEqual(tally(confirmations), { created: 1, unknown: 9 })
    const collaborator = { userId: winner, role: 'editor', capabilities: ['keys'] }
    assert.deepEqual(await bots.findCollaborator(one, winner), collaborator)
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

  test('a confirmation changes the role of a collaborator of a full bot; one that is refused keeps the invitation, and a new owner’s is removed', async (t) => {
    const { invitations, bots, users } = await withBot(t)
    for (const [token, user] of Object.entries({ bob, cleo })) {
      await invitations.addInvitation(anInvitation(token), limits)
      await invitations.acceptInvitation(digest(token), user, later)
    }
    await bots.putBot(one, aBot(1, { ownerId: bob }), nowMs)
    const [{ number, label } = assert.fail(), ...others] = await invitations.listInvitations(one, nowMs)
    assert.deepEqual([label, others], ['cleo', []])
    const put = (userId: UserId) => bots.putCollaborator(one, { userId, role: 'viewer', capabilities: [] })
    const eves = Array.from({ length: collaboratorsPerBot }, (_, at) => userId(`eve-${at}`))
    for (const eve of eves) await users.putUser(eve, { name: 'Eve' }, nowMs)
    await Promise.all(eves.map(put))
    const confirm = async () => (await invitations.confirmInvitation(one, number, cleo, nowMs)).kind
    assert.equal(await confirm(), 'collaborators-too-many')
    await bots.removeCollaborator(one, userId('eve-0'))
    assert.equal(await put(cleo), 'created')
    assert.deepEqual([await confirm(), await confirm()], ['changed', 'unknown'])
  })

  test('a bot never exceeds its invitation limit, even with concurrent additions', async (t) => {
    const { invitations } = await withBot(t)
    assert.equal(await invitations.addInvitation(anInvitation('x', { botId: botId('none') }), limits), 'bot-unknown')
    const added = await atOnce(10, (index) => invitations.addInvitation(anInvitation(`many-${index}`), limits))
    assert.equal(tally(added).added, 3)
  })
})
