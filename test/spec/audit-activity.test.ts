import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openAudit, refreshAs, signInWith } from '../support/audit.ts'
import { ada, Browser, codeFor, provision, redeem, signedIn } from '../support/people.ts'

describe('Activity pages', () => {
  test('the Activity tab shows a user’s own events and no other user’s', async (t) => {
    const { world, client } = await openAudit(t)
    await provision(world, 'PUT', '/v1/users/bob', {
      name: 'Bob',
      email: 'bob@example.com',
      password: 'harbour gate 12',
    })
    const bob = await signedIn(world, { email: 'bob@example.com', password: 'harbour gate 12' })
    const browser = await signedIn(world)
    await codeFor(world, browser, client)
    await signInWith(world, ada.email, 'not her password')

    const list = await browser.get(`${world.baseUrl}/account/activity`)
    assert.equal(list.status, 200)
    assert.deepEqual(titlesIn(list.text), [
      'A sign-in failed',
      'You granted access to Acme Dashboard',
      'You signed in',
      'An administrator created the account',
    ])
    assert.deepEqual(titlesIn((await bob.get(`${world.baseUrl}/account/activity`)).text), [
      'You signed in',
      'An administrator created the account',
    ])
    assert.equal((await new Browser().get(`${world.baseUrl}/account/activity`)).location?.pathname, '/sign-in')
  })

  test('our choice: the Activity tab lists 20 events, with a link to older ones', async (t) => {
    const { world } = await openAudit(t)
    const browser = await signedIn(world)
    const origin = { address: '192.0.2.1', userAgent: undefined }
    for (let event = 0; event < 40; event += 1) {
      await world.service.audit.record({ kind: 'sign-in', actor: 'user', userId: 'ada' as never, origin })
    }
    let page = await browser.get(`${world.baseUrl}/account/activity`)
    const sizes = [titlesIn(page.text).length]
    for (let way = /href="(\?|[^"]*\?before=\d+)"/.exec(page.text); way !== null; ) {
      page = await browser.get(new URL(way[1] as string, page.url))
      sizes.push(titlesIn(page.text).length)
      way = /href="([^"]*\?before=\d+)"/.exec(page.text)
    }
    assert.deepEqual(sizes, [20, 20, 2])
  })

  test('the owner sees the application’s events; our choice: the addresses and browsers of its users are hidden', async (t) => {
    const { world, client } = await openAudit(t)
    const password = 'harbour gate 12'
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.com', password })
    const bob = await signedIn(world, { email: 'bob@example.com', password })
    const tokens = await redeem(world, client, await codeFor(world, bob, client))
    await refreshAs(world, client, tokens.json.refresh_token, 'acme-server/1')
    await refreshAs(world, client, tokens.json.refresh_token, 'thief/1')
    const owner = await signedIn(world)
    const { status, text } = await owner.visit(`${world.portalUrl}/apps/acme/activity`, world)
    assert.equal(status, 200)
    assert.deepEqual(titlesIn(text), [
      'A used refresh token for Acme Dashboard was presented again',
      'User bob granted access to Acme Dashboard',
      'An administrator created the application',
    ])
    assert.equal(text.match(/Hidden/g)?.length, 2)
    assert.equal(text.match(/>thief\/1/g)?.length, 1)
    const stranger = await bob.visit(`${world.portalUrl}/apps/acme/activity`, world)
    assert.equal(stranger.status, 404)
  })
})

function titlesIn(text: string): string[] {
  const [, table = ''] = /Activity, newest first([\s\S]*?)<\/table>/.exec(text) ?? []
  return [...table.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/th>/g)].map(([, cell = '']) =>
    cell.replace(/<br>[\s\S]*/, '').replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ''),
  )
}
