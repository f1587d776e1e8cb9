import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import {
  ended,
  serve,
  startAndStop,
  startFailure,
  startGatehouse,
  startInProcess,
} from '../support/gatehouse-process.ts'
import { provision } from '../support/people.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { ask } from '../support/postgres/with-client.ts'
import { operatedEnvironment, surfaceUrls } from '../support/service-process-client.ts'

type Environment = Record<string, string>

const oneKey = 'one-secret-key-of-the-test-0123456789'
const otherKey = 'other-secret-key-of-the-test-01234567'
const thirdKey = 'third-secret-key-of-the-test-01234567'
const signingSecret = 'what-the-sender-signs'

describe('Startup fails with exit code 78 if the secret key does not match the existing data', () => {
  test('a missing secret.key is not replaced if there is existing data, doctor says where to read on, and restoring it lets the service start', async (t) => {
    const env = await operatedEnvironment(t)
    const path = join(env.DATA_DIR as string, 'secret.key')
    await startAndStop(t, env)
    renameSync(path, `${path}.away`)
    const line = `${env.DATA_DIR} holds data (identity.sqlite), but there is neither SECRET_KEY nor ${path}; restore the key from your backup (a new key would not fit the existing data); without one, see docs/operations.md, "Lost secret key"`
    assert.equal((await ended(startGatehouse(t, ['serve'], env), 78)).stderr, `gatehouse: ${line}\n`)
    assert.ok(!existsSync(path), 'no key was made')
    const doctor = startGatehouse(t, ['doctor'], env)
    await doctor.exited
    assert.match(doctor.stdout(), /^ +remedy: restore .+; without one, see docs\/operations\.md, "Lost secret key"$/m)
    renameSync(`${path}.away`, path)
    await startAndStop(t, env)
  })

  test('startup fails with a replaced secret.key, and doctor reports the mismatch', async (t) => {
    const env = await operatedEnvironment(t)
    const path = join(env.DATA_DIR as string, 'secret.key')
    await startAndStop(t, env)
    writeFileSync(path, `${otherKey}\n`, { mode: 0o600 })
    const refusal = `${path} is not the secret key that the data in ${env.DATA_DIR} was created with`
    const error = `gatehouse: ${refusal}; restore that key, or add it to SECRET_KEY_PREVIOUS if it was rotated\n`
    assert.deepEqual(await startFailure(t, env), [78, error])
    const doctor = await ended(startGatehouse(t, ['doctor'], env), 1)
    assert.match(doctor.stdout, new RegExp(`^fault +keys +${refusal}$`, 'm'))
  })

  test('a node does not start with a different key than its peers, or with an unknown previous key; no log line contains the key or its check value', async (t) => {
    const url = await emptyDatabase(t)
    const env = { ...(await operatedEnvironment(t)), DATABASE_URL: url }
    const peer = await serve(t, { ...env, SECRET_KEY: oneKey })
    const joining = { ...(await operatedEnvironment(t)), DATABASE_URL: url }
    for (const keys of [{ SECRET_KEY: otherKey }, { SECRET_KEY: otherKey, SECRET_KEY_PREVIOUS: thirdKey }]) {
      assert.deepEqual(await startFailure(t, { ...joining, ...keys }), [
        78,
        'gatehouse: SECRET_KEY is not the secret key that the database of DATABASE_URL was created with; restore that key, ' +
          'or add it to SECRET_KEY_PREVIOUS if it was rotated; all nodes need the same keys\n',
      ])
    }
    const doctor = await ended(startGatehouse(t, ['doctor'], { ...joining, SECRET_KEY: otherKey }), 1)
    assert.match(doctor.stdout, /^fault +keys +SECRET_KEY is not the secret key that the database of DATABASE_URL/m)
    const checks = (await ask(url, 'SELECT check_value FROM secret_key_check')) as { check_value: Buffer }[]
    assert.equal(checks.length, 1)
    const said = peer.stdout() + peer.stderr()
    for (const { check_value } of checks)
      for (const form of [oneKey, check_value.toString('hex'), check_value.toString('base64')])
        assert.ok(!said.includes(form))
  })

  test('a rolling key change across two nodes works at each step, and can be undone while both nodes have both keys', async (t) => {
    const url = await emptyDatabase(t)
    const first = { ...(await operatedEnvironment(t)), DATABASE_URL: url }
    const second = { ...(await operatedEnvironment(t)), DATABASE_URL: url }
    const before = { SECRET_KEY: oneKey }
    const announced = { SECRET_KEY: oneKey, SECRET_KEY_PREVIOUS: otherKey }
    const exchanged = { SECRET_KEY: otherKey, SECRET_KEY_PREVIOUS: oneKey }
    const after = { SECRET_KEY: otherKey }
    for (const [ofFirst, ofSecond] of [
      [announced, before],
      [announced, announced],
      [exchanged, announced],
      [announced, exchanged],
      [exchanged, after],
    ]) {
      const nodes = [
        await startInProcess(t, { ...first, ...ofFirst }),
        await startInProcess(t, { ...second, ...ofSecond }),
      ]
      await Promise.all(nodes.map((node) => node.stop()))
    }
    assert.equal((await startFailure(t, { ...first, ...before }))[0], 78, 'a node that was left behind')
  })

  test('with data from an earlier release, a key that decrypts nothing is refused, and the right key is recorded, also if nothing is encrypted', async (t) => {
    const env = { ...(await operatedEnvironment(t)), SECRET_KEY: oneKey }
    const service = await startInProcess(t, env)
    assert.equal((await provisionSigned(env)).status, 201)
    await service.stop()
    alter(env, 'DELETE FROM secret_key_check')
    assert.equal((await startFailure(t, { ...env, SECRET_KEY: otherKey }))[0], 78)
    await startAndStop(t, env)
    alter(env, 'DELETE FROM flows')
    assert.equal((await startFailure(t, { ...env, SECRET_KEY: otherKey }))[0], 78, 'recorded')
    alter(env, 'DELETE FROM secret_key_check')
    await startAndStop(t, env)
    assert.equal((await startFailure(t, { ...env, SECRET_KEY: otherKey }))[0], 78, 'recorded again')
  })

  test('a backup from before a rotation, once restored, starts with its own key and with the rotated key', async (t) => {
    const env = await operatedEnvironment(t)
    const folder = join(env.DATA_DIR as string, '../backup')
    await startAndStop(t, env)
    await ended(startGatehouse(t, ['backup', folder], env), 0)
    await ended(startGatehouse(t, ['rotate-secret-key'], env), 0)
    await startAndStop(t, env)
    const rotated = join(env.DATA_DIR as string, '../rotated.key')
    copyFileSync(join(env.DATA_DIR as string, 'secret.key'), rotated)
    rmSync(env.DATA_DIR as string, { recursive: true })
    await ended(startGatehouse(t, ['restore', folder], env), 0)
    await startAndStop(t, env)
    copyFileSync(rotated, join(env.DATA_DIR as string, 'secret.key'))
    await startAndStop(t, env)
  })

  test('after a permanent loss of the key, the operator can clear its check value, keep the other data, and store signing secrets and URLs again', async (t) => {
    const env = { ...(await operatedEnvironment(t)), SECRET_KEY: oneKey }
    const before = await startInProcess(t, env)
    await provisionSigned(env)
    const form = { types: ['bot.offline'], format: 'discord' }
    const subscribe = async (url: string) =>
      (await provision(surfaceUrls(env), 'PUT', '/v1/subscriptions/s', { ...form, url })).status
    assert.equal(await subscribe('https://discord.example/one'), 201)
    await before.stop()
    const now = { ...env, SECRET_KEY: otherKey }
    assert.equal((await startFailure(t, now))[0], 78)
    alter(env, 'UPDATE secret_key_check SET check_value = NULL')
    await startInProcess(t, now)
    const { json } = await provision(surfaceUrls(env), 'GET', '/v1/users/ada')
    assert.equal(json.name, 'Ada')
    const { status, json: flow } = await provisionSigned(env)
    assert.deepEqual([status, flow.webhook.signature], [200, { preset: 'github', previousSecretEndsAt: null }])
    const headers = { 'x-hub-signature-256': `sha256=${createHmac('sha256', signingSecret).digest('hex')}` }
    const send = async (sent = {}) =>
      (await fetch(`${surfaceUrls(env).apiUrl}/greeter/p`, { method: 'POST', ...sent })).status
    assert.deepEqual([await send({ headers }), await send()], [202, 401])
    assert.deepEqual(
      [await subscribe('https://discord.example/…'), await subscribe('https://discord.example/two')],
      [400, 200],
    )
  })
})

/** Puts Ada's bot with a flow whose webhooks GitHub signs. */
async function provisionSigned(env: Environment) {
  const put = (path: string, body: object) => provision(surfaceUrls(env), 'PUT', `/v1/${path}`, body)
  await put('users/ada', { name: 'Ada' })
  await put('bots/greeter', { ownerId: 'ada', name: 'Greeter', chatPlatformId: '123456789012345678' })
  const webhook = { path: 'p', requiresKey: false, signature: { preset: 'github', secret: signingSecret } }
  return put('bots/greeter/flows/f', { kind: 'event', name: 'F', webhook })
}

function alter(env: Environment, sql: string): void {
  using db = new DatabaseSync(join(env.DATA_DIR as string, 'identity.sqlite'))
  db.exec(sql)
}
