import { hostname } from 'node:os'
import { isReaderGone, outputClosed } from '../../../../src/commands/closed-output.ts'
import { firstSignal } from '../../../../src/commands/first-signal.ts'
import { exitCodes, misconfigured, StartFault } from '../../../../src/commands/start-fault.ts'
import { linkAddress } from '../../../typescript/src/options.ts'
import { connect, RuntimeRefused } from '../../../typescript/src/runtime.ts'
import type { ListenOptions } from '../command-line.ts'
import { printableLine } from '../printable.ts'
import { CopiesRefused, readCopies } from './copies.ts'
import { formatEvent, formatForwarding, formatRefused, isDone, type ShownEvent, timeOfDay } from './format-event.ts'
import { forward, forwardTargets } from './forward.ts'
import { Screen } from './screen.ts'

/** Grace period for an event that is being forwarded when Ctrl-C is pressed. */
const leaveWithinMs = 3_000
/** Maximum number of copied events handled at the same time. */
const copiesAtOnce = 16

/**
 * `gatehouse listen`: prints one bot's webhooks and optionally forwards them. It reads copies, or with `--take` receives
 * the events themselves, as an ordinary runtime session. Resolves with the exit code after a signal, when the reader of
 * the output is gone, or once the service rejects the session permanently.
 *
 * @throws StartFault if an option or the key is invalid.
 */
export async function listen(options: ListenOptions, version: string): Promise<number> {
  const { url, bot, take } = options
  const key = runtimeKey()
  const targets = forwardTargets(options)
  const signalled = firstSignal(['SIGINT', 'SIGTERM', 'SIGHUP'])
  const screen = new Screen()
  const messages = new SessionMessages(screen, bot)
  const listening = (take ? takeEvents : copyEvents)({
    ...{ url, key, bot, screen, messages },
    agent: `gatehouse-listen/${version}`,
    show: (event, signal) => show(event, { screen, to: targets.of(event.path), take, signal }),
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
    listening.leave()
  })
  outputClosed().then(() => listening.leave())

  try {
    await listening.ended
    screen.status('')
    return exitCodes.ok
  } catch (error) {
    if (!(error instanceof RuntimeRefused || error instanceof CopiesRefused)) throw error
    const reason = error instanceof RuntimeRefused ? error.reason : error.message
    screen.status('')
    screen.say(`The service rejected this session (${error.code}): ${whatToDo(error.code, printableLine(reason))}`)
    return exitCodes.failed
  }
}

interface ListeningParts {
  url: string
  key: string
  bot: string
  agent: string
  screen: Screen
  messages: SessionMessages
  /** Prints the event and forwards it. The signal cancels forwarding. */
  show: (event: ShownEvent, signal: AbortSignal) => Promise<void>
}

interface Listening {
  /** Resolves after `leave`. */
  ended: Promise<void>
  leave(): void
}

function takeEvents({ url, key, bot, agent, screen, messages, show }: ListeningParts): Listening {
  const runtime = validated(() =>
    connect({
      url,
      key,
      instance: `listen-${hostname()}-${process.pid}`.slice(0, 128),
      agent,
      bots: [bot],
      // One event at a time, so that each outcome is printed below its event.
      credit: 1,
      onWebhook: (event, { signal }) => show(event, signal),
      onHeartbeat: () => messages.beat(),
      onState: (state) => {
        if (state.kind === 'hosting') messages.hosting(state.bots.includes(bot), state.refused[0]?.reason)
        if (state.kind !== 'waiting') return
        const { code, reason, retryInMs } = state
        const lost = `Not connected: ${printableLine(reason || `the connection to ${url} was lost`)}`
        messages.waiting(code === 1006 ? lost : `The connection ended (${code} ${printableLine(reason)})`, retryInMs)
      },
      onProblem: ({ message, cause }) => {
        // Skip errors from forwarding (already printed below their event) and errors caused by a closed output.
        if (!(cause instanceof NotForwarded || isReaderGone(cause))) screen.say(printableLine(message))
      },
    }),
  )
  return { ended: runtime.ended, leave: () => runtime.leave({ withinMs: leaveWithinMs }) }
}

