import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Bot } from '../../../domain/bots/bot.ts'
import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import type { ListedBotState } from '../../../domain/bots/status/status-board.ts'
import { knownMs, uptimeShare } from '../../../domain/bots/status/status-span.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { deadLettersBy } from '../../../domain/webhooks/event-log.ts'
import {
  emptyState,
  linkButton,
  objectLink,
  state,
  type Tone,
  table,
  tag,
  zero,
  zeroAs,
} from '../../../pages/components/elements.ts'
import { countWords, time, uptimeWords } from '../../../pages/components/figures.ts'
import { byName, listed, noneFound } from '../../../pages/components/list.ts'
import { avatar } from '../../../pages/components/pictures.ts'
import { statusBars } from '../../../pages/components/status-strip.ts'
import { showPage } from '../../../pages/form-routes.ts'
import { type Html, html, plural, t, type Words } from '../../../pages/html.ts'
import type { SignedInRequest } from '../../../pages/page-guard.ts'
import { botsPlace } from '../../../pages/places.ts'
import { locationWords, roleWords } from '../../../pages/words/bots.ts'
import type { BotPageServices } from '../bot-pages.ts'

interface Counts {
  /** Unfinished webhooks by bot. Bots without any may be missing. */
  waiting: ReadonlyMap<BotId, number>
  /** Dead letters of the last 24 hours by bot. Contains only bots that have any. */
  dead: ReadonlyMap<BotId, number>
}

export function botListRoute(app: FastifyInstance, services: BotPageServices): void {
  showPage(app, '/bots', services.guard.signedIn, async (visit) =>
    sendBotList({ ...visit, ...(await loadBotList(services, visit)) }),
  )
}

async function loadBotList({ bots, eventAccess, clock }: BotPageServices, { session, request }: SignedInRequest) {
  const all = await bots.ownStatus.list(session.userId)
  const ids = all.map(({ bot }) => bot.id)
  const [waiting, deadLetters] = await Promise.all([eventAccess.unfinishedOf(ids), eventAccess.deadLetters(ids)])
  const counts: Counts = { waiting, dead: deadLettersBy('botId', deadLetters) }
  const list = chosenBots(all, request, counts)
  const nowMs = clock.nowMs()
  const shown = list.rows.map(({ bot, reportedAtMs }) => ({ ...bot, reportedAtMs }))
  const urgent = all.filter((row) => urgencyOf(row, counts) < urgencyOfMost).length
  const online = all.filter(({ state }) => state === 'online').length
  const hours = await bots.history.hoursOf(shown, nowMs)
  const rows = list.rows.map((row, at) => ({ ...row, hours: hours[at] ?? [] }))
  return { ...list, rows, ...counts, all: all.length, urgent, online, nowMs }
}

type BotListView = SignedInRequest & Awaited<ReturnType<typeof loadBotList>>

const urgencyOfMost = 4

/**
 * Returns how urgently a bot needs attention, from 0: what was working and isn't, what was lost, what waits for a
 * runtime. A bot that never connected is no problem by itself.
 */
function urgencyOf({ bot, state, reportedAtMs }: ListedBotState, { waiting, dead }: Counts): number {
  if (state === 'offline' && reportedAtMs !== null) return 0
  if (state === 'connecting') return 1
  if (countOf(dead, bot) > 0) return 2
  return countOf(waiting, bot) > 0 && state !== 'online' ? 3 : urgencyOfMost
}

const countOf = (counts: ReadonlyMap<BotId, number>, { id }: Bot) => counts.get(id) ?? 0

function chosenBots(bots: readonly ListedBotState[], request: SignedInRequest['request'], counts: Counts) {
  const { waiting, dead } = counts
  const byUrgency = (one: ListedBotState, other: ListedBotState) =>
    urgencyOf(one, counts) - urgencyOf(other, counts) ||
    countOf(dead, other.bot) - countOf(dead, one.bot) ||
    countOf(waiting, other.bot) - countOf(waiting, one.bot) ||
    byName(one.bot, other.bot)
  return listed(bots, request, {
    action: '/bots',
    label: t`Name or ID`,
    perPage: limits.botsPerPage,
    textsOf: ({ bot }) => [bot.name, bot.id, bot.chatPlatformId],
    sorts: {
      attention: [t`Needs attention first`, byUrgency],
      name: [t`Name`, (one, other) => byName(one.bot, other.bot)],
      oldest: [t`Oldest first`],
    },
  })
}

function summaryOf({ urgent, online }: BotListView): Words {
  if (urgent === 0) return t`None needs attention, ${online} online`
  return plural(urgent, t`${urgent} needs attention, ${online} online`, t`${urgent} need attention, ${online} online`)
}

