import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uptimeShare } from '../../src/domain/bots/status/status-span.ts'
import { parseBotId } from '../../src/domain/ids.ts'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const botId = parseBotId('bot-1')!
const minute = 60_000

async function putBot(world: World, bot: object) {
  const body = { ownerId: 'ada', name: 'One', chatPlatformId: '12345678901234567', publicStatus: true, ...bot }
  const { status } = await provision(world, 'PUT', `/v1/bots/${botId}`, body)
  assert.ok(status === 200 || status === 201)
}

/** Returns the totals for the last 24 hours, in minutes, and the share of uptime. */
async function minutes(world: World) {
  const history = await world.service.bots.history.of(botId, world.clock.nowMs())
  assert.ok(history)
  const sum = (of: 'upMs' | 'downMs' | 'hostingOffMs') =>
    history.slots.reduce((total, slot) => total + slot[of], 0) / minute
  return { up: sum('upMs'), down: sum('downMs'), hostingOff: sum('hostingOffMs'), share: uptimeShare(history.days) }
}

describe('our choice: uptime figures from heartbeats (decision 0022)', () => {
  test('the uptime figures are computed from heartbeats and hosting switches, survive a restart, and are deleted with the bot', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada' })
    await putBot(world, { hostingEnabled: true })
    await world.clock.advance(7 * minute)
    assert.deepEqual(await minutes(world), { up: 0, down: 0, hostingOff: 0, share: null })
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const report = { botId, ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 }
    for (let beats = 0; beats < 24; beats += 1) {
      await runtime.heartbeat([], [report])
      await world.clock.advance(minute / 2)
    }
    assert.deepEqual(await minutes(world), { up: 12, down: 0, hostingOff: 0, share: 1 })

    runtime.send({ type: 'bye' })
    await eventually(async () =>
      (await world.service.bots.statusBoard.find(botId))?.status.online === false ? true : undefined,
    )
    await world.clock.advance(4 * minute)
    assert.deepEqual(await minutes(world), { up: 12, down: 4, hostingOff: 0, share: 0.75 })

    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(20 * minute)
    const before = { up: 12, down: 4, hostingOff: 20, share: 0.75 }
    assert.deepEqual(await minutes(world), before)
    await world.restart()
    assert.deepEqual(await minutes(world), before)

    await provision(world, 'DELETE', `/v1/bots/${botId}`)
    assert.equal(await world.service.bots.history.of(botId, world.clock.nowMs()), undefined)
    await putBot(world, { hostingEnabled: true })
    assert.deepEqual(await minutes(world), { up: 0, down: 0, hostingOff: 0, share: null })
  })
})
