import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { audited, onBot } from '../support/audit.ts'
import { assertShows, Browser, openBot, provision, shown, textIn, userIdOf, visibleWordsIn } from '../support/people.ts'
import { signedUp } from '../support/sign-in-forms.ts'
import type { World } from '../support/world.ts'

/** Signs up, and has not confirmed the address. */
const newcomer = { name: 'Alice', email: 'alice@corp.example', password: 'a bridge of stone' }

async function openInvitations(t: TestContext) {
  const scene = await openBot(t)
  const { ada, at } = scene
  /** Creates an invitation on the owner’s page and returns its link. */
  const invite = async () => {
    const form = { label: 'Alice', role: 'editor', capability: 'keys' }
    const made = await ada.submitAt(at('/bots/bot-1/invitations/new'), form, '/invitations')
    assert.equal(made.status, 201, made.text)
    return shown(made, 'invitation-link')
  }
  /** Returns the owner’s page of collaborators, with its table of open invitations as text. */
  const opened = async () => {
    const page = await ada.get(at('/bots/bot-1/coworkers'))
    assert.equal(page.status, 200, page.text)
    const [, rows = ''] = /Open invitations<\/caption>([\s\S]*?)<\/table>/.exec(page.text) ?? []
    return { page, table: textIn(rows) }
  }
  return { ...scene, invite, opened }
}

async function coworkers(world: World): Promise<string[]> {
  const listed = await world.service.bots.records.listCollaborators('bot-1' as never)
  return listed.map(({ userId, role }) => `${userId} ${role}`)
}

