import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Bot } from '../../../domain/bots/bot.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { isConnected, type RuntimeConnection } from '../../../domain/bots/runtimes/runtime-connections.ts'
import { parseRuntimeId } from '../../../domain/ids-and-secrets.ts'
import { confirmEmailFirst } from '../../../pages/account-form.ts'
import { button, buttonRow, code, notice, postForm, section, state, table } from '../../../pages/components/elements.ts'
import { time } from '../../../pages/components/figures.ts'
import { codeSample, copyField, secretReveal, secretTable } from '../../../pages/components/secrets.ts'
import { errorNotices, type Filled, form, oneOf, textField } from '../../../pages/form.ts'
import { numberIn } from '../../../pages/form-posts.ts'
import { formPost, question, type Rejection, showPage } from '../../../pages/form-routes.ts'
import { type Html, html, plural, t, type Words } from '../../../pages/html.ts'
import {
  type BotPageServices,
  type BotVisit,
  botPartPage,
  botTrail,
  onBot,
  onFound,
  questionIn,
  sendNotFound,
} from '../bot-pages.ts'
import { botDone, botErrors, keyEnding, keyFields, keyForm, listedKey, revokesPrevious } from '../words.ts'
import { startSamples } from './start-samples.ts'

/** A runtime with its open connections or, if there are none, with its last connection. */
export interface ShownRuntime {
  runtime: RuntimeRecord
  connections: readonly RuntimeConnection[]
}

/** Returns the owner's runtimes that are allowed to host the bot, newest first. */
export async function hostingRuntimes({ runtimes, connections }: Bots, bot: Bot): Promise<ShownRuntime[]> {
  const hosting = (await runtimes.list(bot.ownerId)).filter((runtime) => mayHost(runtime, bot))
  const connected = await connections.list(hosting.map(({ id }) => id))
  return hosting.map((runtime) => ({ runtime, connections: connected.get(runtime.id) ?? [] }))
}

/**
 * Returns the time of the last heartbeat if it is fresh although none of the owner's runtimes is connected, so that a
 * runtime of the platform sent it. Otherwise returns `null`.
 */
async function heardFromPlatform(
  { ownStatus }: Bots,
  { id }: Bot,
  runtimes: readonly ShownRuntime[],
  nowMs: number,
): Promise<number | null> {
  if (runtimes.some(({ connections }) => connections.some((connection) => isConnected(connection, nowMs)))) return null
  const own = await ownStatus.find(id)
  return own?.state === 'online' || own?.state === 'connecting' ? own.status.reportedAt : null
}

export function mayHost({ botIds }: RuntimeRecord, { id }: Bot): boolean {
  return botIds === null || botIds.includes(id)
}

const allBots = { value: 'all', label: t`All your bots, including future ones` } as const

export const runtimeForm = form(
  {
    name: textField({ label: t`Name`, hint: t`For example, the machine it runs on.`, autocomplete: 'off' }),
    hosts: oneOf({
      label: t`Bots it can host`,
      among: [{ value: 'this', label: '' }, allBots],
      otherwise: 'this',
    }),
  },
  { focusesError: true },
)

export interface RuntimesAnswer {
  filled?: Partial<Filled<ReturnType<typeof runtimeForm.read>>>
  /** The runtime whose key was created by this request. The page shows no others beside the new key. */
  made?: { runtime: RuntimeRecord; clearTextKey: string }
}

export async function loadRuntimes(visit: BotVisit, { filled = {}, made }: RuntimesAnswer) {
  const { accounts, bots } = visit.services
  const all = await hostingRuntimes(bots, visit.bot)
  const runtimes = made === undefined ? all : all.filter(({ runtime }) => runtime.id === made.runtime.id)
  const platformHeardAtMs = made === undefined ? await heardFromPlatform(bots, visit.bot, all, visit.nowMs) : null
  const confirmFirst = filled.errors === undefined && (await accounts.users.mustConfirmEmail(visit.by.userId))
  return { runtimes, platformHeardAtMs, filled, confirmFirst, clearTextKey: made?.clearTextKey }
}

type RuntimesView = BotVisit & Awaited<ReturnType<typeof loadRuntimes>>

export function runtimesPage(view: RuntimesView): Html {
  const { bot, runtimes, platformHeardAtMs, nowMs, filled, clearTextKey, services } = view
  return botPartPage(view, {
    part: 'runtimes',
    canonical: `/bots/${bot.id}/runtimes`,
    shownOnce: clearTextKey !== undefined,
    body: html`${errorNotices(filled.errors ?? [])}
${clearTextKey !== undefined && newKeyReveal(view, clearTextKey)}
${section({
  id: 'runtimes',
  title: t`Runtimes`,
  about: html`<p>${t`A runtime is a program that runs your bot and processes its webhooks. It connects with a runtime key.`}</p>`,
  body: html`${
    platformHeardAtMs !== null && platformCard(platformHeardAtMs, nowMs)
  }${runtimes.length === 0 && platformHeardAtMs === null && html`<p>${t`None of your runtimes hosts this bot. The platform may still host it.`}</p>`}${runtimes.map((runtime) => runtimeCard(runtime, view))}
<div class="card">${copyField({ label: t`Runtime URL`, text: `${services.apiUrl.replace(/^http/, 'ws')}/runtime` })}
${clearTextKey === undefined && html`<details class="reveal"><summary>${t`Start the runtime`}</summary>${startSample(view, 'svc_rk_…')}</details>`}</div>`,
})}
${clearTextKey === undefined && addRuntimeSection(view)}`,
  })
}

