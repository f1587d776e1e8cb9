import { hostname } from 'node:os'
import { isReaderGone, outputClosed } from '../../../../src/commands/closed-output.ts'
import { firstSignal } from '../../../../src/commands/first-signal.ts'
import { exitCodes, StartFault } from '../../../../src/commands/start-fault.ts'
import {
  connect,
  type Runtime,
  type RuntimeOptions,
  RuntimeRefused,
  type RuntimeState,
  type WebhookContext,
  type WebhookEvent,
} from '../../../typescript/src/runtime.ts'
import type { ListenOptions } from '../command-line.ts'
import { printableLine } from '../printable.ts'
import { formatEvent, formatForwarding, formatRefused, isDone, timeOfDay } from './format-event.ts'
import { forward, forwardTargets } from './forward.ts'
import { Screen } from './screen.ts'

/** Grace period for an event that is being forwarded when Ctrl-C is pressed. */
const leaveWithinMs = 3_000
/** Maximum number of copied events handled at the same time. */
const copiesAtOnce = 16

/**
 * `gatehouse listen`: prints one bot's webhooks and optionally forwards them. It receives copies, or with `--take` the
 * events themselves, as an ordinary runtime session. Resolves with the exit code after a signal, when the reader of the
 * output is gone, or once the service rejects the session permanently.
 *
 * @throws StartFault if an option or the key is invalid.
 */
export async function listen(options: ListenOptions, version: string): Promise<number> {
  const { url, bot, take } = options
  const key = process.env.GATEHOUSE_RUNTIME_KEY
  if (!key) {
    throw new StartFault(exitCodes.configuration, [
      'GATEHOUSE_RUNTIME_KEY is missing; set it to a runtime key that may host the bot (svc_rk_…)',
    ])
  }
  const targets = forwardTargets(options)
  const signalled = firstSignal(['SIGINT', 'SIGTERM', 'SIGHUP'])
  const screen = new Screen()
  const messages = new SessionMessages(screen, { url, bot })

  const runtime = open({
    url,
    key,
    instance: `listen-${hostname()}-${process.pid}`.slice(0, 128),
    agent: `gatehouse-listen/${version}`,
    bots: [bot],
    copies: !take,
    // With --take, process one event at a time, so that each outcome is printed below its event.
    credit: take ? 1 : copiesAtOnce,
    onWebhook: (event, context) => show(event, context, { screen, to: targets.of(event.path), take }),
    onRefusedWebhook: (refused) => screen.say(formatRefused(refused)),
    onHeartbeat: () => messages.beat(),
    onState: (state) => messages.state(state),
    onProblem: ({ message, cause }) => {
      // Skip errors from forwarding (already printed below their event) and errors caused by a closed output.
      if (!(cause instanceof NotForwarded || isReaderGone(cause))) screen.say(printableLine(message))
    },
  })
  screen.say(`Listening for webhooks of ${bot}${targets.description}. Press Ctrl-C to stop.`)
  screen.say(
    take
      ? `This takes webhooks away from the bot's real runtime: each goes to one of the two. Bot status is not affected.`
      : "These are copies: the bot's runtime keeps running. To take the webhooks yourself, add --take.",
  )
  signalled.then((signal) => {
    screen.status('')
    screen.say(`${signal === 'SIGINT' ? '\n' : ''}Stopping …`)
    return runtime.leave({ withinMs: leaveWithinMs })
  })
  outputClosed().then(() => runtime.leave({ withinMs: leaveWithinMs }))

  try {
    await runtime.ended
    screen.status('')
    return exitCodes.ok
  } catch (error) {
    if (!(error instanceof RuntimeRefused)) throw error
    const { code, reason } = error
    screen.status('')
    screen.say(`The service rejected this session (${code}): ${whatToDo(code, printableLine(reason))}`)
    return exitCodes.failed
  }
}

async function show(
  event: WebhookEvent,
  context: WebhookContext,
  { screen, to, take }: { screen: Screen; to: URL | undefined; take: boolean },
): Promise<void> {
  await screen.show(formatEvent(event, screen.paint))
  if (to === undefined) return
  const startedAtMs = Date.now()
  const forwarding = await forward(to, { body: event.body, headers: headersOf(event) }, context.signal)
  const tookMs = Date.now() - startedAtMs
  await screen.show(formatForwarding(forwarding, { tookMs, copyOf: take ? undefined : event }, screen.paint))
  if (!take || isDone(forwarding)) return
  throw new NotForwarded(
    forwarding.kind === 'answered' ? `the local server responded ${forwarding.status}` : forwarding.why,
  )
}

/** Returns the webhook's headers, extended with headers that identify the event. */
function headersOf({ headers, id, attempt, flowId, path }: WebhookEvent): Record<string, string | undefined> {
  return {
    ...headers,
    'gatehouse-event-id': id,
    'gatehouse-attempt': String(attempt),
    'gatehouse-flow-id': flowId,
    'gatehouse-path': path,
  }
}

/** Thrown with `--take` when forwarding an event fails. The bot's owner sees the message next to the failed attempt. */
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
    this.#lastBeat = timeOfDay(new Date(Date.now()))
    this.#screen.status(`connected · last heartbeat ${this.#lastBeat}`)
  }

  state(state: RuntimeState): void {
    if (state.kind === 'hosting') this.#hosting(state.bots.includes(this.#bot), state.refused[0]?.reason)
    if (state.kind !== 'waiting') return
    const { retryInMs, code, reason } = state
    const last = this.#lastBeat === '' ? '' : ` Last heartbeat ${this.#lastBeat}.`
    const why =
      code === 1006
        ? `Not connected: ${printableLine(reason || `the connection to ${this.#url} was lost`)}`
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

function whatToDo(code: number, reason: string): string {
  switch (code) {
    case 4001:
      return `${reason}. Check GATEHOUSE_RUNTIME_KEY, or create a new key.`
    case 4003:
      return 'another session replaced it.'
    case 4002:
      return `${reason}. The service may be too old to send copies; then use --take.`
    default:
      return reason
  }
}
