import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { BotAccess, type BotAction, botActions, capabilityMay, mayDo } from '../../src/domain/bots/bot-access.ts'
import { aBot, botId, nowMs, userId } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'

/**
 * The table from decision 0024: for each action, whether owners, editors and viewers may perform it, and the capability
 * that allows it to a collaborator whose role does not.
 */
const rights: Record<BotAction, [owner: boolean, editor: boolean, viewer: boolean, capability?: string]> = {
  see: [true, true, true],
  'read-logs': [true, true, true],
  'read-deliveries': [true, true, true],
  'read-bodies': [true, true, false, 'deliveries'],
  replay: [true, true, false, 'deliveries'],
  'switch-hosting': [true, true, false, 'hosting'],
  'change-status-page': [true, true, false, 'status'],
  'change-flows': [true, true, false, 'flows'],
  'manage-flows': [true, false, false],
  'change-keys': [true, false, false, 'keys'],
  'change-runtimes': [true, false, false],
  'change-coworkers': [true, false, false],
}

describe('our choice: the rights of owners, editors and viewers (decision 0024)', () => {
  for (const [action, [owner, editor, viewer]] of Object.entries(rights) as [BotAction, (typeof rights)['see']][]) {
    test(`${action} is allowed for ${owner ? 'owner' : ''}${editor ? ', editor' : ''}${viewer ? ', viewer' : ''}`, () => {
      const may = (['owner', 'editor', 'viewer'] as const).map((role) => mayDo({ role, capabilities: [] }, action))
      assert.deepEqual(may, [owner, editor, viewer])
    })
  }

  test('a capability adds its own actions to the role of an editor or viewer, and nothing else', () => {
    for (const role of ['editor', 'viewer'] as const) {
      for (const capability of Object.keys(capabilityMay)) {
        const added = botActions.filter(
          (action) => mayDo({ role, capabilities: [capability] }, action) && !mayDo({ role, capabilities: [] }, action),
        )
        const expected = botActions.filter((action) => {
          const [, editor, viewer, adds] = rights[action]
          return adds === capability && !(role === 'editor' ? editor : viewer)
        })
        assert.deepEqual(added, expected, `${capability} for a ${role}`)
      }
    }
  })

  test('an unknown capability does not change any permissions', () => {
    for (const action of botActions) {
      for (const text of ['owner', 'change-coworkers', 'constructor', '__proto__', 'Keys', '*']) {
        assert.equal(
          mayDo({ role: 'editor', capabilities: [text] }, action),
          mayDo({ role: 'editor', capabilities: [] }, action),
        )
      }
    }
  })
})

describe('our choice: a user without a role can’t tell whether a bot exists (decision 0024)', () => {
  async function access(t: TestContext) {
    const { bots } = await openBotStores(t)
    await bots.putBot(botId('one'), aBot(1), nowMs)
    await bots.putCollaborator(botId('one'), { userId: userId('bob'), role: 'viewer', capabilities: ['hosting'] })
    return new BotAccess(bots)
  }

  test('the owner and collaborators have access to the bot according to their roles', async (t) => {
    const botAccess = await access(t)
    const owner = await botAccess.demand(userId('ada'), botId('one'), 'change-coworkers')
    assert.deepEqual([owner.bot.id, owner.role, owner.capabilities], ['one', 'owner', []])
    const coworker = await botAccess.demand(userId('bob'), botId('one'), 'switch-hosting')
    assert.deepEqual([coworker.bot.id, coworker.role, coworker.capabilities], ['one', 'viewer', ['hosting']])
  })

  test('a collaborator without permission gets not-allowed; a stranger gets the same refusal as for an unknown bot', async (t) => {
    const botAccess = await access(t)
    await assert.rejects(botAccess.demand(userId('bob'), botId('one'), 'change-keys'), { reason: 'not-allowed' })
    await assert.rejects(botAccess.demand(userId('cleo'), botId('one'), 'see'), { reason: 'bot-unknown' })
    await assert.rejects(botAccess.demand(userId('ada'), botId('two'), 'see'), { reason: 'bot-unknown' })
  })
})