function sendBotList(view: BotListView): FastifyReply {
  const { rows, form, pager, all, done } = view
  return view.show({
    place: botsPlace,
    width: 'dense',
    title: t`Your bots`,
    body: html`${done}<div class="stack tight"><h1>${t`Your bots`}</h1>${all > 0 && html`<p class="soft">${summaryOf(view)}</p>`}</div>
${
  all === 0
    ? emptyState({
        title: t`No bots yet`,
        body: html`${t.html`<p>You create bots on the platform. They then appear here with their state, webhooks and logs.</p>
<ol>
<li>Sign in to the platform with this account and create a bot. The operator can also create one for you. They need your user ID from <a href="/account">your account page</a>.</li>
<li>To work on someone else’s bot, ask its owner to add you as a collaborator.</li>
<li>Open the bot here, turn hosting on, and connect a runtime.</li>
</ol>`}`,
        action: linkButton({ label: t`First steps`, href: '/welcome', tone: 'plain' }),
      })
    : html`${form}${rows.length === 0 ? noneFound : listOf(view)}`
}
${pager}
${all > 0 && html`<p class="soft small">${t.html`You create bots on the platform, and they appear here. <a href="/account">Your account</a> shows your user ID.`}</p>`}`,
  })
}

/** Renders the bots, one line each. Omits columns that have nothing to show for any of them. */
function listOf({ rows, waiting, dead, nowMs }: BotListView): Html {
  const count = (counts: ReadonlyMap<BotId, number>, bot: Bot, chosen: string) => {
    const number = countOf(counts, bot)
    return number === 0 ? zero : html`<a href="/bots/${bot.id}/deliveries?state=${chosen}">${countWords(number)}</a>`
  }
  return table({
    caption: t`Your bots and those you collaborate on`,
    rows,
    oneLine: true,
    columns: [
      {
        title: t`Bot`,
        cell: ({ bot, role }) =>
          objectLink({
            name: bot.name,
            href: `/bots/${bot.id}`,
            picture: avatar({ name: bot.name, picture: bot.avatar, small: true }),
            after: role !== 'owner' && tag(roleWords[role].name),
          }),
      },
      {
        title: t.in('state of a bot')`State`,
        unlabelled: true,
        cell: ({ state: is, reportedAtMs }) => ownState(is, reportedAtMs).label,
      },
      rows.some(({ hours }) => hours.some((hour) => knownMs(hour) > 0)) && {
        title: t`Last 24 hours`,
        unlabelled: true,
        cell: ({ hours }) =>
          html`<span class="strip">${statusBars({ title: uptimeWords(uptimeShare(hours)), slots: hours })}</span>`,
      },
      { title: t`Undelivered`, number: true, cell: ({ bot }) => count(waiting, bot, 'ready') },
      { title: t`Dead letters, 24 h`, number: true, cell: ({ bot }) => count(dead, bot, 'dead') },
      rows.some(({ bot }) => bot.hostingLocation !== null) && {
        title: t`Location`,
        cell: ({ bot }) => (bot.hostingLocation === null ? t`Not set` : locationWords[bot.hostingLocation]),
      },
      rows.some(({ reportedAtMs }) => reportedAtMs !== null) && {
        title: t`Last heartbeat`,
        unlabelled: true,
        cell: ({ reportedAtMs }) => (reportedAtMs === null ? zeroAs(t`Never`) : time(reportedAtMs, nowMs)),
      },
    ],
  })
}

const ownStates: Readonly<Record<BotState | 'not-connected-yet', { tone: Tone; word: Words; meaning: Words }>> = {
  online: { tone: 'good', word: t`Online`, meaning: t`Connected to the chat platform.` },
  connecting: {
    tone: 'warn',
    word: t`Connecting`,
    meaning: t`The runtime sends heartbeats, but the connection to the chat platform isn’t ready yet.`,
  },
  offline: {
    tone: 'bad',
    word: t`Offline`,
    meaning: t`Hosting is on, but the runtime no longer reports the bot. Check that it is running.`,
  },
  'not-connected-yet': { tone: 'neutral', word: t`Not connected yet`, meaning: t`Hosting is on.` },
  'hosting-off': {
    tone: 'neutral',
    word: t`Hosting off`,
    meaning: t`The bot isn’t running. New webhooks are kept for 24 hours.`,
  },
}

/** Returns the bot's state as a label, and what it means. A bot that never had a heartbeat isn't shown as an outage. */
export function ownState(is: BotState, reportedAtMs: number | null): { label: Html; meaning: Words } {
  const shown = is === 'offline' && reportedAtMs === null ? 'not-connected-yet' : is
  const { meaning, ...label } = ownStates[shown]
  return { label: state(label), meaning }
}
