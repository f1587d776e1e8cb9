import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Bot } from '../../src/domain/bots/bot.ts'
import { botState, botStatus } from '../../src/domain/bots/status/bot-status.ts'
import type { GatewaySnapshot } from '../../src/domain/bots/status/snapshots.ts'
import { aReport, botId, snowflake, userId } from '../contract/bot-stores.ts'

const nowMs = 1_000_000
const bot: Bot = {
  id: botId('one'),
  ownerId: userId('ada'),
  name: 'One',
  chatPlatformId: snowflake(1),
  avatar: null,
  plan: 'free',
  hostingEnabled: true,
  hostingLocation: 'cloud',
  publicStatus: true,
  createdAtMs: 0,
}
const snapshot: GatewaySnapshot = { ...aReport('one'), reportedAtMs: nowMs - 1_000, hasLeft: false }

const known = { presence: 'online', uptimeMs: 5_000, guildCount: 3, shardCount: 1, reportedAt: nowMs - 1_000 }
const unknown = { presence: null, uptimeMs: null, guildCount: null, shardCount: null }

describe('botStatus', () => {
  const rows: {
    title: string
    bot?: Partial<Bot>
    snapshot: GatewaySnapshot | undefined
    expected: object
    state: string
  }[] = [
    {
      title: 'a bot with hosting on and a fresh, ready snapshot is online',
      snapshot,
      expected: { online: true, ...known },
      state: 'online',
    },
    {
      title: 'a bot with hosting off is not online',
      bot: { hostingEnabled: false, hostingLocation: null },
      snapshot,
      expected: { online: false, hostingEnabled: false, hostingLocation: null, ...known },
      state: 'hosting-off',
    },
    {
      title: 'a bot with a fresh snapshot that is not ready is not online and has no uptime',
      snapshot: { ...snapshot, ready: false },
      expected: { online: false, ...known, uptimeMs: null },
      state: 'connecting',
    },
    {
      title: 'a bot whose snapshot is exactly 90 seconds old is online',
      snapshot: { ...snapshot, reportedAtMs: nowMs - 90_000 },
      expected: { online: true, ...known, reportedAt: nowMs - 90_000 },
      state: 'online',
    },
    {
      title: 'a bot whose snapshot is a millisecond older than 90 seconds is not online',
      snapshot: { ...snapshot, reportedAtMs: nowMs - 90_001 },
      expected: { online: false, ...unknown, reportedAt: nowMs - 90_001 },
      state: 'offline',
    },
    {
      title: 'a bot whose runtime said goodbye is not online',
      snapshot: { ...snapshot, hasLeft: true },
      expected: { online: false, ...unknown, reportedAt: nowMs - 1_000 },
      state: 'offline',
    },
    {
      title: 'a bot without a heartbeat is not online',
      snapshot: undefined,
      expected: { online: false, ...unknown, reportedAt: null },
      state: 'offline',
    },
    {
      title: 'a bot whose runtime reports only that it is ready is online',
      snapshot: { ...snapshot, presence: null, uptimeMs: null, guildCount: null, shardCount: null },
      expected: { online: true, ...unknown, reportedAt: nowMs - 1_000 },
      state: 'online',
    },
  ]

  for (const { title, bot: change, snapshot, expected, state } of rows) {
    test(title, () => {
      const changed = { ...bot, ...change }
      const common = { chatPlatformId: snowflake(1), name: 'One', hostingEnabled: true, hostingLocation: 'cloud' }
      assert.deepEqual(botStatus(changed, snapshot, nowMs), { ...common, ...expected })
      assert.equal(botState(changed, snapshot, nowMs), state)
    })
  }
})
