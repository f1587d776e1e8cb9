import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Audit } from '../../src/domain/audit/audit.ts'
import { alwaysOurs } from '../../src/domain/background-work.ts'
import { BotRefusal } from '../../src/domain/bots/bot-refusal.ts'
import { createBots } from '../../src/domain/bots/bots.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { botId, noEvents, snowflake, userId } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'
import { ManualClock } from '../support/world.ts'

const one = botId('one')
const ada = userId('ada')
const bob = userId('bob')

async function openBots(t: TestContext) {
  const clock = new ManualClock(1_000_000)
  const secrets = new Secrets('test-secret-key-test-secret-key-0001')
  const stores = await openBotStores(t)
  const audit = new Audit({ store: stores.audit, secrets, clock })
  const bots = createBots({
    ...stores,
    queue: noEvents,
    ownersManageFlows: false,
    audit,
    secrets,
    clock,
    duty: alwaysOurs,
    onFault: (error) => assert.fail(String(error)),
  })
  const put = () =>
    bots.records.put(one, { ownerId: ada, name: 'One', chatPlatformId: snowflake(1), publicStatus: true })
  await put()
  await bots.records.putCollaborator(one, { userId: bob, role: 'viewer', capabilities: [] })
  return { bots, clock, put }
}

const refusedAs = (reason: string) => (error: unknown) => error instanceof BotRefusal && error.reason === reason

describe('our choice: the notice on a status page', () => {
  test('a notice is reduced to one line, is visible to the next reader, and is removed when set to empty text', async (t) => {
    const { bots, clock } = await openBots(t)
    assert.equal((await bots.statusBoard.find('one'))?.notice, undefined)
    const notice = { text: 'Maintenance <b>from</b> 3 to 4', setAtMs: clock.nowMs() }
    assert.deepEqual(await bots.notices.put(ada, one, ' Maintenance\n<b>from</b>\u202e 3 to 4 '), notice)
    assert.deepEqual((await bots.statusBoard.find('one'))?.notice, notice)
    assert.deepEqual(await bots.notices.find(one), notice)
    assert.equal(await bots.notices.put(ada, one, ' \n '), null)
    assert.equal((await bots.statusBoard.find('one'))?.notice, undefined)
    assert.equal(await bots.notices.find(one), undefined)
  })

  test('a notice has at most 200 characters; a longer notice is rejected and changes nothing', async (t) => {
    const { bots } = await openBots(t)
    const most = '🛠'.repeat(200)
    assert.equal((await bots.notices.put(ada, one, most))?.text, most)
    await assert.rejects(bots.notices.put(ada, one, `${most}.`), refusedAs('notice-too-long'))
    assert.equal((await bots.notices.find(one))?.text, most)
  })
})
