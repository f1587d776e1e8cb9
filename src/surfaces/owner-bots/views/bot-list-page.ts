import type { ListedBotState } from '../../../domain/bots/bots.ts'
import { emptyState } from '../../../http/components/empty-state.ts'
import { tag } from '../../../http/components/notice.ts'
import { table } from '../../../http/components/table.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { botsFrame } from './bot-frame.ts'
import { doneNotice } from './done-notice.ts'
import { roleWords } from './role-words.ts'
import { locationWords, stateInWord } from './state-words.ts'

export interface BotListView {
  person: NonNullable<PageFrame['person']>
  bots: readonly ListedBotState[]
  /** All that there are; `bots` are those on this page. */
  count: number
  pageNumber: number
  pages: number
  nowMs: number
  done: unknown
}

export function botListPage({ person, bots, count, pageNumber, pages, nowMs, done }: BotListView): Html {
  return page({
    ...botsFrame(person),
    title: 'Your bots',
    body: html`${doneNotice(done)}<div class="title"><h1>Your bots</h1></div>
${count === 0 ? firstSteps() : listOf(bots, nowMs)}
${pages > 1 && waysOn(pageNumber, pages, count)}`,
  })
}

function listOf(bots: readonly ListedBotState[], nowMs: number): Html {
  return table({
    caption: 'Bots that you own or work on, the oldest first',
    rows: bots,
    columns: [
      {
        title: 'Bot',
        cell: ({ bot, role }) =>
          html`<a href="/bots/${bot.id}">${bot.name}</a>${role !== 'owner' && html` ${tag(roleWords[role].name)}`}`,
      },
      { title: 'State', cell: ({ state }) => stateInWord(state) },
      {
        title: 'Hosted',
        cell: ({ bot }) => (bot.hostingLocation === null ? 'Not said where' : locationWords[bot.hostingLocation]),
      },
      {
        title: 'Last heartbeat',
        cell: ({ reportedAtMs }) => (reportedAtMs === null ? 'Never' : time(reportedAtMs, nowMs)),
      },
      { title: 'Status', cell: ({ bot }) => (bot.publicStatus ? 'Public' : 'Not public') },
    ],
  })
}

function waysOn(pageNumber: number, pages: number, count: number): Html {
  const link = (to: number, words: string) => html`<a class="button plain" href="/bots?page=${to}">${words}</a>`
  return html`<div class="buttons">${pageNumber > 1 && link(pageNumber - 1, 'Earlier bots')}${pageNumber < pages && link(pageNumber + 1, 'Later bots')}<span class="soft small">Page ${pageNumber} of ${pages}, ${count} bots</span></div>`
}

/** Bots are made on the platform, not here; this is what somebody without one can do. */
function firstSteps(): Html {
  return emptyState({
    title: 'You have no bot yet',
    body: html`<p>Bots are made on the platform that this service belongs to. Once it has made one for you, the bot stands here with its state, its webhooks and its logs.</p>
<ol>
<li>Make a bot on the platform, while signed in with this account. Its operator can also make one for you; give them your user id, which stands on <a href="/account">your account page</a>.</li>
<li>If somebody has a bot already and wants you to work on it, they add you as a coworker with your e-mail address.</li>
<li>Open the bot here, switch its hosting on, and connect a runtime that runs it.</li>
</ol>`,
  })
}
