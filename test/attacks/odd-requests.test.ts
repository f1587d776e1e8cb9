import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { budget } from '../support/budget.ts'
import { faultsIn } from '../support/log-lines.ts'
import { type RawAnswer, RawConnection } from '../support/raw-http.ts'
import { seeded } from '../support/seeded.ts'
import { openWorld, type World } from '../support/world.ts'
import { Chance, markup, oddHeader, oddRequest } from './odd-requests.ts'
import { validRequests } from './valid-requests.ts'

/** Number of requests per listener. */
const requests = 600 * budget
const atOnce = 64
/** Number of requests between two clock advances. */
const perRound = 300
/** Number of requests between two sign-ins. */
const perVisit = 1_200
/** Set `ODD_SEED` to generate different requests. */
const seed = Number(process.env.ODD_SEED ?? 20_260_105)

/** Text that would reveal our code, files or database. */
const revealing =
  /node_modules|node:internal|\bat .{1,80}:\d+:\d+|file:\/\/|\.ts\b|SQLITE|sqlite|TypeError|RangeError|SyntaxError|ERR_[A-Z]|FST_|\[object /

const short = { headersTimeout: 300, requestTimeout: 400, connectionsCheckingInterval: 50, keepAliveTimeout: 300 }

const listeners = ['base', 'api', 'portal', 'control'] as const

for (const listener of listeners) {
  test(`our choice: ${requests} odd requests to the ${listener} listener cause no crash and no fault`, async (t) => {
    const world = await openWorld(t, {}, { timeouts: short })
    const chance = new Chance(seeded(seed + listeners.indexOf(listener)))
    const url = world[`${listener}Url`]
    const { host } = new URL(url)
    const statuses = new Map<number, number>()
    let heapBytes = 0
    let plain: Awaited<ReturnType<typeof validRequests>> = []
    for (let sent = 0; sent < requests; sent += perRound) {
      if (sent % perVisit === 0) plain = await validRequests(world, listener)
      if (heapBytes === 0) heapBytes = heapInUse()
      let unsent = perRound
      const sender = async () => {
        while (unsent > 0) {
          unsent -= 1
          const bytes = oddRequest(chance.oneOf(plain), host, chance)
          const { answers, ended } = await (await RawConnection.to(t, url)).exchange(bytes)
          assert.ok(answers.length > 0 || ended, `silence after ${inWords(bytes)}`)
          for (const answer of answers) {
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
            checkAnswer(answer, { listener, bytes, world })
          }
        }
      }
      await Promise.all(Array.from({ length: atOnce }, sender))
      // Advances the clock so that rate limits reset. Otherwise, they would soon make every response the same.
      await world.clock.advance(60_000)
    }
    t.diagnostic(`answered ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`)
    assert.deepEqual(faultsIn(world), [])
    const grownMiB = (heapInUse() - heapBytes - world.logs().length) / 1_048_576
    t.diagnostic(`the heap grew by ${grownMiB.toFixed(1)} MiB`)
    assert.ok(grownMiB < 48, `the heap grew by ${grownMiB} MiB`)
  })
}

interface Asked {
  listener: string
  bytes: Buffer
  world: World
}

function checkAnswer({ status, headers, body }: RawAnswer, { listener, bytes, world }: Asked): void {
  const of = () => `${status} ${JSON.stringify(headers)} ${body.slice(0, 2_000)}\n  in answer to ${inWords(bytes)}`
  assert.ok(status < 500 && status !== 417, `a fault: ${of()}\n${faultsIn(world).at(-1)}`)
  assert.ok(!(oddHeader in headers), `a header slipped in: ${of()}`)
  assert.ok(!body.includes(world.dataDir) && !body.includes(import.meta.dirname), `a path: ${of()}`)
  if (status >= 400) assert.doesNotMatch(body, revealing, of())
  const type = headers['content-type'] ?? ''
  if (type.startsWith('text/html') && listener !== 'api') {
    assert.ok(!body.includes(markup) && !body.includes('<script>odd'), `markup came back: ${of()}`)
    assert.ok('content-security-policy' in headers, `a page without its policy: ${of()}`)
  }
  // The WebSocket library itself answers a failed handshake, with a few fixed messages.
  if (listener === 'api' && status >= 400 && type !== 'text/html') {
    assert.match(body, /^$|^\{"error": "[A-Z][a-z ]+\."\}$/, of())
  }
}

function inWords(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 3_000))
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