function newKeyReveal(view: RuntimesView, clearText: string): Html {
  return html`${secretReveal({
    title: t`Runtime key created`,
    label: t`Runtime key`,
    clearText,
    testId: 'runtime-key',
    explain: t.html`Copy the key to your runtime’s settings now: <strong>it is shown only once</strong>. If you lose it, replace it.`,
  })}
<section class="card compact" aria-labelledby="start"><div class="stack tight"><h2 id="start">${t`Start the runtime`}</h2><p>${t`Paste these commands into a shell, in an empty folder. They start a runtime that prints webhooks. It needs Node 20 or Python 3.9, or later.`}</p></div>
${startSample(view, clearText)}</section>`
}

function hostedWords(botIds: RuntimeRecord['botIds']): Words {
  if (botIds === null) return t`Hosts all your bots`
  return plural(botIds.length, t`Hosts this bot`, t`Hosts ${botIds.length} of your bots`)
}

function startSample({ bot, services: { apiUrl, portalUrl, build } }: RuntimesView, key: string): Html {
  return html`${codeSample({
    name: 'start',
    title: t`Start the runtime`,
    samples: startSamples({ apiUrl, portalUrl, version: build.version, botId: bot.id, key }),
  })}
<p class="soft small">${t`${code('gatehouse listen')} shows webhooks, but doesn’t take the bot online.`} ${t.html`<a href="${portalUrl}/packages">All packages</a>`}</p>`
}

function addRuntimeSection({ bot, filled, confirmFirst }: RuntimesView): Html {
  const among = [{ value: 'this', label: t`Only ${bot.name}` }, allBots] as const
  const { values = { name: '', hosts: 'this' }, errors = [] } = filled
  return section({
    id: 'new',
    title: t`Add a runtime`,
    about: html`<p>${t`Add one runtime for each machine that runs your program. The key is shown only once.`}</p>${confirmFirst && notice({ tone: 'warn', body: confirmEmailFirst })}`,
    body: postForm(
      { action: `/bots/${bot.id}/runtimes`, style: 'card', novalidate: true },
      Object.values(runtimeForm.fields({ values, errors }, { hosts: { among } })),
      buttonRow(button({ label: t`Add runtime`, tone: 'primary' })),
    ),
  })
}

function runtimeCard(
  { runtime, connections }: ShownRuntime,
  { bot, clearTextKey, nowMs }: Pick<BotVisit, 'bot' | 'nowMs'> & { clearTextKey: string | undefined },
): Html {
  const { id, name, botIds, createdAtMs, keys } = runtime
  const address = `/bots/${bot.id}/runtimes/${id}`
  const connected = connections.some((connection) => isConnected(connection, nowMs))
  return html`<section class="card compact" aria-labelledby="runtime-${id}"><div class="name"><h3 id="runtime-${id}">${name}</h3>
${connected ? state({ tone: 'good', word: t`Connected` }) : state({ tone: 'neutral', word: t`Offline` })}
<p class="facts"><span class="soft small">${hostedWords(botIds)} · ${t`Created ${time(createdAtMs, nowMs)}`}</span></p></div>
${connections.length === 0 ? html`<p class="soft">${t`Never connected.`}</p>` : connectionTable(name, connections, nowMs)}
${secretTable({
  caption: t`Valid keys of ${name}, current one first`,
  kind: t`Key`,
  secrets: keys.map((key) => ({
    ...listedKey(key, clearTextKey),
    revocation:
      key.endsAtMs === null ? { not: t`Can only be replaced` } : { href: `${address}/keys/${key.number}/end` },
  })),
  nowMs,
})}
<div class="buttons"><a class="button plain small" href="${address}/key">${t.html`Replace key<span class="hidden-visually"> of ${name}</span>`}</a><a class="button dangerous small" href="${address}/removal">${t.html`Remove<span class="hidden-visually"> ${name}</span>`}</a></div>
</section>`
}

/** Renders that a runtime of the platform hosts the bot. Only the platform sees its connections and keys. */
function platformCard(heardAtMs: number, nowMs: number): Html {
  return html`<section class="card compact" aria-labelledby="runtime-of-platform"><div class="name"><h3 id="runtime-of-platform">${t`Runtime of the platform`}</h3>
${state({ tone: 'good', word: t`Connected` })}
<p class="facts"><span class="soft small">${t`Last heartbeat ${time(heardAtMs, nowMs)}`}</span></p></div></section>`
}

