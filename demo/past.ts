import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from '../clients/typescript/src/runtime.ts'
import { type ControlApi, controlApi, type DemoData } from './provision.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const slotMs = 5 * minuteMs

/** A clock that can be set to a time in the past, from which it runs on. It begins before the bots' ninety days. */
export class PastClock {
  #behindMs = 91 * dayMs
  readonly nowMs = () => Date.now() - this.#behindMs

  setTo(agoMs: number): void {
    this.#behindMs = agoMs
  }
}

/** Webhooks per hour, oldest first. */
const webhooksPerHour = [3, 2, 1, 1, 0, 1, 2, 4, 5, 7, 6, 4, 5, 8, 7, 5, 4, 3, 2, 4, 6, 5, 3, 2]

const texts = [
  'Version 7.3 is out',
  'Backup finished in 41 seconds',
  'Build 1842 passed',
  'Certificate renewed until March',
  'Version 7.4 is on staging',
  'Disk of node 3 is 81 % full',
]

/** Webhooks that the bot couldn't process, by the hour in which they came. They become dead letters with three causes. */
const failing: Readonly<Record<number, { channel: string; text: string; times: number }>> = {
  9: { channel: 'ops', text: 'Disk of node 3 is full', times: 3 },
  14: { channel: 'releases', text: 'Version 7.3 is out', times: 1 },
  19: { channel: 'deploys', text: `Changes since version 7.2: ${'a fix, '.repeat(300)}`, times: 2 },
  21: { channel: 'ops', text: 'Disk of node 3 is full', times: 2 },
}

/** Lets the last day of the demo happen: webhooks with their deliveries, log entries, and failed requests. */
export async function liveADay(demo: {
  clock: PastClock
  addresses: { base: string; api: string; control: string }
  operatorKey: string
  provisioned: DemoData
}): Promise<void> {
  const { clock, addresses, operatorKey, provisioned } = demo
  const { bot, webhooks } = provisioned
  const control = controlApi(addresses.control, operatorKey)
  for (const [hour, count] of webhooksPerHour.entries()) {
    const agoMs = (webhooksPerHour.length - hour) * hourMs
    const sent = Array.from({ length: count }, (_each, at) => ({
      channel: 'deploys',
      text: texts[(hour + at) % texts.length] as string,
    }))
    const failed = failing[hour]
    for (let at = 0; at < (failed?.times ?? 0); at += 1) sent.push(failed as (typeof sent)[number])
    for (const [at, { channel, text }] of sent.entries()) {
      clock.setTo(agoMs - Math.floor(((at + 0.4) * 50 * minuteMs) / sent.length) - ((hour * 7 + at * 13) % 60) * 1_000)
      const isAlert = (hour + at) % 4 === 3
      await deliver(addresses.api, provisioned.runtimeKey, () =>
        post(`${addresses.api}${isAlert ? webhooks.keyed : webhooks.open}`, JSON.stringify({ channel, text }), {
          ...(isAlert && { 'svc-key': webhooks.key }),
        }),
      )
    }
    if (hour % 5 === 2) await post(`${addresses.api}${webhooks.keyed}`, '{"text": "No key"}', {})
    await failRequests(addresses.base, provisioned, hour)
    await writeLog(control, bot.id, hour)
  }
}

/** Sends a webhook while a runtime is connected, and waits until it is processed. */
async function deliver(url: string, key: string, send: () => Promise<unknown>): Promise<void> {
  let processed = () => {}
  const done = new Promise<void>((resolve) => {
    processed = resolve
  })
  const runtime = connect({
    url,
    key,
    instance: 'demo-1',
    agent: 'gatehouse-demo',
    onWebhook(event, { dead }) {
      processed()
      const { channel, text } = event.json() as { channel: string; text: string }
      if (channel === 'ops') return dead('unknown channel ops')
      if (channel === 'releases') return dead('missing permission to post in #releases')
      if (text.length > 2_000) return dead('message is longer than 2000 characters')
    },
  })
  await runtime.hosting()
  await send()
  await done
  await runtime.leave()
}

