import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, botId, nowMs, withPeople } from './bot-stores.ts'

const one = botId('one')
const ref = { kind: 'bot-id', id: one } as const

onEachDatabase('StatusNoticeStore', withPeople, (open) => {
  test('a missing or deleted bot can’t have a notice; a new bot with a deleted bot’s ID has no notice', async (t) => {
    const { bots, statusNotices } = await open(t)
    const notice = { text: 'a', setAtMs: 1 }
    assert.equal(await statusNotices.putNotice(one, notice), false)
    await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs)
    await statusNotices.putNotice(one, notice)
    await bots.removeBot(one, nowMs)
    assert.equal(await statusNotices.putNotice(one, notice), false)
    assert.equal(await statusNotices.findNotice(one), undefined)
    await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs)
    assert.equal((await bots.findPublic(ref))?.notice, undefined)
  })
})
