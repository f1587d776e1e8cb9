import { mayDo } from '../../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../../domain/bots/record-rules.ts'
import { isConnected } from '../../../domain/bots/runtimes/runtime-connections.ts'
import { button, postForm, section, state, type Tile, tiles } from '../../../pages/components/elements.ts'
import { countWords, time } from '../../../pages/components/figures.ts'
import { icon } from '../../../pages/components/pictures.ts'
import { cut, type Html, html, plural, type Text, t, type Words } from '../../../pages/html.ts'
import { locationWords } from '../../../pages/words/bots.ts'
import { type BotVisit, botPartPage } from '../bot-pages.ts'
import { attemptErrorWords, eventWords } from '../deliveries/delivery-words.ts'
import { totalOf } from '../deliveries/list-parts.ts'
import { hostingRuntimes } from '../runtimes/runtimes.ts'
import { ownState } from './bot-list-page.ts'

/** Reads a bounded number of rows, however many webhooks and runtimes there are. */
export async function loadOverview(visit: BotVisit) {
  const { bots, eventAccess } = visit.services
  const { bot, by } = visit
  const [own, counts, glance, runtimes] = await Promise.all([
    bots.ownStatus.find(bot.id),
    eventAccess.counts(by.userId, bot.id),
    eventAccess.glance(by.userId, bot.id),
    mayDo(visit, 'change-runtimes') ? hostingRuntimes(bots, bot) : undefined,
  ])
  if (own === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${bot.id}` })
  return { ...own, ...glance, counts, runtimes }
}

type View = BotVisit & Awaited<ReturnType<typeof loadOverview>>

export function overviewPage(view: View): Html {
  const isSetUp = view.status.reportedAt !== null
  return botPartPage(view, {
    part: 'bot',
    body: html`${hero(view)}
${!isSetUp && setupList(view)}
${figures(view)}
${details(view)}`,
  })
}

function hero(view: View): Html {
  const { bot, state: is, status, nowMs } = view
  const { hostingEnabled } = bot
  const { label, meaning } = ownState(is, status.reportedAt)
  const heard = status.reportedAt === null ? t`No heartbeat yet.` : t`Last heartbeat ${time(status.reportedAt, nowMs)}.`
  return html`<section class="card hero" id="state" aria-label="${t.in('state of a bot')`State`}"><div class="stack tight">${label}
<p>${meaning} <span class="soft">${heard}</span></p></div>
${
  mayDo(view, 'switch-hosting') &&
  postForm(
    { action: `/bots/${bot.id}/hosting` },
    button({
      label: hostingEnabled ? t`Turn hosting off` : t`Turn hosting on`,
      tone: hostingEnabled ? 'plain' : 'primary',
      name: 'hosting',
      value: hostingEnabled ? 'off' : 'on',
    }),
  )
}</section>`
}

function details({ bot, status, services }: View): Html {
  const { guildCount, shardCount } = status
  const { hostingLocation, chatPlatformId, publicStatus } = bot
  const count = (number: number | null) =>
    number === null ? html`<span class="soft">${t`Unknown`}</span>` : countWords(number)
  return section({
    id: 'details',
    title: t`Details`,
    about: html`<p>${t.html`Servers and shards are as of the last heartbeat. Location and status page are in the <a href="/bots/${bot.id}/settings">settings</a>.`}</p>`,
    body: html`<div class="card"><dl>
<dt>${t`Servers`}</dt><dd>${count(guildCount)}</dd>
<dt>${t`Shards`}</dt><dd>${count(shardCount)}</dd>
<dt>${t`Hosting location`}</dt><dd>${hostingLocation === null ? t`Not set` : locationWords[hostingLocation]}</dd>
<dt>${t`Status page`}</dt><dd>${publicStatus ? html`<a href="${services.baseUrl}/botstatus/${chatPlatformId}">${t`Open status page`}</a>` : t`Not public`}</dd>
<dt>${t`Plan`}</dt><dd>${bot.plan}</dd>
<dt>${t`Bot ID`}</dt><dd><code>${bot.id}</code></dd>
<dt>${t`Chat-platform ID`}</dt><dd><code>${chatPlatformId}</code></dd>
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

function setupList(view: View): Html {
  const steps = stepsOf(view)
  return html`<section class="card" id="setup" aria-labelledby="setup-title"><div class="name"><h2 id="setup-title">${t`Set up this bot`}</h2><p class="facts soft small">${t`${steps.filter(({ done }) => done).length} of ${steps.length} done`}</p></div>
<ol class="steps">${steps.map(
    ({ done, title, href, how }) =>
      html`<li${done && html` class="done"`}>${icon(done ? 'check' : 'circle')}<div><strong>${href === undefined || done ? title : html`<a href="${href}">${title}</a>`}</strong>${done ? html` <span class="soft small">${t`Done`}</span>` : html`<p class="soft small">${how}</p>`}</div></li>`,
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
      title: t`Add a runtime`,
      href: runtimesPage && `${runtimesPage}#new`,
      how: mayAddRuntimes
        ? t`A runtime is the program that processes your bot’s webhooks. You get a key for it and a command to start it.`
        : t`Only the bot’s owner can do this.`,
    },
    {
      done: bot.hostingEnabled,
      title: t`Turn hosting on`,
      href: mayDo(view, 'switch-hosting') ? '#state' : undefined,
      how: t`Until then, no runtime can host the bot or receive its webhooks.`,
    },
    {
      done: latest !== undefined,
      title: t`Send the first webhook`,
      href: `${address}/flows`,
      how: t`Each flow shows its URL and a command to try it. Webhooks wait for the runtime for up to 24 hours.`,
    },
    {
      done: false,
      title: t`Start your runtime`,
      href: runtimesPage,
      how: t`Its first heartbeat appears here within 30 seconds.`,
    },
  ]
}

