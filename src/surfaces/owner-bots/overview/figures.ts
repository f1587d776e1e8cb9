import { mayDo } from '../../../domain/bots/bot-access.ts'
import { isConnected } from '../../../domain/bots/runtimes/runtime-connections.ts'
import { type Tile, tiles } from '../../../pages/components/card.ts'
import { state } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'
import type { BotPageView } from '../bot-frame.ts'
import { attemptErrorWords, eventWords } from '../deliveries/delivery-words.ts'
import { cut } from '../deliveries/list-parts.ts'
import type { OverviewData } from './overview-data.ts'
import { figureWords as words } from './words.ts'

type View = BotPageView & OverviewData

/** Renders the figures of the last 24 hours, the last error and the connected runtime. */
export function figures(view: View): Html {
  const { bot, lately, unfinished } = view
  const deliveries = `/bots/${bot.id}/deliveries`
  return tiles([
    {
      title: words.received,
      href: `${deliveries}?since=day`,
      figure: html`${countWords(lately.accepted)}`,
      detail: unfinished > 0 ? words.unfinished(countWords(unfinished)) : words.noneUnfinished,
    },
    {
      title: words.failed,
      href: `${deliveries}?state=dead`,
      figure: html`<span${lately.failed > 0 && html` class="bad"`}>${countWords(lately.failed)}</span>`,
      detail: words.deadLetters(countWords(lately.dead), lately.dead),
    },
    lastError(view),
    runtime(view),
  ])
}

/** The longest error that a tile shows, in characters. */
const errorShown = 80

function lastError(view: View): Tile {
  const { bot, failed, nowMs } = view
  const title = words.lastError
  if (failed === undefined) return { title, figure: state({ tone: 'good', word: words.noError }) }
  const { id, lastError: error, deadBecause, state: is, acceptedAtMs, finishedAtMs } = failed
  const says: Text =
    error === undefined
      ? deadBecause === undefined
        ? eventWords.states[is].word
        : eventWords.dead[deadBecause]
      : (attemptErrorWords(error) ?? cut(error, errorShown))
  return {
    title,
    href: mayDo(view, 'read-bodies') ? `/bots/${bot.id}/deliveries/${id}` : undefined,
    figure: html`<span class="text">${says}</span>`,
    detail: html`${eventWords.states[is].word}, ${time(finishedAtMs ?? acceptedAtMs, nowMs)}`,
  }
}

function runtime({ bot, runtimes, status: { reportedAt }, state: is, nowMs }: View): Tile {
  const title = words.runtime
  const connected = state({ tone: 'good', word: words.connected })
  const isReporting = is === 'online' || is === 'connecting'
  if (runtimes === undefined) {
    return { title, figure: isReporting ? connected : state({ tone: 'neutral', word: words.notConnected }) }
  }
  const href = `/bots/${bot.id}/runtimes`
  const last = runtimes
    .flatMap(({ runtime: { name }, connections }) => connections.map((connection) => ({ name, connection })))
    .sort((one, other) => other.connection.heardAtMs - one.connection.heardAtMs)
  const open = last.filter(({ connection }) => isConnected(connection, nowMs))
  const [first] = open
  if (first !== undefined) {
    const { name, connection } = first
    const since = words.since(time(connection.connectedAtMs, nowMs))
    return {
      title,
      href,
      figure: connected,
      detail: open.length === 1 ? html`${name}, ${since}` : words.andMore(name, countWords(open.length - 1)),
    }
  }
  if (isReporting) return { title, href, figure: connected, detail: words.byPlatform }
  const before = last[0]
  return {
    title,
    href,
    figure: state({ tone: bot.hostingEnabled ? 'warn' : 'neutral', word: words.notConnected }),
    detail:
      before === undefined
        ? reportedAt === null
          ? words.neverConnected
          : words.lastHeartbeat(time(reportedAt, nowMs))
        : html`${before.name}, ${words.lastSeen(time(before.connection.endedAtMs ?? before.connection.heardAtMs, nowMs))}`,
  }
}
