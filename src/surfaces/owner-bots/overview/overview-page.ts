import { mayDo } from '../../../domain/bots/bot-access.ts'
import { isConnected } from '../../../domain/bots/runtimes/runtime-connections.ts'
import { button } from '../../../pages/components/button.ts'
import { section, type Tile, tiles } from '../../../pages/components/card.ts'
import { icon } from '../../../pages/components/icon.ts'
import { state } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, type Text, type Words } from '../../../pages/html.ts'
import { locationWords } from '../../../pages/words/bots.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { attemptErrorWords, eventWords } from '../deliveries/delivery-words.ts'
import { cut } from '../deliveries/list-parts.ts'
import { botFrameWords } from '../words.ts'
import type { OverviewData } from './overview-data.ts'
import { botOverviewWords, figureWords, ownState, setupWords } from './words.ts'

type View = BotPageView & OverviewData

interface OverviewView extends View {
  baseUrl: string
}

/** Renders a bot's overview: state, what is missing to run it, figures and details. */
export function overviewPage(view: OverviewView): Html {
  const isSetUp = view.status.reportedAt !== null
  return botPartPage(view, {
    part: 'bot',
    body: html`${hero(view)}
${!isSetUp && setupList(view)}
${figures(view)}
${details(view)}`,
  })
}

/** Renders the state with the button that turns hosting on or off. */
function hero(view: OverviewView): Html {
  const { bot, state: is, status, nowMs } = view
  const { hostingEnabled } = bot
  const { label, meaning } = ownState(is, status.reportedAt)
  const heard =
    status.reportedAt === null
      ? botOverviewWords.noHeartbeat
      : botOverviewWords.heartbeat(time(status.reportedAt, nowMs))
  return html`<section class="card hero" id="state" aria-label="${botOverviewWords.state}"><div class="stack tight">${label}
<p>${meaning} <span class="soft">${heard}</span></p></div>
${
  mayDo(view, 'switch-hosting') &&
  html`<form method="post" action="/bots/${bot.id}/hosting">${formTokenField}
${button({
  label: hostingEnabled ? botOverviewWords.turnOff : botOverviewWords.turnOn,
  tone: hostingEnabled ? 'plain' : 'primary',
  name: 'hosting',
  value: hostingEnabled ? 'off' : 'on',
})}</form>`
}</section>`
}

function details({ bot, status, baseUrl }: OverviewView): Html {
  const { guildCount, shardCount } = status
  const { hostingLocation, chatPlatformId, publicStatus } = bot
  const count = (number: number | null) =>
    number === null ? html`<span class="soft">${botFrameWords.notKnown}</span>` : countWords(number)
  return section({
    id: 'details',
    title: botOverviewWords.details,
    about: html`<p>${botOverviewWords.detailsAbout(`/bots/${bot.id}/settings`)}</p>`,
    body: html`<div class="card"><dl>
<dt>${botOverviewWords.servers}</dt><dd>${count(guildCount)}</dd>
<dt>${botOverviewWords.shards}</dt><dd>${count(shardCount)}</dd>
<dt>${botOverviewWords.location}</dt><dd>${hostingLocation === null ? botFrameWords.notSet : locationWords[hostingLocation]}</dd>
<dt>${botOverviewWords.statusPage}</dt><dd>${publicStatus ? html`<a href="${baseUrl}/botstatus/${chatPlatformId}">${botOverviewWords.openStatusPage}</a>` : botOverviewWords.notPublic}</dd>
<dt>${botOverviewWords.plan}</dt><dd>${bot.plan}</dd>
<dt>${botOverviewWords.botId}</dt><dd><code>${bot.id}</code></dd>
<dt>${botOverviewWords.chatPlatformId}</dt><dd><code>${chatPlatformId}</code></dd>
</dl></div>`,
  })
}

interface Step {
  done: boolean
  title: Words
  /** URL of the page on which the user can complete the step. `undefined` if the user isn't allowed to. */
  href: string | undefined
  how: Text
}

