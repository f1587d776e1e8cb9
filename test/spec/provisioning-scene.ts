import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  adaWithClient,
  call,
  codeFor,
  introspect,
  type JsonAnswer,
  openBot,
  provision,
  redeem,
  refresh,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

export const botBody = { ownerId: 'ada', name: 'Bot', chatPlatformId: '12345678901234567' }

/** Opens a world with the users Ada and Bob, and Ada’s bot `bot-1`. */
export async function openScene(t: TestContext) {
  const world = await openWorld(t)
  const put = (path: string, body: object) => provision(world, 'PUT', `/v1/${path}`, body)
  const get = (path: string) => provision(world, 'GET', `/v1/${path}`)
  const post = (path: string, body: object) => provision(world, 'POST', `/v1/${path}`, body)
  const remove = (path: string) => provision(world, 'DELETE', `/v1/${path}`)
  await put('users/ada', { name: 'Ada' })
  await put('users/bob', { name: 'Bob' })
  await put('bots/bot-1', botBody)
  return { world, put, get, post, remove, madeAt: world.clock.iso() }
}

/** Opens a world with Ada’s bot `bot-1`, and functions that call the control API, and the API for owners as Ada. */
export async function openApis(t: TestContext, env: Record<string, string> = {}) {
  const { world, tokenOf } = await openBot(t, env)
  const token = await tokenOf('ada')
  const operate = (method: string, path: string, body?: object) => provision(world, method, `/v1/${path}`, body)
  const own = (method: string, path: string, body?: object, by = token) => call(world, by, method, path, body)
  return { world, tokenOf, token, operate, own }
}

/** Asserts the status and body of a JSON response, and that the response must not be cached. */
export function assertAnswer(answer: JsonAnswer, status: number, body: object) {
  assert.deepEqual([answer.status, answer.json], [status, body])
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
}

/**
 * Asserts that the response is a problem document.
 *
 * @param where pointers to the invalid members, or a pattern for `detail` if no member is invalid.
 */
export function assertProblem(answer: JsonAnswer, status: number, where: readonly string[] | RegExp) {
  const shown = JSON.stringify(answer.json)
  assert.equal(answer.status, status, shown)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const { type, title, status: repeated, detail, errors } = answer.json
  assert.deepEqual([type, repeated], ['about:blank', status])
  assert.match(title, /^[A-Z]/)
  assert.match(detail, /\.$/)
  if (where instanceof RegExp) {
    assert.match(detail, where)
    return
  }
  const pointers = errors.map((error: { pointer: string }) => error.pointer)
  assert.deepEqual(pointers, where, shown)
  for (const error of errors) assert.match(error.detail, /\.$/)
}

/** Signs Ada in and lets her application hold tokens and a code that is not redeemed yet. */
export async function holdTokens(world: World) {
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const { json: tokens } = await redeem(world, client, await codeFor(world, browser, client))
  return { client, browser, tokens, code: await codeFor(world, browser, client) }
}

/** Asserts that neither tokens nor code work any more. The token endpoint answers with this status and error. */
export async function assertGrantEnded(
  node: World,
  { client, tokens, code }: Pick<Awaited<ReturnType<typeof holdTokens>>, 'client' | 'tokens' | 'code'>,
  answer = [400, 'invalid_grant'],
) {
  assert.equal((await userinfo(node, tokens.access_token)).status, 401)
  for (const refused of [await refresh(node, client, tokens.refresh_token), await redeem(node, client, code)]) {
    assert.deepEqual([refused.status, refused.json.error], answer)
  }
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    assert.deepEqual((await introspect(node, token)).json, { active: false })
  }
}
