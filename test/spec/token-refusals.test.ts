import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { assertOAuthError } from '../support/oauth-errors.ts'
import { aClient, pkce, redeem, refresh, userinfo } from '../support/people.ts'

describe('Token endpoint: each cause of invalid_grant has its own error_description', () => {
  test('each cause of invalid_grant for an authorization code has its own error_description', async (t) => {
    const { world, client, browser, code, tokens } = await openScene(t)
    const other = await aClient(world, 'other')
    const { verifier, challenge } = pkce()
    const bound = await code({ code_challenge: challenge, code_challenge_method: 'S256' })
    const unbound = await code()
    const used = await code()
    assert.equal((await redeem(world, client, used)).status, 200)
    const issued = await tokens()
    for (const [answer, description] of [
      [redeem(world, client, 'x'), 'The authorization code is not known. Send it exactly as the redirect carried it.'],
      [
        redeem(world, client, issued.access_token),
        'The authorization code is not known. Send it exactly as the redirect carried it.',
      ],
      [redeem(world, other, unbound), 'The authorization code was issued to another client.'],
      [
        redeem(world, client, unbound, { redirect_uri: 'https://client.example/' }),
        'The redirect_uri is not the one of the authorization request.',
      ],
      [
        redeem(world, client, unbound, { code_verifier: verifier }),
        'There is a code_verifier, but the authorization request had no code_challenge.',
      ],
      [redeem(world, client, bound), 'The authorization request had a code_challenge, so a code_verifier is needed.'],
      [
        redeem(world, client, bound, { code_verifier: pkce().verifier }),
        'The code_verifier does not match the code_challenge of the authorization request.',
      ],
      [
        redeem(world, client, bound, { code_verifier: challenge }),
        'The code_verifier does not match the code_challenge of the authorization request.',
      ],
      ...['short', verifier.slice(1), `${verifier}+/=`, 'a'.repeat(129), 'a'.repeat(5_000), `${verifier}é`].map(
        (malformed) =>
          [
            redeem(world, client, bound, { code_verifier: malformed }),
            'The code_verifier must have 43 to 128 characters, each a letter, a digit or one of -._~ (RFC 7636 section 4.1).',
          ] as const,
      ),
      [
        redeem(world, client, used),
        'The authorization code was already used, so the tokens it yielded are revoked. Start the flow again.',
      ],
    ] as const) {
      const { status, json } = await answer
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: description }])
    }

    await browser.submit(
      await browser.get(`${world.baseUrl}/account/applications`),
      { application: 'acme' },
      '/account/applications/withdrawal',
    )
    const withdrawn = await redeem(world, client, unbound)
    assert.deepEqual(withdrawn.json, {
      error: 'invalid_grant',
      error_description: 'The authorization was revoked before its code was used. Start the flow again.',
    })
  })

  test('a code_verifier outside the grammar of RFC 7636 is refused with the grammar although it matches, and the code stays valid', async (t) => {
    const { world, client, code } = await openScene(t)
    for (const verifier of [`${'a'.repeat(40)}+/==`, 'a'.repeat(42), 'a'.repeat(129)]) {
      const code_challenge = createHash('sha256').update(verifier).digest('base64url')
      const bound = await code({ code_challenge, code_challenge_method: 'S256' })
      const answer = await redeem(world, client, bound, { code_verifier: verifier })
      assertOAuthError(answer, 400, 'invalid_grant', /43 to 128 characters, each a letter, a digit or one of -\._~/)
      const again = await redeem(world, client, bound, { code_verifier: verifier })
      assert.deepEqual(again.json, answer.json)
    }
  })

  test('our choice: expired codes and tokens are reported as expired for at least an hour, even after cleanup', async (t) => {
    const { world, client, code, tokens } = await openScene(t)
    const minutes = 60_000
    const startMs = world.clock.nowMs()
    /** Advances to an hour after the end of this lifetime. */
    const outlive = async (lifetimeMs: number) => {
      await world.clock.advance(startMs + lifetimeMs + 60 * minutes - world.clock.nowMs())
      await world.service.authorization.prune(1_000)
    }
    const issued = await tokens()
    const access = [issued.access_token, (await tokens({ scope: 'user.identify' })).access_token]
    const late = await code()
    await outlive(5 * minutes)
    const unused = await redeem(world, client, late)
    const expiredCode = 'The authorization code has expired; it lives for 5 minutes. Start the flow again.'
    assert.deepEqual([unused.status, unused.json], [400, { error: 'invalid_grant', error_description: expiredCode }])
    await outlive(15 * minutes)
    for (const token of access) {
      const expired = 'The access token has expired; it lives for 15 minutes. Refresh it.'
      const answer = await userinfo(world, token)
      assert.deepEqual([answer.status, answer.json], [401, { error: 'invalid_token', error_description: expired }])
    }
    await outlive(30 * 24 * 60 * minutes)
    const refreshed = await refresh(world, client, issued.refresh_token)
    const expiredToken = 'The refresh token has expired; it lives for 30 days from its issue.'
    const body = { error: 'invalid_grant', error_description: expiredToken }
    assert.deepEqual([refreshed.status, refreshed.json], [400, body])
  })

  test('each cause of invalid_grant for a refresh token has its own error_description', async (t) => {
    const { world, client, tokens } = await openScene(t)
    const other = await aClient(world, 'other')
    const reused = await tokens()
    const newest = (await refresh(world, client, reused.refresh_token)).json
    for (const [answer, description] of [
      [() => refresh(world, client, 'x'), 'The refresh token is not known. The user has to sign in again.'],
      [
        () => refresh(world, client, reused.access_token),
        'The refresh token is not known. The user has to sign in again.',
      ],
      [() => refresh(world, other, reused.refresh_token), 'The refresh token was issued to another client.'],
      [
        () => refresh(world, client, reused.refresh_token),
        'The refresh token was already used, so its whole token family is revoked. Keep only the newest one.',
      ],
      [() => refresh(world, client, newest.refresh_token), 'The token family of this refresh token is revoked.'],
    ] as const) {
      const { status, json } = await answer()
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: description }])
    }
  })
})
