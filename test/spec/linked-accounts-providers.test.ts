import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { asPlatform, asUpstream, openStandInProvider } from '../support/stand-in-provider.ts'
import { openWorld } from '../support/world.ts'
import { redirectTargetOf } from './linked-accounts-scene.ts'

describe('our choice: configured providers (decision 0015)', () => {
  test('sign-in and sign-up pages offer each configured provider', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, {
      ...asPlatform('CHAT_PLATFORM', provider, 'Chat'),
      ...asUpstream(provider, 'Home'),
    })
    for (const [page, does] of [
      ['sign-in', 'Sign in'],
      ['sign-up', 'Sign up'],
    ]) {
      const { text } = await new Browser().get(`${world.baseUrl}/${page}`)
      const offered = [...text.matchAll(/action="\/sign-in\/with\/([a-z-]+)">[\s\S]*?<button[^>]*>([^<]*)</g)]
      assert.deepEqual(
        offered.map(([, key, label]) => [key, label]),
        [
          ['chat-platform', `${does} with Chat`],
          ['upstream', `${does} with Home`],
        ],
      )
    }
  })

  test('without configured providers the sign-in page offers no provider, and a callback returns 404', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/sign-in`)
    assert.doesNotMatch(page.text, /sign-in\/with/)
    const callback = await new Browser().get(`${world.baseUrl}/linked/chat-platform/callback?code=a&state=b`)
    assert.equal(callback.status, 404)
    assert.match(callback.text, /<h1>This provider isn’t available<\/h1>/)
  })

  test('Discord and GitHub need only client credentials in the settings, and sign-in requests only the scopes that it needs', async (t) => {
    const world = await openWorld(t, {
      CHAT_PLATFORM_CLIENT_ID: 'discord-client',
      CHAT_PLATFORM_CLIENT_SECRET: 'discord-secret',
      CODE_HOSTING_CLIENT_ID: 'github-client',
      CODE_HOSTING_CLIENT_SECRET: 'github-secret',
    })
    for (const [key, address, expected] of [
      [
        'chat-platform',
        'https://discord.com/oauth2/authorize',
        { client_id: 'discord-client', scope: 'identify email' },
      ],
      ['code-hosting', 'https://github.com/login/oauth/authorize', { client_id: 'github-client' }],
    ] as const) {
      const browser = new Browser()
      const left = await browser.submit(await browser.get(`${world.baseUrl}/sign-in`), {}, `/sign-in/with/${key}`)
      const going = redirectTargetOf(left)
      assert.equal(going.origin + going.pathname, address)
      const { state, code_challenge: challenge, ...query } = Object.fromEntries(going.searchParams)
      assert.ok(state !== undefined && challenge !== undefined)
      assert.deepEqual(query, {
        response_type: 'code',
        redirect_uri: `${world.baseUrl}/linked/${key}/callback`,
        code_challenge_method: 'S256',
        ...expected,
      })
    }
  })
})
