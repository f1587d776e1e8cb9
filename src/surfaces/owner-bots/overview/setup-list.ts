import { mayDo } from '../../../domain/bots/bot-access.ts'
import { icon } from '../../../pages/components/icon.ts'
import { type Html, html, type Text, type Words } from '../../../pages/html.ts'
import type { BotPageView } from '../bot-frame.ts'
import type { OverviewData } from './overview-data.ts'
import { setupWords as words } from './words.ts'

interface Step {
  done: boolean
  title: Words
  /** URL of the page on which the user can complete the step. `undefined` if the user isn't allowed to. */
  href: string | undefined
  how: Text
}

/** Renders the steps up to a bot's first heartbeat, with a mark on each completed step. */
export function setupList(view: BotPageView & OverviewData): Html {
  const steps = stepsOf(view)
  return html`<section class="card" id="setup" aria-labelledby="setup-title"><div class="name"><h2 id="setup-title">${words.title}</h2><p class="facts soft small">${words.progress(steps.filter(({ done }) => done).length, steps.length)}</p></div>
<ol class="steps">${steps.map(
    ({ done, title, href, how }) =>
      html`<li${done && html` class="done"`}>${icon(done ? 'check' : 'circle')}<div><strong>${href === undefined || done ? title : html`<a href="${href}">${title}</a>`}</strong>${done ? html` <span class="soft small">${words.done}</span>` : html`<p class="soft small">${how}</p>`}</div></li>`,
  )}</ol></section>`
}

function stepsOf(view: BotPageView & OverviewData): Step[] {
  const { bot, runtimes, latest } = view
  const address = `/bots/${bot.id}`
  const mayAddRuntimes = mayDo(view, 'change-runtimes')
  const runtimesPage = mayAddRuntimes ? `${address}/runtimes` : undefined
  return [
    {
      done: (runtimes?.length ?? 0) > 0 || bot.hostingLocation === 'cloud',
      title: words.runtime,
      href: runtimesPage && `${runtimesPage}#new`,
      how: mayAddRuntimes ? words.runtimeHow : words.ownerOnly,
    },
    {
      done: bot.hostingEnabled,
      title: words.hosting,
      href: mayDo(view, 'switch-hosting') ? '#state' : undefined,
      how: words.hostingHow,
    },
    { done: latest !== undefined, title: words.webhook, href: `${address}/flows`, how: words.webhookHow },
    { done: false, title: words.heartbeat, href: runtimesPage, how: words.heartbeatHow },
  ]
}
