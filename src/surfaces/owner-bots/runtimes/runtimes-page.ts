import { isConnected, type RuntimeConnection } from '../../../domain/bots/runtimes/runtime-connections.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { codeSample, copyField } from '../../../pages/components/copy-field.ts'
import { notice, state } from '../../../pages/components/notice.ts'
import { secretReveal, secretTable } from '../../../pages/components/secrets.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { errorNotices, type Filled, form, oneOf, postForm, textField } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { confirmEmailFirst } from '../../../pages/words/account-form.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { listedKey } from '../key-form.ts'
import type { ShownRuntime } from './hosting-runtimes.ts'
import { startSamples } from './start-samples.ts'
import { runtimeWords as words } from './words.ts'

/** The form that adds a runtime. The page names the bot in the first choice. */
export const runtimeForm = form(
  {
    name: textField({ label: words.add.name, hint: words.add.nameHint, autocomplete: 'off' }),
    hosts: oneOf({
      label: words.add.mayHost,
      among: [
        { value: 'this', label: '' },
        { value: 'all', label: words.add.all },
      ],
      otherwise: 'this',
    }),
  },
  { focusesError: true },
)

export type NewRuntime = Filled<ReturnType<typeof runtimeForm.read>>

interface RuntimesView extends BotPageView {
  runtimes: readonly ShownRuntime[]
  /** Last heartbeat from a runtime of the platform. `null` unless one is hosting the bot. */
  platformHeardAtMs: number | null
  /** The form that adds a runtime. */
  filled: Partial<NewRuntime>
  /** Whether the user must confirm their email address before adding a runtime. */
  confirmFirst: boolean
  /** The key created by this request. */
  clearTextKey: string | undefined
  apiUrl: string
  portalUrl: string
  /** Version of the client packages. */
  version: string
}

export function runtimesPage(view: RuntimesView): Html {
  const { bot, runtimes, platformHeardAtMs, nowMs, filled, clearTextKey, apiUrl } = view
  return botPartPage(view, {
    part: 'runtimes',
    canonical: `/bots/${bot.id}/runtimes`,
    shownOnce: clearTextKey !== undefined,
    body: html`${errorNotices(filled.errors ?? [])}
${clearTextKey !== undefined && newKeyReveal(view, clearTextKey)}
${section({
  id: 'runtimes',
  title: words.title,
  about: html`<p>${words.about}</p>`,
  body: html`${
    platformHeardAtMs !== null && platformCard(platformHeardAtMs, nowMs)
  }${runtimes.length === 0 && platformHeardAtMs === null && html`<p>${words.none}</p>`}${runtimes.map((runtime) => runtimeCard(runtime, view))}
<div class="card">${copyField({ label: words.address, text: `${apiUrl.replace(/^http/, 'ws')}/runtime` })}
${clearTextKey === undefined && html`<details class="reveal"><summary>${words.start.title}</summary>${startSample(view, 'svc_rk_…')}</details>`}</div>`,
})}
${clearTextKey === undefined && addRuntimeSection(view)}`,
  })
}

/** Renders the new key, with commands that use it. */
function newKeyReveal(view: RuntimesView, clearText: string): Html {
  return html`${secretReveal({
    title: words.once.title,
    label: words.once.label,
    clearText,
    testId: 'runtime-key',
    explain: words.once.explain,
  })}
<section class="card compact" aria-labelledby="start"><div class="stack tight"><h2 id="start">${words.start.title}</h2><p>${words.start.about}</p></div>
${startSample(view, clearText)}</section>`
}

function startSample({ bot, apiUrl, portalUrl, version }: RuntimesView, key: string): Html {
  return html`${codeSample({
    name: 'start',
    title: words.start.title,
    samples: startSamples({ apiUrl, portalUrl, version, botId: bot.id, key }),
  })}
<p class="soft small">${words.start.listen} ${words.start.packages(`${portalUrl}/packages`)}</p>`
}

function addRuntimeSection({ bot, filled, confirmFirst }: RuntimesView): Html {
  const among = [
    { value: 'this', label: words.add.onlyThis(bot.name) },
    { value: 'all', label: words.add.all },
  ] as const
  const { values = { name: '', hosts: 'this' }, errors = [] } = filled
  return section({
    id: 'new',
    title: words.add.title,
    about: html`<p>${words.add.about}</p>${confirmFirst && notice({ tone: 'warn', body: confirmEmailFirst })}`,
    body: postForm(
      { action: `/bots/${bot.id}/runtimes`, style: 'card', novalidate: true },
      Object.values(runtimeForm.fields({ values, errors }, { hosts: { among } })),
      buttonRow(button({ label: words.add.submit, tone: 'primary' })),
    ),
  })
}

/** Renders a runtime: whether it is connected, its connections and its keys. */
function runtimeCard(
  { runtime, connections }: ShownRuntime,
  { bot, clearTextKey, nowMs }: Pick<BotPageView, 'bot' | 'nowMs'> & { clearTextKey: string | undefined },
): Html {
  const { id, name, botIds, createdAtMs, keys } = runtime
  const address = `/bots/${bot.id}/runtimes/${id}`
  const connected = connections.some((connection) => isConnected(connection, nowMs))
  return html`<section class="card compact" aria-labelledby="runtime-${id}"><div class="name"><h3 id="runtime-${id}">${name}</h3>
${connected ? state({ tone: 'good', word: words.connected }) : state({ tone: 'neutral', word: words.offline })}
<p class="facts"><span class="soft small">${words.hostsBots(botIds?.length ?? null)} · ${words.created(time(createdAtMs, nowMs))}</span></p></div>
${connections.length === 0 ? html`<p class="soft">${words.neverConnected}</p>` : connectionTable(name, connections, nowMs)}
${secretTable({
  caption: words.keysOf(name),
  kind: secretTableWords.key,
  secrets: keys.map((key) => ({
    ...listedKey(key, clearTextKey),
    revocation:
      key.endsAtMs === null ? { not: secretTableWords.replaceOnly } : { href: `${address}/keys/${key.number}/end` },
  })),
  nowMs,
})}
<div class="buttons"><a class="button plain small" href="${address}/key">${words.replaceKey(name)}</a><a class="button dangerous small" href="${address}/removal">${words.remove(name)}</a></div>
</section>`
}

/** Renders that a runtime of the platform hosts the bot. Only the platform sees its connections and keys. */
function platformCard(heardAtMs: number, nowMs: number): Html {
  return html`<section class="card compact" aria-labelledby="runtime-of-platform"><div class="name"><h3 id="runtime-of-platform">${words.ofPlatform}</h3>
${state({ tone: 'good', word: words.connected })}
<p class="facts"><span class="soft small">${words.lastHeartbeat(time(heardAtMs, nowMs))}</span></p></div></section>`
}

function connectionTable(runtime: string, connections: readonly RuntimeConnection[], nowMs: number): Html {
  return table({
    caption: words.connectionsOf(runtime),
    rows: connections,
    columns: [
      { title: words.instance, cell: ({ instance }) => html`<code>${instance}</code>` },
      { title: words.agent, cell: ({ agent }) => agent },
      { title: words.since, cell: ({ connectedAtMs }) => time(connectedAtMs, nowMs) },
      {
        title: words.lastSeen,
        cell: (connection) =>
          isConnected(connection, nowMs) ? words.now : time(connection.endedAtMs ?? connection.heardAtMs, nowMs),
      },
    ],
  })
}
