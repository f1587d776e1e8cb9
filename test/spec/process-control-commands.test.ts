import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { withQueue } from '../support/bot-deliveries.ts'
import { reportOf } from '../support/bot-runtime.ts'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { serve } from '../support/local-server.ts'
import { aClient, openAda, provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

/** Runs the command against the world's control surface, or where `env` says. */
async function run(t: TestContext, world: World, words: readonly string[], env: Record<string, string> = {}) {
  const started = startGatehouse(t, words, { CONTROL_URL: world.controlUrl, OPERATOR_KEY: world.operatorKey, ...env })
  const code = await started.exited
  return { code, stdout: started.stdout(), stderr: started.stderr() }
}

const said = (stdout: string) => ({ code: 0, stdout, stderr: '' })
const failed = (stderr: string) => ({ code: 1, stdout: '', stderr })

test('each support command makes the control API call of the same name, which is audited with the key’s name', async (t) => {
  const { world } = await openAda(t)
  await aClient(world, 'other')
  const { json: named } = await provision(world, 'POST', '/v1/operator-keys', { name: 'support', access: 'full' })
  const support = (words: string) => run(t, world, words.split(' '), { OPERATOR_KEY: named.key })

  for (const [words, done] of [
    ['application revoke-tokens acme', 'Revoked all tokens of application acme.'],
    ['application disable acme', 'Disabled application acme.'],
    ['application enable acme', 'Enabled application acme.'],
    ['application delete other', 'Deleted application other.'],
    ['user end-sessions ada', 'Ended all sessions of user ada.'],
    ['user revoke-tokens ada', 'Revoked all tokens of user ada.'],
    ['user disable ada', 'Disabled user ada.'],
    ['user enable ada', 'Enabled user ada.'],
  ] as const) {
    assert.deepEqual(await support(words), said(`${done}\n`))
  }
  const { code, stdout } = await support('user export ada')
  assert.deepEqual([code, JSON.parse(stdout).user.id], [0, 'ada'])
  const owner = await support('user delete ada')
  assert.match(
    owner.stderr,
    /^gatehouse: This user owns the application acme\. .* or delete them too, with cascade=true \(gatehouse user delete --cascade\)\./,
  )
  assert.deepEqual([owner.code, owner.stdout], [1, ''])
  assert.deepEqual(await support('user delete --cascade ada'), said('Deleted user ada.\n'))
  assert.deepEqual(await support('user export ada'), failed('gatehouse: There is no user ada. Check the ID.\n'))

  const calls = (await exported(world)).filter(({ detail }) => detail.operatorKeyName === 'support')
  const described = calls.map(({ detail: { call }, applicationId, userId }) => `${call} ${applicationId ?? userId}`)
  assert.deepEqual(described, [
    ...['revokeApplicationTokens acme', 'disableApplication acme', 'enableApplication acme'],
    ...['deleteApplication other', 'endUserSessions ada', 'revokeUserTokens ada', 'disableUser ada'],
    ...['enableUser ada', 'exportUser ada', 'deleteUser ada'],
  ])
})

test('gatehouse bots lists bots with state, runtime and queue, and escapes control characters in names; gatehouse queues lists waiting events', async (t) => {
  const { world, post, connect } = await withQueue(t)
  const bot = { ownerId: 'ada', name: 'Evil\u202eJ2', chatPlatformId: '12345678901234568', hostingEnabled: false }
  await world.clock.advance(1_000)
  assert.equal((await provision(world, 'PUT', '/v1/bots/quiet', bot)).status, 201)
  assert.deepEqual(await run(t, world, ['queues']), said('QUEUE  WAITING  BYTES\n'))
  await post('one')
  await post('two')
  assert.deepEqual(await run(t, world, ['queues']), said('QUEUE      WAITING  BYTES\nbot bot-1  2        6\n'))
  const runtime = await connect()
  await runtime.deliveries(2)
  await runtime.heartbeat([], [reportOf('bot-1')])
  const head = 'BOT    STATE        RUNTIME  WAITING  OWNER  NAME\n'
  const quiet = 'quiet  hosting-off  no       0        ada    Evil\\u202eJ2\n'
  const { name } = (await provision(world, 'GET', '/v1/bots/bot-1')).json
  const bots = said(`${head}${quiet}bot-1  online       yes      2        ada    ${name}\n`)
  assert.deepEqual(await run(t, world, ['bots']), bots)
  assert.deepEqual(await run(t, world, ['bots', '--without-runtime']), said(`${head}${quiet}`))
})

describe('Commands that call the control API say what is wrong', () => {
  test('the error of a support command names the cause: no service, a wrong, missing or read-only key, or a server other than Gatehouse', async (t) => {
    const world = await openWorld(t)
    const env = await freshEnvironment(t)
    const words = ['user', 'disable', 'ada']
    const noService =
      `gatehouse: nothing is listening at ${env.CONTROL_URL}; check the URL\n` +
      'gatehouse: this command calls the running service: start it, or set CONTROL_URL to its control surface\n'
    assert.deepEqual(await run(t, world, words, { CONTROL_URL: env.CONTROL_URL as string }), failed(noService))
    const wrongKey =
      `gatehouse: ${world.controlUrl} rejected the operator key from OPERATOR_KEY; run the command with the ` +
      'environment of the service, or set OPERATOR_KEY to a valid key\n'
    assert.deepEqual(await run(t, world, words, { OPERATOR_KEY: 'w'.repeat(32) }), failed(wrongKey))
    const keyless = await run(t, world, words, { OPERATOR_KEY: '', DATA_DIR: env.DATA_DIR })
    assert.match(keyless.stderr, /^gatehouse: there is no operator key at .*operator\.key; is DATA_DIR the one/)
    assert.equal(keyless.code, 1)

    const { json } = await provision(world, 'POST', '/v1/operator-keys', { name: 'dashboard', access: 'read' })
    const readOnly = 'gatehouse: This operator key has read access, so it can only send GET. Nothing was changed.\n'
    assert.deepEqual(await run(t, world, words, { OPERATOR_KEY: json.key }), failed(readOnly))
    const elsewhere = `gatehouse: ${world.portalUrl} responded 404; is CONTROL_URL the control surface of Gatehouse?\n`
    assert.deepEqual(await run(t, world, words, { CONTROL_URL: world.portalUrl }), failed(elsewhere))
  })

  test('an export of a person’s data that is cut off is reported as incomplete', async (t) => {
    const world = await openWorld(t)
    const url = await serve(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"exportedAt":', () => response.destroy())
    })
    const { code, stderr } = await run(t, world, ['user', 'export', 'ada'], { CONTROL_URL: url })
    assert.equal(code, 1)
    assert.match(stderr, /^gatehouse: the export is incomplete \(.+\); repeat the command\n$/)
  })
})
