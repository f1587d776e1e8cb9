import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import type { ListedBotState } from '../../../domain/bots/status/status-board.ts'
import type { BotId } from '../../../domain/ids.ts'
import { avatar } from '../../../pages/components/avatar.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { chosenRows, type ListChoice, listForm, noneFound } from '../../../pages/components/list-form.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { locationWords, roleWords } from '../../../pages/words/bots.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { botsFrame } from '../bot-frame.ts'
import { pagination } from '../pagination.ts'
import { botFrameWords } from '../words.ts'
import { ownState, botListWords as words } from './words.ts'

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

export function botListPage(view: BotListView): Html {
  const { person, rows, pageNumber, pages, found, all, choice, done } = view
  const form = listForm({ action: '/bots', label: words.searchField, choice, sorts: words.sorts, found, all })
  return page({
    ...botsFrame(person),
    title: botFrameWords.yourBots,
    body: html`${done}<div class="title"><h1>${botFrameWords.yourBots}</h1></div>
${all === 0 ? emptyState({ title: words.none.title, body: html`${words.none.steps}` }) : html`${form}${rows.length === 0 ? noneFound : listOf(view)}`}
${pagination('/bots', choice, pageNumber, pages)}
${all > 0 && html`<p class="soft small">${words.more}</p>`}`,
  })
}

function listOf({ rows, waiting, dead, nowMs }: BotListView): Html {
  return table({
    caption: words.caption,
    rows,
    columns: [
      {
        title: words.bot,
        cell: ({ bot, role }) =>
          html`<div class="named">${avatar({ name: bot.name, picture: bot.avatar, small: true })}<div><a href="/bots/${bot.id}">${bot.name}</a>${role !== 'owner' && html` ${tag(roleWords[role].name)}`}</div></div>`,
      },
      { title: words.state, cell: ({ state, reportedAtMs }) => ownState(state, reportedAtMs).label },
      {
        title: words.waiting,
        number: true,
        cell: ({ bot }) => {
          const count = waiting.get(bot.id) ?? 0
          return count === 0 ? 0 : html`<a href="/bots/${bot.id}/deliveries?state=ready">${countWords(count)}</a>`
        },
      },
      {
        title: words.dead,
        number: true,
        cell: ({ bot }) => {
          const count = dead.get(bot.id) ?? 0
          return count === 0 ? 0 : html`<a href="/bots/${bot.id}/deliveries?state=dead">${countWords(count)}</a>`
        },
      },
      {
        title: words.location,
        cell: ({ bot }) => (bot.hostingLocation === null ? botFrameWords.notSet : locationWords[bot.hostingLocation]),
      },
      {
        title: words.lastHeartbeat,
        cell: ({ reportedAtMs }) => (reportedAtMs === null ? botFrameWords.never : time(reportedAtMs, nowMs)),
      },
    ],
  })
}
