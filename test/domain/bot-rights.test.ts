import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotAction, botActions, type capabilityMay, mayDo } from '../../src/domain/bots/bot-access.ts'

/** The actions that each capability adds to the role of a viewer (decision 0024). */
const added: Record<keyof typeof capabilityMay, readonly BotAction[]> = {
  deliveries: ['read-bodies', 'replay'],
  hosting: ['switch-hosting'],
  status: ['change-status-page'],
  flows: ['change-flows'],
  keys: ['change-keys'],
}

function actionsOfViewerWith(...capabilities: string[]): readonly BotAction[] {
  return botActions.filter((action) => mayDo({ role: 'viewer', capabilities }, action))
}

test('our choice: a capability adds its own actions to a role, and an unknown capability adds none', () => {
  const actions = actionsOfViewerWith()
  for (const [capability, more] of Object.entries(added)) {
    assert.deepEqual(actionsOfViewerWith(capability), [...actions, ...more], capability)
  }
  for (const text of ['owner', 'change-coworkers', 'constructor', '__proto__', 'Keys', '*']) {
    assert.deepEqual(actionsOfViewerWith(text), actions, text)
  }
})