function figures(view: View): Html {
  const { bot, counts, unfinished } = view
  const deliveries = `/bots/${bot.id}/deliveries`
  /** As in the chart of deliveries. */
  const [failed, deadLetters] = [totalOf(counts, 'failed'), totalOf(counts, 'dead')]
  const dead = countWords(deadLetters)
  return tiles([
    {
      title: t`Webhooks, last 24 hours`,
      href: `${deliveries}?since=day`,
      figure: html`${countWords(totalOf(counts, 'accepted'))}`,
      detail: unfinished > 0 ? t`${countWords(unfinished)} not delivered yet` : t`None waiting`,
    },
    {
      title: t`Failed attempts, last 24 hours`,
      href: `${deliveries}?state=dead`,
      figure: html`<span${failed > 0 && html` class="bad"`}>${countWords(failed)}</span>`,
      detail: plural(deadLetters, t`${dead} dead letter`, t`${dead} dead letters`),
    },
    lastError(view),
    runtime(view),
  ])
}

const errorShown = 80

function lastError(view: View): Tile {
  const { bot, failed, nowMs } = view
  const title = t`Last error`
  if (failed === undefined) return { title, figure: state({ tone: 'good', word: t.in('error')`None` }) }
  const { id, lastError: error, deadBecause, state: is, acceptedAtMs, finishedAtMs } = failed
  const says: Text =
    error === undefined
      ? deadBecause === undefined
        ? eventWords.states[is]
        : eventWords.dead[deadBecause]
      : (attemptErrorWords(error) ?? cut(error, errorShown))
  return {
    title,
    href: mayDo(view, 'read-bodies') ? `/bots/${bot.id}/deliveries/${id}` : undefined,
    figure: html`<span class="text">${says}</span>`,
    detail: html`${eventWords.states[is]}, ${time(finishedAtMs ?? acceptedAtMs, nowMs)}`,
  }
}

function runtime({ bot, runtimes, status: { reportedAt }, state: is, nowMs }: View): Tile {
  const title = t`Runtime`
  const connected = state({ tone: 'good', word: t`Connected` })
  const isReporting = is === 'online' || is === 'connecting'
  if (runtimes === undefined) {
    return { title, figure: isReporting ? connected : state({ tone: 'neutral', word: t`Not connected` }) }
  }
  const href = `/bots/${bot.id}/runtimes`
  const last = runtimes
    .flatMap(({ runtime: { name }, connections }) => connections.map((connection) => ({ name, connection })))
    .sort((one, other) => other.connection.heardAtMs - one.connection.heardAtMs)
  const open = last.filter(({ connection }) => isConnected(connection, nowMs))
  const [first] = open
  if (first !== undefined) {
    const { name, connection } = first
    const since = t`connected ${time(connection.connectedAtMs, nowMs)}`
    return {
      title,
      href,
      figure: connected,
      detail: open.length === 1 ? html`${name}, ${since}` : t`${name} and ${countWords(open.length - 1)} more`,
    }
  }
  if (isReporting) return { title, href, figure: connected, detail: t`Operated by the platform` }
  const before = last[0]
  return {
    title,
    href,
    figure: state({ tone: bot.hostingEnabled ? 'warn' : 'neutral', word: t`Not connected` }),
    detail:
      before === undefined
        ? reportedAt === null
          ? t`Never connected`
          : t`Last heartbeat ${time(reportedAt, nowMs)}`
        : html`${before.name}, ${t`last connected ${time(before.connection.endedAtMs ?? before.connection.heardAtMs, nowMs)}`}`,
  }
}
