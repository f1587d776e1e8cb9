import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BotAction, botActions, capabilityMay, mayDo } from '../../src/domain/bots/bot-access.ts'

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
