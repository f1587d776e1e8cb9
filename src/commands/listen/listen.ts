import { hostname } from 'node:os'
import {
  connect,
  type Runtime,
  type RuntimeOptions,
  type RuntimeState,
  type WebhookContext,
  type WebhookEvent,
} from '../../../clients/typescript/src/runtime.ts'
import { runtimeKey } from '../../config/config.ts'
import { systemClock } from '../../domain/clock.ts'
import { outputClosed } from '../closed-output.ts'
import type { ListenOptions } from '../command-line.ts'
import { firstSignal } from '../first-signal.ts'
import { exitCodes, StartFault } from '../start-fault.ts'
import { formatEvent, formatForwarding, isDone, timeOfDay } from './format-event.ts'
import { forward } from './forward.ts'
import { printableLine } from './printable.ts'
import { Screen } from './screen.ts'

/** Grace period for an event that is being forwarded when Ctrl-C is pressed. */
const leaveWithinMs = 3_000

/**
 * `gatehouse listen`: runs an ordinary runtime session for one bot. Prints the bot's events and optionally forwards
 * them. Resolves with the exit code after a signal, when nobody reads the output any more, or once the service rejects
 * the session permanently.
 *
 * @throws StartFault if an option or the key is invalid.
 */
export async function listen({ url, bot, forward: forwardTo }: ListenOptions, version: string): Promise<number> {
  const key = runtimeKey()
  if (key === undefined) {
    throw new StartFault(exitCodes.configuration, [
      'GATEHOUSE_RUNTIME_KEY is missing; set it to a runtime key that may host the bot (svc_rk_…)',
    ])
  }
  const to = forwardTo === undefined ? undefined : forwardAddress(forwardTo)
  const signalled = firstSignal(['SIGINT', 'SIGTERM', 'SIGHUP'])
  const screen = new Screen()
  const messages = new SessionMessages(screen, { url, bot })

  const runtime = open({
    url,
    key,
    instance: `listen-${hostname()}-${process.pid}`.slice(0, 128),
    agent: `gatehouse-listen/${version}`,
    bots: [bot],
    // Process one event at a time, so that each outcome is printed below its event.
    credit: 1,
    onWebhook: (event, context) => take(event, context, screen, to),
    onHeartbeat: () => messages.beat(),
    onState: (state) => messages.state(state),
    onProblem: (problem) => screen.say(printableLine(problem.message)),
  })
  screen.say(
    `Listening for webhooks of ${bot}${to === undefined ? '' : `, forwarding to ${to.href}`}. Press Ctrl-C to stop.`,
  )
  screen.say(
    `This takes webhooks away from the bot's real runtime: each goes to one of the two. Bot status is not affected.`,
  )
  signalled.then((signal) => {
    screen.status('')
    screen.say(`${signal === 'SIGINT' ? '\n' : ''}Stopping …`)
    return runtime.leave({ withinMs: leaveWithinMs })
  })
  outputClosed().then(() => runtime.leave({ withinMs: leaveWithinMs }))

  const end = await runtime.ended
  screen.status('')
  if (end.why === 'left') return exitCodes.ok
  screen.say(`The service rejected this session (${end.code}): ${whatToDo(end.code, printableLine(end.reason))}`)
  return exitCodes.failed
}

async function take(event: WebhookEvent, context: WebhookContext, screen: Screen, to: URL | undefined): Promise<void> {
  await screen.show(formatEvent(event, screen.paint))
  if (to === undefined) return
  const startedAtMs = systemClock.nowMs()
  const forwarding = await forward(to, { body: event.body, headers: { ...event.headers } }, context.signal)
  await screen.show(formatForwarding(forwarding, systemClock.nowMs() - startedAtMs, screen.paint))
  if (isDone(forwarding)) return
  throw new NotForwarded(
    forwarding.kind === 'answered' ? `the local server responded ${forwarding.status}` : forwarding.why,
  )
}

/** Thrown when forwarding an event fails. The bot's owner sees the message next to the failed attempt. */
class NotForwarded extends Error {
  override name = 'NotForwarded'
}

/** Prints each change of the session's state once. */
class SessionMessages {
  readonly #screen: Screen
  readonly #url: string
  readonly #bot: string
  #lastBeat = ''
  #hosted: boolean | undefined

  constructor(screen: Screen, { url, bot }: { url: string; bot: string }) {
    this.#screen = screen
    this.#url = url
    this.#bot = bot
  }

  /** Shows when the service last acknowledged a heartbeat. */
  beat(): void {
    this.#lastBeat = timeOfDay(new Date(systemClock.nowMs()))
    this.#screen.status(`connected · last heartbeat ${this.#lastBeat}`)
  }

  state(state: RuntimeState): void {
    if (state.kind === 'hosting') this.#hosting(state.bots.includes(this.#bot), state.refused[0]?.reason)
    if (state.kind !== 'waiting') return
    const { retryInMs, code, reason } = state
    const last =
      this.#lastBeat === '' ? ' Is the service running, and is this its API URL?' : ` Last heartbeat ${this.#lastBeat}.`
    const why =
      code === 1006
        ? `No connection to ${printableLine(this.#url)}`
        : `The connection ended (${code} ${printableLine(reason)})`
    this.#screen.status('')
    this.#screen.say(`${why}; retrying in ${(retryInMs / 1_000).toFixed(1)} s.${last}`)
    this.#hosted = undefined
  }

  #hosting(hosted: boolean, reason = 'not hosted'): void {
    if (hosted === this.#hosted) return
    this.#hosted = hosted
    if (hosted) this.#screen.say('Connected; waiting for webhooks.')
    else {
      this.#screen.say(
        `Connected, but this key gets no webhooks of ${this.#bot} (${printableLine(reason)}). ` +
          'Check the bot ID, that the key may host the bot, and that hosting is on. Webhooks arrive once this is fixed.',
      )
    }
  }
}

function open(options: RuntimeOptions): Runtime {
  try {
    return connect(options)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new StartFault(exitCodes.usage, [`--url: ${error.message}`], error)
  }
}

function forwardAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new StartFault(exitCodes.usage, [
    `--forward must be a URL such as http://localhost:8080/hook; got ${JSON.stringify(text)}`,
  ])
}

function whatToDo(code: number, reason: string): string {
  switch (code) {
    case 4001:
      return 'unknown runtime key. Check GATEHOUSE_RUNTIME_KEY, or create a new key.'
    case 4003:
      return 'another session replaced it.'
    default:
      return reason
  }
}
