import assert from 'node:assert/strict'
import { personalTokenScopes } from '../../src/domain/accounts/personal-tokens/personal-tokens.ts'
import { send } from './bot-people.ts'
import { answerOf, type Browser, type JsonAnswer } from './people.ts'
import type { World } from './world.ts'

/** Creates a personal access token on its page and returns it. */
export async function makeToken(
  browser: Browser,
  world: World,
  more: Partial<{ name: string; scope: readonly string[]; days: string; password: string }> = {},
): Promise<string> {
  const { name = 'script', scope = personalTokenScopes, days = '30', password = 'correct horse battery' } = more
  const answer = await send(browser, world, '/account/tokens', { name, scope: [...scope], days, password })
  const token = /data-testid="personal-token"[^>]*>([^<]*)</.exec(answer.text)?.[1]
  assert.ok(token, `${answer.status} ${answer.text}`)
  return token
}

/** Calls the API for owners with a token. */
export async function call(
  world: Pick<World, 'baseUrl'>,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<JsonAnswer> {
  const response = await fetch(`${world.baseUrl}/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return answerOf(response)
}
