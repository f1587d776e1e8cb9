import type { ListedBotState } from '../../../domain/bots/status/own-status.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/empty-state.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { botsFrame } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords, locationWords, roleWords } from '../words.ts'
import { stateLabel } from './state-label.ts'
import { botListWords as words } from './words.ts'

export interface BotListView {
  person: Person
  bots: readonly ListedBotState[]
  /** Number of bots on all pages. `bots` contains only those on this page. */
  count: number
  pageNumber: number
  pages: number
  nowMs: number
  done: string | undefined
}

export function botListPage({ person, bots, count, pageNumber, pages, nowMs, done }: BotListView): Html {
  return page({
    ...botsFrame(person),
    title: botFrameWords.yourBots,
    body: html`${doneNotice(done)}<div class="title"><h1>${botFrameWords.yourBots}</h1></div>
${count === 0 ? emptyState({ title: words.none.title, body: html`${words.none.steps}` }) : listOf(bots, nowMs)}
${pages > 1 && pageLinks(pageNumber, pages, count)}`,
  })
}

function listOf(bots: readonly ListedBotState[], nowMs: number): Html {
  return table({
    caption: words.caption,
    rows: bots,
    columns: [
      {
        title: words.bot,
        cell: ({ bot, role }) =>
          html`<a href="/bots/${bot.id}">${bot.name}</a>${role !== 'owner' && html` ${tag(roleWords[role].name)}`}`,
      },
      { title: words.state, cell: ({ state }) => stateLabel(state) },
      {
        title: words.location,
        cell: ({ bot }) => (bot.hostingLocation === null ? botFrameWords.notSet : locationWords[bot.hostingLocation]),
      },
      {
        title: words.lastHeartbeat,
        cell: ({ reportedAtMs }) => (reportedAtMs === null ? botFrameWords.never : time(reportedAtMs, nowMs)),
      },
      { title: words.status, cell: ({ bot }) => (bot.publicStatus ? words.public : words.notPublic) },
    ],
  })
}

function pageLinks(pageNumber: number, pages: number, count: number): Html {
  const link = (to: number, label: Words) => linkButton({ label, href: `/bots?page=${to}`, tone: 'plain' })
  return html`<div class="buttons">${pageNumber > 1 && link(pageNumber - 1, words.earlier)}${pageNumber < pages && link(pageNumber + 1, words.later)}<span class="soft small">${words.pageOf(pageNumber, pages, count)}</span></div>`
}
