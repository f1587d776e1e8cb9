import { fdatasync, writeSync } from 'node:fs'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { embeddedQueue } from '../../src/storage/sqlite/queue/embedded-queue.ts'
import { newEvent, roomy } from '../contract/queue-scene.ts'
import { openQueueFile } from '../support/adapters/open-queue.ts'

/**
 * Accepts events through the queue and kills its own process with SIGKILL at one step. The arguments are the queue's
 * folder, the step and the bots. Prints a line for each event sent and for each acceptance received.
 */
const [folder = '', step = '', ...botIds] = process.argv.slice(2)

const nowMs = Date.now()
let doomed = false

/** Kills the process between a commit and its sync, so that no caller learns whether the commit succeeded. */
const file = openQueueFile(folder, {
  sync: (fd, done) => {
    if (doomed) process.kill(process.pid, 'SIGKILL')
    fdatasync(fd, done)
  },
})
const queue = embeddedQueue({ file, limits: roomy, nowMs, chance: () => 0, strictFlows: () => [] })

function say(word: string, body: string): void {
  writeSync(1, `${word} ${body}\n`)
}

async function accept(body: string, n: number): Promise<void> {
  say('sent', body)
  const botId = botIds[n % botIds.length] as BotId
  const { kind } = await queue.accept(newEvent({ botId, body: Buffer.from(body), acceptedAtMs: nowMs }))
  if (kind === 'accepted') say('accepted', body)
}

for (let n = 0; n < 20; n += 1) await accept(`early-${n}`, n)
if (step === 'commit') {
  doomed = true
  await Promise.all(Array.from({ length: 5 }, (_, n) => accept(`late-${n}`, n)))
}
const claiming = queue.claim({ holder: 'runtime/one', botIds: botIds as BotId[], most: 10, mostBytes: 1e9, nowMs })
if (step === 'claim') doomed = true
const { deliveries } = await claiming
for (const { body } of deliveries) say('delivered', Buffer.from(body).toString())
const names = deliveries.map(({ delivery }) => delivery)
if (step === 'ack') doomed = true
await queue.acknowledge('runtime/one', names.slice(0, 5), nowMs)
for (const { body } of deliveries.slice(0, 5)) say('done', Buffer.from(body).toString())
doomed = true
await queue.acknowledge('runtime/one', names.slice(5), nowMs)
