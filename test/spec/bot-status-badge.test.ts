import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { statusSnippets } from '../../src/surfaces/owner-bots/settings.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { chatPlatformId, heartbeat, hostile, id, openScene, putBot, unknownRefs } from '../support/status-bot.ts'
import { pluck } from '../support/together.ts'

describe('our choice: …/badge.svg and …/shield.json', () => {
  const badgeHeaders = {
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=15, s-maxage=15',
    'cross-origin-resource-policy': 'cross-origin',
  }
  const assertBadgeHeaders = (answer: Response) => {
    for (const [name, value] of Object.entries(badgeHeaders)) assert.equal(answer.headers.get(name), value, name)
  }

  test('the badge and the shield show the bot’s state, and answer a CORS preflight', async (t) => {
    const { world, ask } = await openScene(t)
    const said = async () => {
      const [svg, json] = await Promise.all([ask(`${id}/badge.svg`), ask(`${id}/shield.json`)])
      assertBadgeHeaders(svg)
      assertBadgeHeaders(json)
      assert.equal(svg.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
      const title = /<title>([^<]*)<\/title>/.exec(await svg.text())?.[1]
      return [title, await json.json()]
    }
    const shield = (message: string, color: string) => ({ schemaVersion: 1, label: 'bot', message, color })
    assert.deepEqual(await said(), ['bot: offline', shield('offline', 'b3261e')])
    heartbeat(world, { ready: false })
    assert.deepEqual(await said(), ['bot: connecting', shield('connecting', '7b5100')])
    heartbeat(world)
    assert.deepEqual(await said(), ['bot: online', shield('online', '17693f')])
    await putBot(world, { hostingEnabled: false })
    assert.deepEqual(await said(), ['bot: hosting off', shield('hosting off', '53606f')])
    const preflight = await ask(`${id}/shield.json`, { method: 'OPTIONS' })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS')
  })

  test('the badge comes in two styles, with an optional label of at most 40 characters', async (t) => {
    useOwnWorld(t)
    const { ask } = await openScene(t)
    const text = async (query: string) => (await ask(`${id}/badge.svg?${query}`)).text()
    assert.match(
      await text('style=for-the-badge&label=My+bot'),
      /height="28" role="img" aria-label="My bot: offline"[\s\S]*>MY BOT<[\s\S]*>OFFLINE</,
    )
    assert.match(await text('label='), /aria-label="offline"/)
    assert.match(await text(`label=${'x'.repeat(500)}`), /aria-label="x{40}: offline"/)
    assert.equal(await text('style=other&label=bot&label=bot'), await text('style=flat'))
  })

  test('badge and shield say "unknown" with status 200 for unknown, deleted and non-public bots, so that embedding pages show no broken image', async (t) => {
    const { ask } = await openScene(t, { publicStatus: false })
    for (const file of ['badge.svg', 'shield.json']) {
      const answers = await Promise.all(unknownRefs.map((ref) => ask(`${ref}/${file}`)))
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      assert.deepEqual(pluck(answers, 'status'), [200, 200, 200, 200])
      for (const answer of answers) assertBadgeHeaders(answer)
      assert.equal(new Set(texts).size, 1)
      assert.match(texts[0]!, /unknown/)
    }
  })
})

test('our choice: the badge snippets for owners link the badge to the status page, in Markdown and in HTML; a hostile bot name adds no link and no markup', () => {
  const page = `https://id.example/botstatus/${chatPlatformId}`
  const snippetsOf = (botName: string) => statusSnippets(page, botName).map(({ code }) => code)
  assert.deepEqual(snippetsOf('Lantern'), [
    `[![Status of Lantern](${page}/badge.svg)](${page})`,
    `<a href="${page}"><img src="${page}/badge.svg" alt="Status of Lantern" height="20"></a>`,
  ])

  const [markdown = '', html = ''] = snippetsOf(`](https://evil.example) ${hostile}`)
  assert.match(markdown, /^\[!\[Status of \\\]\(https:\/\/evil\.example\) "\\><?/)
  assert.doesNotMatch(html, /<script>/)
})