/** Renders the steps up to a bot's first heartbeat, with a mark on each completed step. */
function setupList(view: View): Html {
  const steps = stepsOf(view)
  return html`<section class="card" id="setup" aria-labelledby="setup-title"><div class="name"><h2 id="setup-title">${setupWords.title}</h2><p class="facts soft small">${setupWords.progress(steps.filter(({ done }) => done).length, steps.length)}</p></div>
<ol class="steps">${steps.map(
    ({ done, title, href, how }) =>
      html`<li${done && html` class="done"`}>${icon(done ? 'check' : 'circle')}<div><strong>${href === undefined || done ? title : html`<a href="${href}">${title}</a>`}</strong>${done ? html` <span class="soft small">${setupWords.done}</span>` : html`<p class="soft small">${how}</p>`}</div></li>`,
  )}</ol></section>`
}

function stepsOf(view: View): Step[] {
  const { bot, runtimes, latest } = view
  const address = `/bots/${bot.id}`
  const mayAddRuntimes = mayDo(view, 'change-runtimes')
  const runtimesPage = mayAddRuntimes ? `${address}/runtimes` : undefined
  return [
    {
      done: (runtimes?.length ?? 0) > 0 || bot.hostingLocation === 'cloud',
      title: setupWords.runtime,
      href: runtimesPage && `${runtimesPage}#new`,
      how: mayAddRuntimes ? setupWords.runtimeHow : setupWords.ownerOnly,
    },
    {
      done: bot.hostingEnabled,
      title: setupWords.hosting,
      href: mayDo(view, 'switch-hosting') ? '#state' : undefined,
      how: setupWords.hostingHow,
    },
    { done: latest !== undefined, title: setupWords.webhook, href: `${address}/flows`, how: setupWords.webhookHow },
    { done: false, title: setupWords.heartbeat, href: runtimesPage, how: setupWords.heartbeatHow },
  ]
}

/** Renders the figures of the last 24 hours, the last error and the connected runtime. */
function figures(view: View): Html {
  const { bot, lately, unfinished } = view
  const deliveries = `/bots/${bot.id}/deliveries`
  return tiles([
    {
      title: figureWords.received,
      href: `${deliveries}?since=day`,
      figure: html`${countWords(lately.accepted)}`,
      detail: unfinished > 0 ? figureWords.unfinished(countWords(unfinished)) : figureWords.noneUnfinished,
    },
    {
      title: figureWords.failed,
      href: `${deliveries}?state=dead`,
      figure: html`<span${lately.failed > 0 && html` class="bad"`}>${countWords(lately.failed)}</span>`,
      detail: figureWords.deadLetters(countWords(lately.dead), lately.dead),
    },
    lastError(view),
    runtime(view),
  ])
}

/** The longest error that a tile shows, in characters. */
const errorShown = 80

function lastError(view: View): Tile {
  const { bot, failed, nowMs } = view
  const title = figureWords.lastError
  if (failed === undefined) return { title, figure: state({ tone: 'good', word: figureWords.noError }) }
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
  const title = figureWords.runtime
  const connected = state({ tone: 'good', word: figureWords.connected })
  const isReporting = is === 'online' || is === 'connecting'
  if (runtimes === undefined) {
    return { title, figure: isReporting ? connected : state({ tone: 'neutral', word: figureWords.notConnected }) }
  }
  const href = `/bots/${bot.id}/runtimes`
  const last = runtimes
    .flatMap(({ runtime: { name }, connections }) => connections.map((connection) => ({ name, connection })))
    .sort((one, other) => other.connection.heardAtMs - one.connection.heardAtMs)
  const open = last.filter(({ connection }) => isConnected(connection, nowMs))
  const [first] = open
  if (first !== undefined) {
    const { name, connection } = first
    const since = figureWords.since(time(connection.connectedAtMs, nowMs))
    return {
      title,
      href,
      figure: connected,
      detail: open.length === 1 ? html`${name}, ${since}` : figureWords.andMore(name, countWords(open.length - 1)),
    }
  }
  if (isReporting) return { title, href, figure: connected, detail: figureWords.byPlatform }
  const before = last[0]
  return {
    title,
    href,
    figure: state({ tone: bot.hostingEnabled ? 'warn' : 'neutral', word: figureWords.notConnected }),
    detail:
      before === undefined
        ? reportedAt === null
          ? figureWords.neverConnected
          : figureWords.lastHeartbeat(time(reportedAt, nowMs))
        : html`${before.name}, ${figureWords.lastSeen(time(before.connection.endedAtMs ?? before.connection.heardAtMs, nowMs))}`,
  }
}
