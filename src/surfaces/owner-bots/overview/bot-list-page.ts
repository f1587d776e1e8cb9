import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import type { ListedBotState } from '../../../domain/bots/status/status-board.ts'
import type { BotId } from '../../../domain/ids.ts'
import { avatar } from '../../../pages/components/avatar.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { chosenRows, type ListChoice, listForm, noneFound } from '../../../pages/components/list-form.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { locationWords, roleWords } from '../../../pages/words/bots.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { botsFrame } from '../bot-frame.ts'
import { pagination } from '../pagination.ts'
import { ownState } from './words.ts'

export const botSorts = ['oldest', 'name', 'attention'] as const
type BotChoice = ListChoice<(typeof botSorts)[number]>

interface BotListView {
  person: Person
  /** The bots on this page. */
  rows: readonly ListedBotState[]
  pageNumber: number
  pages: number
  /** Number of bots on all pages that match the search. */
  found: number
  all: number
  choice: BotChoice
  /** Unfinished webhooks by bot. Bots without any may be missing. */
  waiting: ReadonlyMap<BotId, number>
  /** Dead letters of the last 24 hours by bot. Contains only bots that have any. */
  dead: ReadonlyMap<BotId, number>
  nowMs: number
  done: Html | undefined
}

/** States in which hosting is on but the bot isn't online, the worst first. */
const notOnline: readonly BotState[] = ['offline', 'connecting']

/** Returns the bots that match the search, in the chosen order. */
export function chosenBots(
  bots: readonly ListedBotState[],
  { waiting, dead }: Pick<BotListView, 'waiting' | 'dead'>,
  choice: BotChoice,
): ListedBotState[] {
  const place = ({ state }: ListedBotState) => (notOnline.includes(state) ? notOnline.indexOf(state) : notOnline.length)
  const failed = ({ bot }: ListedBotState) => dead.get(bot.id) ?? 0
  const queued = ({ bot }: ListedBotState) => waiting.get(bot.id) ?? 0
  // What was working and isn't, then what was lost, then what waits for a runtime. A bot that never connected is no
  // problem by itself.
  const urgency = (row: ListedBotState) => {
    if (notOnline.includes(row.state) && row.reportedAtMs !== null) return 0
    if (failed(row) > 0) return 1
    return queued(row) > 0 && row.state !== 'online' ? 2 : 3
  }
  return chosenRows(bots, choice, ({ bot }) => [bot.name, bot.id, bot.chatPlatformId], {
    oldest: undefined,
    name: (one, other) => one.bot.name.localeCompare(other.bot.name),
    attention: (one, other) =>
      urgency(one) - urgency(other) ||
      failed(other) - failed(one) ||
      queued(other) - queued(one) ||
      place(one) - place(other),
  })
}

/** Text for the user's list of bots. */
const words = {
  sorts: {
    oldest: t`Oldest first`,
    name: t`Name`,
    attention: t`Needs attention first`,
  },
}

export function botListPage(view: BotListView): Html {
  const { person, rows, pageNumber, pages, found, all, choice, done } = view
  const form = listForm({ action: '/bots', label: t`Name or ID`, choice, sorts: words.sorts, found, all })
  return page({
    ...botsFrame(person),
    title: t`Your bots`,
    body: html`${done}<div class="title"><h1>${t`Your bots`}</h1></div>
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
      })
    : html`${form}${rows.length === 0 ? noneFound : listOf(view)}`
}
${pagination('/bots', choice, pageNumber, pages)}
${all > 0 && html`<p class="soft small">${t.html`You create bots on the platform, and they appear here. <a href="/account">Your account</a> shows your user ID.`}</p>`}`,
  })
}

function listOf({ rows, waiting, dead, nowMs }: BotListView): Html {
  return table({
    caption: t`Your bots and those you collaborate on`,
    rows,
    columns: [
      {
        title: t`Bot`,
        cell: ({ bot, role }) =>
          html`<div class="named">${avatar({ name: bot.name, picture: bot.avatar, small: true })}<div><a href="/bots/${bot.id}">${bot.name}</a>${role !== 'owner' && html` ${tag(roleWords[role].name)}`}</div></div>`,
      },
      { title: t.in('state of a bot')`State`, cell: ({ state, reportedAtMs }) => ownState(state, reportedAtMs).label },
      {
        title: t`Undelivered`,
        number: true,
        cell: ({ bot }) => {
          const count = waiting.get(bot.id) ?? 0
          return count === 0 ? 0 : html`<a href="/bots/${bot.id}/deliveries?state=ready">${countWords(count)}</a>`
        },
      },
      {
        title: t`Dead letters, 24 h`,
        number: true,
        cell: ({ bot }) => {
          const count = dead.get(bot.id) ?? 0
          return count === 0 ? 0 : html`<a href="/bots/${bot.id}/deliveries?state=dead">${countWords(count)}</a>`
        },
      },
      {
        title: t`Location`,
        cell: ({ bot }) => (bot.hostingLocation === null ? t`Not set` : locationWords[bot.hostingLocation]),
      },
      {
        title: t`Last heartbeat`,
        cell: ({ reportedAtMs }) => (reportedAtMs === null ? t`Never` : time(reportedAtMs, nowMs)),
      },
    ],
  })
}
