import type { ApplicationId, BotId, FlowId, UserId } from '../../src/domain/ids-and-secrets.ts'
import { pagesOf, type Scene } from './valid-requests.ts'

/** A form field, and a way to submit the form with a different value in it. */
export interface FormField {
  path: string
  name: string
  /** @param encoded the percent-encoded value, which can represent any bytes. */
  send(encoded: string): Promise<{ status: number; type: string; text: string }>
}

/** Fields with a fixed set of values. The server may treat an unknown value as one of these values, or as no value. */
export const choices: ReadonlySet<string> = new Set([
  ...['application', 'hosting', 'location', 'public', 'role', 'capability', 'dedupe_by', 'hosts', 'user', 'decision'],
  ...['consent', 'environment', 'require_pkce', 'required', 'requirement', 'scope', 'days'],
])

/**
 * Returns every field of every form on all pages, without duplicates. Other fields keep the values that Ada's browser
 * would send.
 */
export async function everyField(scene: Scene, place: 'base' | 'portal'): Promise<FormField[]> {
  const url = scene.world[`${place}Url`]
  const fields = new Map<string, FormField>()
  for (const { method, target, headers, fields: plain } of await pagesOf(scene, place)) {
    if (method !== 'POST' || plain === undefined) continue
    const path = target.replace(/\?.*/, '')
    for (const name of Object.keys(plain)) {
      const others = Object.entries(plain).filter(([other]) => other !== name) as [string, string][]
      const send = async (encoded: string) => {
        const body = [String(new URLSearchParams(others)), `${name}=${encoded}`].filter((part) => part !== '').join('&')
        const type = ['content-type', 'application/x-www-form-urlencoded'] as const
        const init = { method, headers: [...headers, type] as [string, string][], body, redirect: 'manual' as const }
        const answer = await fetch(url + target, init)
        const text = await answer.text()
        return { status: answer.status, type: answer.headers.get('content-type') ?? '', text }
      }
      fields.set(`${path} ${name}`, { path, name, send })
    }
  }
  return [...fields.values()]
}

/** Returns all records that Ada's forms can change. */
export async function recordsOf({ world, names }: Scene): Promise<string> {
  const { accounts, applications, bots } = world.service
  const botId = 'lantern' as BotId
  const records = await Promise.all([
    accounts.users.find('ada' as UserId),
    applications.clients.findById(names.applicationId as ApplicationId),
    bots.records.find(botId),
    bots.records.findCollaborator(botId, 'ed' as UserId),
    bots.flows.find(botId, 'alerts' as FlowId),
    bots.flows.find(botId, 'orders' as FlowId),
    bots.records.findGuilds(botId),
    bots.logs.latest(botId),
    bots.runtimes.page({}, { after: undefined, most: 100 }),
  ])
  return JSON.stringify(records, (name, value) => {
    if (name === 'lastUsedAtMs') return undefined
    return value instanceof Set || value instanceof Map ? [...value] : value
  })
}