/** Sends requests of an application that is misconfigured in three ways. */
async function failRequests(base: string, { client }: DemoData, hour: number): Promise<void> {
  const token = (fields: Record<string, string>) =>
    fetch(`${base}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uri: 'https://acme.example/callback',
        code: `svc_ac_${hour}`,
        ...fields,
      }),
    })
  if (hour % 3 === 0) await token({})
  if (hour % 6 === 1) await token({ client_secret: 'svc_cs_an_old_secret' })
  if (hour % 8 === 5) {
    const query = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: 'https://acme.example/callback/',
      response_type: 'code',
      scope: 'user.identify',
    })
    await fetch(`${base}/auth/consent?${query}`)
  }
}

async function writeLog(control: ControlApi, botId: string, hour: number): Promise<void> {
  const entries = [
    { level: 'info', message: `Announced ${webhooksPerHour[hour]} messages` },
    ...(hour % 4 === 1 ? [{ level: 'debug', message: 'Rate limit of the chat platform: 48 of 50 requests left' }] : []),
    ...(hour % 6 === 3 ? [{ level: 'warn', message: 'Slow response from a server: 4,120 ms' }] : []),
    ...(failing[hour]?.channel === 'ops'
      ? [{ level: 'error', message: 'Error: unknown channel ops\n    at announce (bot.js:12:11)' }]
      : []),
  ]
  await control.post(`bots/${botId}/logs`, { entries })
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<void> {
  await (await fetch(url, { method: 'POST', body, headers })).arrayBuffer()
}

/** Times at which the bot was down: how long ago, and for how long. */
const outages = [
  { agoMs: 60 * dayMs + 5 * hourMs, forMs: 4 * hourMs },
  { agoMs: 33 * dayMs + 130 * minuteMs, forMs: 50 * minuteMs },
  { agoMs: 12 * dayMs + 23 * minuteMs, forMs: 25 * minuteMs },
  { agoMs: 8 * hourMs, forMs: 10 * minuteMs },
]

/** Writes ninety days of status straight to the database of the stopped service. Nobody can wait for them. */
export function writeStatusHistory(dataDir: string, botId: string): void {
  const database = new DatabaseSync(join(dataDir, 'identity.sqlite'))
  const nowMs = Date.now()
  const fill = (table: 'status_days' | 'status_slots', unitMs: number, agoMs: number, untilMs: number) => {
    const [from, until] = [Math.floor((nowMs - agoMs) / unitMs), Math.floor(untilMs / unitMs)]
    const add = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, 0)`)
    for (let unit = from; unit < until; unit += 1) {
      const [start, end] = [unit * unitMs, (unit + 1) * unitMs]
      const downMs = outages.reduce((sum, { agoMs: ago, forMs }) => {
        const began = nowMs - ago
        return sum + Math.max(0, Math.min(end, began + forMs) - Math.max(start, began))
      }, 0)
      add.run(botId, unit, unit + 1, unitMs - downMs, downMs)
    }
  }
  for (const table of ['status_days', 'status_slots', 'status_changes']) {
    database.prepare(`DELETE FROM ${table} WHERE bot_id = ?`).run(botId)
  }
  const today = Math.floor(nowMs / dayMs) * dayMs
  fill('status_days', dayMs, 89 * dayMs, today)
  fill('status_slots', slotMs, dayMs, nowMs)
  const change = database.prepare('INSERT INTO status_changes VALUES (?, ?, ?)')
  change.run(botId, nowMs - 90 * dayMs, 'online')
  for (const { agoMs, forMs } of outages) {
    change.run(botId, nowMs - agoMs, 'offline')
    change.run(botId, nowMs - agoMs + forMs, 'online')
  }
  database.close()
}