describe('A collaborator can be added by an invitation that the recipient accepts and the owner confirms', () => {
  test('the recipient of an invitation signs in through the link and accepts, which no other account can then do; only the owner’s confirmation of that account gives access', async (t) => {
    const { world, ada, as, at, invite, opened } = await openInvitations(t)
    const link = await invite()
    assert.match(link, new RegExp(`^${world.baseUrl}/invitation\\?token=svc_mt_[A-Za-z0-9]+$`))
    assert.match((await opened()).table, /Alice Editor .*Not accepted yet/)

    const signedOut = await new Browser().get(link)
    assert.equal(signedOut.location?.pathname, '/sign-in')
    const returns = new URL(signedOut.location?.searchParams.get('return_to') ?? '', world.baseUrl)
    assert.equal(String(returns), link)
    assert.match((await new Browser().visit(link, world)).text, /You’ll continue to your invitation\./)

    const alice = await signedUp(world, newcomer)
    const page = await alice.get(link)
    assert.match(page.text, /Ada invites you to work on Weather\./)
    assert.match(page.text, /You are signed in as Alice\./)
    const stan = await as('stan')
    const pageOfStan = await stan.get(link)
    const accepted = await alice.submit(page, {}, '/invitation/acceptance')
    assert.equal(accepted.status, 303)
    assert.match((await alice.onward(accepted, world)).text, /You get access when the owner confirms you\./)
    assert.equal((await alice.get(at('/bots/bot-1'))).status, 404, 'acceptance alone gives no access')

    const userId = await userIdOf(world, newcomer.email)
    const { page: waiting, table } = await opened()
    assert.match(table, new RegExp(`Accepted by Alice alice@corp\\.example Email not confirmed ${userId}`))
    for (const action of ['/acceptance', '/refusal'])
      assert.equal((await stan.submit(pageOfStan, {}, action)).status, 404)
    assert.equal((await stan.get(link)).status, 404)
    for (const user of ['stan', '']) assert.equal((await ada.submit(waiting, { user }, '/confirmation')).status, 404)
    const confirmed = await ada.submit(waiting, {}, '/confirmation')
    assert.equal(confirmed.status, 303)
    assert.equal((await ada.submit(waiting, {}, '/confirmation')).status, 404)
    assert.deepEqual(await coworkers(world), [`${userId} editor`, 'ed editor', 'vi viewer'])
    assert.match((await ada.onward(confirmed, world)).text, /Collaborator added\./)
    assert.equal((await opened()).table, '')
    assert.equal((await alice.get(at('/bots/bot-1'))).status, 200)
    const { json } = await provision(world, 'GET', `/v1/bots/bot-1/coworkers/${userId}`)
    assert.deepEqual(json, { botId: 'bot-1', userId, role: 'editor', capabilities: ['keys'] })

    assert.equal((await alice.get(link)).status, 404, 'the link works only once')
    const rights = { role: 'editor', capabilities: 'keys' }
    assert.deepEqual(await audited(world, /invit|coworker/), [
      { kind: 'coworker-invited', ...onBot('ada'), detail: rights },
      { kind: 'invitation-accepted', ...onBot(userId), detail: {} },
      { kind: 'coworker-put', ...onBot('ada'), detail: { coworker: userId, ...rights } },
    ])
    assert.match(visibleWordsIn(await alice.get(at('/account/activity'))), /You accepted an invitation to bot Weather/)
    assert.match(visibleWordsIn(await ada.get(at('/account/activity'))), /You created an invitation to bot Weather/)
    assert.ok(!world.logs().includes('svc_mt_'))
  })

  test('the recipient can decline an invitation and the owner can revoke it, before and after acceptance', async (t) => {
    const { world, ada, as, invite, opened } = await openInvitations(t)
    const stan = await as('stan')
    for (const ender of ['stan', 'ada']) {
      for (const accepts of [false, true]) {
        const link = await invite()
        if (accepts) assert.equal((await stan.submitAt(link, {}, '/acceptance')).status, 303)
        const { page: waiting } = await opened()
        const ended =
          ender === 'stan' ? await stan.submitAt(link, {}, '/refusal') : await ada.submit(waiting, {}, '/revocation')
        assert.equal(ended.status, ender === 'stan' ? 200 : 303, ended.text)
        assert.deepEqual([(await stan.get(link)).status, (await opened()).table], [404, ''])
        if (accepts) assert.equal((await ada.submit(waiting, {}, '/confirmation')).status, 404)
      }
    }
    assert.deepEqual(await coworkers(world), ['ed editor', 'vi viewer'])
    const declined = { kind: 'invitation-ended', ...onBot('stan'), detail: { how: 'declined' } }
    const revoked = { kind: 'invitation-ended', ...onBot('ada'), detail: { how: 'revoked' } }
    assert.deepEqual(await audited(world, /^invitation-ended/), [declined, declined, revoked, revoked])
  })

  test('an invitation expires after 7 days, or 7 days after its acceptance if the owner has not confirmed it; deleting the bot deletes all invitations', async (t) => {
    const { world, ada, as, putBot, invite, opened } = await openInvitations(t)
    const day = 24 * 3_600_000
    const [unused, used] = [await invite(), await invite()]
    await world.clock.advance(6 * day)
    const stan = await as('stan')
    assert.equal((await stan.submitAt(used, {}, '/acceptance')).status, 303)
    await world.clock.advance(day)
    assert.equal((await stan.get(unused)).status, 404)
    const { page: waiting, table } = await opened()
    assert.match(table, /Accepted by Stan/)
    await world.clock.advance(6 * day)
    assert.deepEqual([(await ada.submit(waiting, {}, '/confirmation')).status, (await opened()).table], [404, ''])

    const last = await invite()
    assert.equal((await stan.get(last)).status, 200)
    assert.equal((await provision(world, 'DELETE', '/v1/bots/bot-1')).status, 204)
    assert.equal((await stan.get(last)).status, 404)
    await putBot()
    assert.equal((await stan.get(last)).status, 404, 'a new bot with the same ID has no old invitations')
  })

  test('a bot has at most 20 open invitations; a link is not used up when a collaborator or the owner tries to accept the invitation', async (t) => {
    const { world, ada, as, at, invite } = await openInvitations(t)
    const link = await invite()
    for (const name of ['ada', 'ed'] as const) {
      assert.equal((await (await as(name)).submitAt(link, {}, '/acceptance')).status, 409)
    }
    assert.equal((await (await as('stan')).get(link)).status, 200)
    for (let more = 1; more < 20; more += 1) await invite()
    const page = await ada.get(at('/bots/bot-1/invitations/new'))
    for (const [label, words] of [
      ['One too many', /A bot can have at most 20 open invitations\. Revoke one first\./],
      [' ', /Enter a name or an email address\./],
      ['x'.repeat(101), /Use at most 100 characters\./],
    ] as const) {
      assertShows(await ada.submit(page, { label, role: 'viewer' }, '/invitations'), 422, words)
    }
    await world.clock.advance(7 * 24 * 3_600_000)
    await invite()
  })
})