function connectionTable(runtime: string, connections: readonly RuntimeConnection[], nowMs: number): Html {
  return table({
    caption: t`Connections of ${runtime}`,
    rows: connections,
    columns: [
      { title: t`Instance`, cell: ({ instance }) => html`<code>${instance}</code>` },
      { title: t`Program`, cell: ({ agent }) => agent },
      { title: t`Since`, cell: ({ connectedAtMs }) => time(connectedAtMs, nowMs) },
      {
        title: t`Last seen`,
        cell: (connection) =>
          isConnected(connection, nowMs) ? t`Now` : time(connection.endedAtMs ?? connection.heardAtMs, nowMs),
      },
    ],
  })
}

export function runtimeRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { runtimes } = services.bots

  const admit = onBot(services, 'change-runtimes')
  showPage(app, '/bots/:botId/runtimes', admit, sendRuntimes)

  formPost(app, '/bots/:botId/runtimes', admit, {
    form: runtimeForm,
    errors: botErrors,
    show: (visit, filled) => sendRuntimes(visit, { filled }),
    async post(visit, { name, hosts }) {
      const { bot, by, request } = visit
      const made = await runtimes.make({ name, botIds: hosts === 'all' ? null : [bot.id] }, by)
      request.log.info({ bot: bot.id, user: by.userId, runtime: made.runtime.id }, 'runtime created')
      return sendRuntimes(visit, { made })
    },
  })

  const changing = {
    frame: ({ bot }: RuntimeVisit) => questionIn(botTrail(bot, 'runtimes')),
    errors: botErrors,
    show: (visit: RuntimeVisit, rejected: Rejection) => sendRuntimes(visit, { filled: rejected }),
  }

  question(app, '/bots/:botId/runtimes/:runtimeId/key', onRuntime(services, 'change-runtimes'), {
    ...changing,
    asks({ runtime: { name, keys } }) {
      const [, ending] = keys
      return {
        title: t`Replace the key of ${name}?`,
        effect: [t`The new key is shown only once and works immediately.`, ending && revokesPrevious(ending)],
        fields: [keyFields.keyBefore],
        submit: t`Replace key`,
      }
    },
    async post(visit) {
      const { by, request, runtime } = visit
      const { keyBefore } = keyForm.read(request)
      const made = await runtimes.makeKey(runtime.id, { by, keyBefore })
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime key created')
      return sendRuntimes(visit, { made })
    },
  })

  question(app, '/bots/:botId/runtimes/:runtimeId/keys/:number/end', onRuntime(services, 'change-runtimes'), {
    ...changing,
    asks(visit) {
      const { name, keys } = visit.runtime
      const key = keys.find(({ number }) => number === numberIn(visit.request))
      if (key === undefined) return sendNotFound(visit)
      return {
        title: t`Revoke this key now?`,
        effect: [t`The key ${keyEnding(key.lastFour)} of ${name} stops working now. Its connections are closed.`],
        submit: t`Revoke key`,
        cancel: t`Keep key`,
      }
    },
    async post({ bot, by, request, runtime, redirect }) {
      await runtimes.endKey(runtime.id, numberIn(request), by)
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime key revoked')
      return redirect(`/bots/${bot.id}/runtimes`, botDone.keyEnded)
    },
  })

  question(app, '/bots/:botId/runtimes/:runtimeId/removal', onRuntime(services, 'change-runtimes'), {
    frame: changing.frame,
    asks: ({ runtime: { name, botIds } }) => ({
      title: t`Remove ${name}?`,
      effect: [
        botIds?.length === 1
          ? t`Its keys stop working and it is disconnected. The bot goes offline unless another runtime hosts it. Webhooks in progress are delivered again.`
          : t`Its keys stop working and it is disconnected. Its bots go offline unless another runtime hosts them. Webhooks in progress are delivered again.`,
      ],
      submit: t`Remove runtime`,
      cancel: t`Keep runtime`,
    }),
    async post({ bot, by, request, runtime, redirect }) {
      await runtimes.remove(runtime.id, by)
      request.log.info({ user: by.userId, runtime: runtime.id }, 'runtime removed')
      return redirect(`/bots/${bot.id}/runtimes`, botDone.runtimeRemoved)
    },
  })
}

type RuntimeVisit = BotVisit & { runtime: RuntimeRecord }

/** Like `onBot`, but also passes the user's runtime identified by the URL, if it is allowed to host this bot. */
const onRuntime = onFound(async ({ services: { bots }, by, bot, request }) => {
  const id = parseRuntimeId((request.params as { runtimeId: string }).runtimeId)
  const runtime = id && (await bots.runtimes.find(id, by))
  return runtime && mayHost(runtime, bot) ? { runtime } : undefined
})

async function sendRuntimes(visit: BotVisit, answer: RuntimesAnswer = {}): Promise<FastifyReply> {
  const page = runtimesPage({ ...visit, ...(await loadRuntimes(visit, answer)) })
  return visit.send(page, answer.filled?.status)
}
