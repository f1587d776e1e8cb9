import { request } from 'node:http'
import { WebSocket } from 'ws'
import { type Percentiles, percentilesOf } from './percentiles.ts'
import { provision, type Setting } from './setting.ts'

const webhooks = 1_000
/** Pause between webhooks, which are sent one at a time. It keeps the system idle, so nothing queues. */
const pauseMs = 2

interface EndToEnd {
  /** Time from sending the webhook until the runtime receives it (`receipt`) or the 202 arrives (`answer`). */
  receipt: Percentiles
  answer: Percentiles
}

/** Sends webhooks to a bot with no other load. Measures how long each takes to reach the bot's runtime. */
export async function endToEnd(setting: Setting, { botId, path }: { botId: string; path: string }): Promise<EndToEnd> {
  const runtime = new WebSocket(`${setting.api.origin.replace('http', 'ws')}/runtime`, ['gatehouse.runtime.v1'], {
    headers: { authorization: `Bearer ${await runtimeKey(setting, botId)}` },
  })
  const receipts: number[] = []
  const answers: number[] = []
  let received: (atMs: number, body: string) => void = () => {}
  const welcome = new Promise<void>((resolve, reject) => {
    runtime.once('error', reject)
    runtime.on('message', (data) => {
      const atMs = performance.now()
      const frame = JSON.parse(String(data)) as { type: string; delivery?: string; body?: string }
      if (frame.type === 'welcome') resolve()
      if (frame.type !== 'dispatch') return
      runtime.send(JSON.stringify({ type: 'ack', deliveries: [frame.delivery] }))
      received(atMs, Buffer.from(frame.body ?? '', 'base64').toString())
    })
  })
  runtime.once('open', () => {
    runtime.send(JSON.stringify({ type: 'ready', instance: 'bench', agent: 'bench', credit: 16, bots: [botId] }))
  })
  await welcome
  for (let n = 0; n < webhooks; n += 1) {
    const body = `${n}`.padEnd(256, 'x')
    const receipt = new Promise<number>((resolve, reject) => {
      received = (atMs, text) => (text === body ? resolve(atMs) : reject(new Error(`received another body: ${text}`)))
    })
    const startedMs = performance.now()
    const answeredMs = await post(new URL(`/${botId}/${path}`, setting.api), body)
    answers.push(answeredMs - startedMs)
    receipts.push((await receipt) - startedMs)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  runtime.close()
  return { receipt: percentilesOf(receipts), answer: percentilesOf(answers) }
}

export async function runtimeKey(setting: Setting, botId: string): Promise<string> {
  const made = await provision(setting, '/v1/runtimes', { name: 'bench', botIds: [botId] }, 'POST')
  return made.key as string
}

function post(url: URL, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (answer) => {
      const atMs = performance.now()
      answer.resume()
      answer.once('end', () => {
        if (answer.statusCode === 202) resolve(atMs)
        else reject(new Error(`webhook rejected with ${answer.statusCode}`))
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