function copyEvents({ url, key, bot, agent, screen, messages, show }: ListeningParts): Listening {
  const gateway = validated(() => linkAddress(url))
  gateway.protocol = gateway.protocol.replace('ws', 'http')
  const [leaving, canceled] = [new AbortController(), new AbortController()]
  const showing = new Set<Promise<unknown>>()

  async function read(): Promise<void> {
    for await (const { hosting, delivery, refused, lost } of readCopies({ gateway, key, bot, agent }, leaving.signal)) {
      if (lost) messages.waiting(`Not connected: ${printableLine(lost.why)}`, lost.retryInMs)
      if (refused) screen.say(formatRefused(refused))
      if (hosting !== undefined) {
        messages.hosting(hosting, 'hosting_off')
        messages.beat()
      }
      if (delivery) {
        const { acceptedAt, body } = delivery
        const copied = { acceptedAt: new Date(acceptedAt), attempt: 1, body: Buffer.from(body, 'base64') }
        const shown = show({ ...delivery, ...copied }, canceled.signal)
          .catch((error) => isReaderGone(error) || screen.say(printableLine(error.message)))
          .finally(() => showing.delete(shown))
        showing.add(shown)
      }
      if (showing.size >= copiesAtOnce) await Promise.race(showing)
    }
    const deadline = setTimeout(() => canceled.abort(), leaveWithinMs)
    await Promise.all(showing)
    clearTimeout(deadline)
  }
  return { ended: read(), leave: () => leaving.abort() }
}

async function show(
  event: ShownEvent,
  { screen, to, take, signal }: { screen: Screen; to: URL | undefined; take: boolean; signal: AbortSignal },
): Promise<void> {
  await screen.show(formatEvent(event, screen.paint))
  if (to === undefined) return
  const startedAtMs = Date.now()
  const forwarding = await forward(to, { body: event.body, headers: headersOf(event) }, signal)
  const tookMs = Date.now() - startedAtMs
  await screen.show(formatForwarding(forwarding, { tookMs, copyOf: take ? undefined : event }, screen.paint))
  if (!take || isDone(forwarding)) return
  throw new NotForwarded(
    forwarding.kind === 'answered' ? `the local server responded ${forwarding.status}` : forwarding.why,
  )
}

/** Returns the webhook's headers, extended with headers that identify the event. */
function headersOf({ headers, id, attempt, flowId, path }: ShownEvent): Record<string, string | undefined> {
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
  readonly #bot: string
  #lastBeat = ''
  #hosted: boolean | undefined

  constructor(screen: Screen, bot: string) {
    this.#screen = screen
    this.#bot = bot
  }

  /** Shows when the service last acknowledged a heartbeat. */
  beat(): void {
    this.#lastBeat = timeOfDay(new Date(Date.now()))
    this.#screen.status(`connected · last heartbeat ${this.#lastBeat}`)
  }

  waiting(why: string, retryInMs: number): void {
    const last = this.#lastBeat === '' ? '' : ` Last heartbeat ${this.#lastBeat}.`
    this.#screen.status('')
    this.#screen.say(`${why}; retrying in ${(retryInMs / 1_000).toFixed(1)} s.${last}`)
    this.#hosted = undefined
  }

  hosting(hosted: boolean, reason = 'not hosted'): void {
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

/** @throws StartFault if there is no runtime key in the environment. */
function runtimeKey(): string {
  const key = process.env.GATEHOUSE_RUNTIME_KEY
  if (key && /^svc_rk_[!-~]+$/.test(key)) return key
  const fault = key ? 'is not a runtime key' : 'is missing'
  throw misconfigured(`GATEHOUSE_RUNTIME_KEY ${fault}; set it to a runtime key that may host the bot (svc_rk_…)`)
}

/** @throws StartFault if the URL is invalid. */
function validated<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new StartFault(exitCodes.usage, [`--url: ${error.message}`], error)
  }
}

function whatToDo(code: number, reason: string): string {
  switch (code) {
    case 401:
    case 404:
    case 4001:
      return `${reason.replace(/\.$/, '')}. Check GATEHOUSE_RUNTIME_KEY, or create a new key.`
    case 4003:
      return 'another session replaced it.'
    default:
      return reason
  }
}
