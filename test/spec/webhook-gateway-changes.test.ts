import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListeningBot } from '../support/bot-runtime.ts'
import { inDatabase } from '../support/world-database.ts'
import { ask, openSetting, post } from './webhook-gateway-scene.ts'

test('a webhook path or key that another process added works on the next request', async (t) => {
  const { world, open, keyed } = await openSetting(t)
  const statusOf = async ({ botId, path, key }: Pick<ListeningBot, 'botId' | 'path' | 'key'>) =>
    (await ask(world, `/${botId}/${path}`, post('', { 'svc-key': key }))).status
  assert.deepEqual([await statusOf(open), await statusOf(keyed)], [202, 202])
  const digest = Buffer.from(world.service.secrets.digest('another')).toString('hex')
  await inDatabase(
    world,
    'identity',
    `UPDATE flows SET webhook_path = 'hooks/elsewhere' WHERE bot_id = '${open.botId}'`,
  )
  await inDatabase(world, 'identity', {
    sqlite: `UPDATE flow_keys SET digest = x'${digest}' WHERE bot_id = '${keyed.botId}'`,
    postgres: `UPDATE flow_keys SET digest = '\\x${digest}' WHERE bot_id = '${keyed.botId}'`,
  })
  assert.equal(await statusOf({ ...open, path: 'hooks/elsewhere' }), 202)
  assert.equal(await statusOf({ ...keyed, key: 'another' }), 202)
})

for (const [what, change, status] of [
  ['a path', `UPDATE flows SET webhook_path = 'hooks/elsewhere' WHERE bot_id = 'guard'`, 404],
  ['a webhook', `UPDATE flows SET webhook_path = NULL WHERE bot_id = 'guard'`, 404],
  ['a flow', `DELETE FROM flows WHERE bot_id = 'guard'`, 404],
  ['a bot', `UPDATE bots SET deleted_at_ms = 1 WHERE id = 'guard'`, 404],
  ['a key', `UPDATE flow_keys SET ends_at_ms = 1 WHERE bot_id = 'guard'`, 401],
] as const) {
  test(`${what} that another process removed is refused within 5 s, even if used constantly`, async (t) => {
    const { world, keyed } = await openSetting(t)
    const use = async () =>
      (await ask(world, `/${keyed.botId}/${keyed.path}`, post('', { 'svc-key': keyed.key }))).status
    assert.equal(await use(), 202)
    await inDatabase(world, 'identity', change)
    for (let second = 1; second < 5; second += 1) {
      await world.clock.advance(1_000)
      await use()
    }
    await world.clock.advance(1_000)
    assert.equal(await use(), status)
  })
}
