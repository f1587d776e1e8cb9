import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openAda } from './people.ts'
import type { World } from './world.ts'

export interface Line {
  number: number
  at: string
  kind: string
  actor: string
  userId: string | null
  applicationId: string | null
  botId: string | null
  address: string | null
  userAgent: string | null
  detail: Record<string, string>
}

type Control = Pick<World, 'controlUrl' | 'operatorKey'>

export function requestExport(world: Control, query = '', headers: Record<string, string> = {}) {
  const authorization = `Bearer ${world.operatorKey}`
  return fetch(`${world.controlUrl}/v1/audit${query}`, { headers: { authorization, ...headers } })
}

export async function exported(world: Control, query = ''): Promise<Line[]> {
  const response = await requestExport(world, query)
  assert.equal(response.status, 200)
  const lines = (await response.text()).split('\n')
  assert.equal(lines.pop(), '')
  return lines.map((line) => JSON.parse(line))
}

/** Returns the events of these kinds, with who caused them on which bot. */
export async function audited(world: World, kinds: RegExp) {
  const lines = (await exported(world)).filter(({ kind }) => kinds.test(kind))
  return lines.map(({ kind, actor, userId, botId, address, detail }) => {
    return { kind, actor, userId, botId, address, detail }
  })
}

/** Returns the members of an audit event that this user caused on the bot `bot-1`. */
export const onBot = (userId: string) => ({ actor: 'user', userId, botId: 'bot-1', address: '127.0.0.1' })

export async function openAudit(t: TestContext) {
  const { world, client } = await openAda(t)
  return { world, client, before: await exported(world) }
}
